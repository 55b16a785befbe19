#include "cli/run_cli.h"

#include <fmt/format.h>

#include <cerrno>
#include <new>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/command_help.h"
#include "cli/shell/command.h"
#include "cli/shell/last_resort.h"
#include "cli/shell/output.h"
#include "cli/shell/usage_error.h"
#include "core/diagnostics/finding.h"
#include "core/diagnostics/invariant.h"
#include "core/result/program_version.h"

namespace stallcast {
namespace {

constexpr const char* kFooter = R"(Examples:
  stallcast new job.json
  stallcast simulate job.json --set loader.num_workers=16
  stallcast explain job.json
  stallcast help size

Exit codes: 0 fine, 1 our bug, 2 bad input, 3 file or device trouble, or stopped before there was a result that --fail-if
could judge, 4 no configuration meets the targets, or a condition of --fail-if holds. Interrupted (SIGINT, SIGTERM,
SIGHUP), a command ends with what it has; interrupted once more, at once with 128 and the number of the signal.

Environment: STALLCAST_MODELS=DIR the catalogue instead of the one installed with the program,
STALLCAST_CATALOGUE=DIR:DIR records over it, below those of --catalogue, NO_COLOR=1 no colour.)";

// "help size" as "size --help", "help" alone as "--help".
std::vector<const char*> help_as_option(int argc, const char* const* argv) {
  std::vector<const char*> words(argv, argv + argc);
  if (words.size() < 2 || std::string_view(words[1]) != "help") return words;
  words.erase(words.begin() + 1);
  words.push_back("--help");
  return words;
}

int parse_and_run(int argc, const char* const* argv, const Environment& environment) {
  CLI::App app("Plan storage and data loading for GPU training: how busy the GPUs will be, and what limits them.",
               "stallcast");
  app.set_version_flag("--version", fmt::format("stallcast {}", program_version()));
  app.require_subcommand(1);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.footer(kFooter);
  CommandContext context{environment, app, {}};
  add_new_command(app, context);
  add_examples_command(app, context);
  add_explain_field_command(app, context);
  add_simulate_command(app, context);
  add_explain_command(app, context);
  add_attach_command(app, context);
  add_diagnose_command(app, context);
  add_compare_command(app, context);
  add_sensitivity_command(app, context);
  add_sweep_command(app, context);
  add_merge_command(app, context);
  add_size_command(app, context);
  add_emit_command(app, context);
  add_report_command(app, context);
  add_validate_command(app, context);
  add_probe_command(app, context);
  add_backtest_command(app, context);
  add_import_command(app, context);
  add_calibrate_command(app, context);
  add_catalogue_command(app, context);
  add_schema_command(app, context);
  add_completions_command(app, context);
  add_man_command(app, context);
  describe_commands(app);
  const std::vector<const char*> words = help_as_option(argc, argv);
  if (words.size() <= 1) {
    errno = 0;
    environment.out << where_to_start();
    flush_result(environment);
    return kExitFine;
  }
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::Success& asked) {  // help or version
    errno = 0;
    const int code = app.exit(asked, environment.out, environment.err);
    flush_result(environment);
    return code;
  } catch (const CLI::ParseError& error) {
    environment.err << usage_error(app, error);
    return kExitBadInput;
  }
  return context.action();
}

}  // namespace

int run_cli(int argc, const char* const* argv, const Environment& environment) {
  std::ostream& err = environment.err;
  try {
    return parse_and_run(argc, argv, environment);
  } catch (const WorldError& error) {
    err << "stallcast: " << error.what() << "\n";
    return kExitWorldTrouble;
  } catch (const std::system_error& error) {  // of files and folders, of threads
    err << "stallcast: " << error.what() << "\n";
    return kExitWorldTrouble;
  } catch (const std::bad_alloc&) {
    err << kOutOfMemory;
    return kExitWorldTrouble;
  } catch (const std::exception& error) {
    err << "stallcast: this is a bug in stallcast " << program_version() << ", please report it: " << error.what()
        << "\n";
    return kExitOurBug;
  } catch (...) {
    err << "stallcast: this is a bug in stallcast " << program_version() << ", please report it\n";
    return kExitOurBug;
  }
}

int run_cli(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  return run_cli(argc, argv, Environment{.out = out, .err = err});
}

}  // namespace stallcast
