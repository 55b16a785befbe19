// stallcast probe TARGET: what the storage under a mount can do, measured by reading from it.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>

#include "cli/shell/command.h"
#include "cli/shell/output.h"
#include "core/answers/questions/quantity_option.h"
#include "core/object_probe/http/object_url.h"
#include "core/object_probe/probe_objects.h"
#include "core/probe/probe_files.h"
#include "core/probe/result/probe_json.h"
#include "core/probe/write_probe.h"
#include "core/probe/write_probe_json.h"
#include "core/report/measured/probe_text.h"
#include "core/report/measured/write_probe_text.h"
#include "core/report/text/result_text.h"
#include "core/result/program_version.h"
#include "core/units/quantity_text.h"
#include "core/units/size_text.h"

namespace stallcast {
namespace {

struct ProbeCommand {
  std::string target;
  std::string time = "30 s";
  std::string bytes = "2 GiB";
  int max_in_flight = 64;
  std::uint64_t seed = 1;
  bool write = false;
  std::string format = "table";
  std::string output_path;
};

constexpr OptionRange kProbeTime = {0.1, 3600.0, "100 ms to 1 h"};
constexpr OptionRange kProbeBytes = {1048576.0, 1125899906842624.0, "1 MiB to 1 PiB"};

// One line, rewritten in place.
class ProbeLine {
 public:
  explicit ProbeLine(const Environment& environment) : environment_(environment) {}
  ProbeLine(const ProbeLine&) = delete;
  ProbeLine& operator=(const ProbeLine&) = delete;
  ~ProbeLine() {
    if (visible_) environment_.err << "\r\033[K" << std::flush;
  }

  std::function<void(const ProbeProgress&)> callback() {
    if (!environment_.err_is_terminal) return {};
    return [this](const ProbeProgress& progress) {
      visible_ = true;
      environment_.err << fmt::format("\r\033[K{:.0f} of {:.0f} s, {:.0f} of {:.0f} MiB: {}", progress.seconds,
                                      progress.allowed_seconds, progress.bytes / 1048576.0,
                                      progress.allowed_bytes / 1048576.0, progress.doing)
                       << std::flush;
    };
  }

 private:
  const Environment& environment_;
  bool visible_ = false;
};

// The probe for what `target` names.
Loaded<ProbeResult> probe(const std::string& target, const ProbeOptions& options) {
  Loaded<ProbeResult> probed;
  if (is_object_url(target)) {
    probed.findings = parse_object_url(target).findings;
    if (!probed.findings.has_errors()) probed.value = probe_objects(target, options);
  } else {
    probed.value = probe_files(target, options);
  }
  return probed;
}

// The table on standard output and the document to a file, or what was asked for.
void deliver_probe(const ProbeCommand& given, const std::string& document, const std::string& table,
                   const Environment& environment) {
  const bool to_file = !given.output_path.empty() && given.output_path != "-";
  if (to_file) deliver(document, given.output_path, environment);
  if (given.format == "table") {
    deliver(table, "", environment);
  } else if (!to_file) {
    deliver(document, "", environment);
  }
}

int probe_writing(const ProbeCommand& given, const ProbeOptions& options, const Environment& environment) {
  if (is_object_url(given.target)) {
    Findings findings;
    findings.add({Severity::kError, "not_one_of", "--write", "TARGET", given.target, "a directory",
                  "leave --write out: a bucket is only read", "what a bucket takes in is not measured"});
    print_findings(findings, environment.err);
    return kExitBadInput;
  }
  WriteProbeResult result;
  {
    ProbeLine line(environment);
    ProbeOptions watched = options;
    watched.progress = line.callback();
    result = probe_writes(given.target, watched, [&](const std::filesystem::path& scratch) {
      environment.err << fmt::format(
                             "stallcast: writing at most {} in at most {} into {}, which is removed afterwards\n",
                             size_text(options.bytes), duration_text(options.seconds), scratch.string())
                      << std::flush;
    });
  }
  if (result.interrupted && result.points.empty()) {
    environment.err << "stallcast: interrupted before anything was measured\n";
    return kExitWorldTrouble;
  }
  deliver_probe(given, json_text(write_probe_to_json(result, program_version())),
                render_text(result, environment.style), environment);
  if (result.interrupted) environment.err << "stallcast: interrupted; what was measured until then is kept\n";
  return kExitFine;
}

int probe_command(const ProbeCommand& given, const Environment& environment) {
  require_place_for(given.output_path);
  Findings findings;
  const auto time = quantity_option("--time", Dimension::kTime, given.time, kProbeTime, findings);
  const auto bytes = quantity_option("--bytes", Dimension::kBytes, given.bytes, kProbeBytes, findings);
  print_findings(findings, environment.err);
  if (!time || !bytes) return kExitBadInput;
  ProbeOptions options;
  options.seconds = *time;
  options.bytes = *bytes;
  options.max_in_flight = given.max_in_flight;
  options.seed = given.seed;
  options.stop = environment.stop;
  if (given.write) return probe_writing(given, options, environment);
  Loaded<ProbeResult> probed;
  {
    ProbeLine line(environment);
    options.progress = line.callback();
    probed = probe(given.target, options);
  }
  print_findings(probed.findings, environment.err);
  if (!probed.ok()) return kExitBadInput;
  const ProbeResult& result = *probed.value;
  if (result.interrupted && result.points.empty()) {
    environment.err << "stallcast: interrupted before anything was measured\n";
    return kExitWorldTrouble;
  }
  deliver_probe(given, json_text(probe_to_json(result, program_version())), render_text(result, environment.style),
                environment);
  if (result.interrupted) environment.err << "stallcast: interrupted; what was measured until then is kept\n";
  return kExitFine;
}

}  // namespace

void add_probe_command(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand(
      "probe",
      "Measure what storage can do by reading from it, or with --write by writing, within a limit of time and "
      "bytes");
  const auto given = std::make_shared<ProbeCommand>();
  command
      ->add_option("TARGET", given->target,
                   "File or directory on the storage; it is only read, unless --write is given")
      ->required();
  command->add_flag("--write", given->write,
                    "Measure what the storage takes in: writes into a new directory inside TARGET, within --time and "
                    "--bytes, and removes it");
  command->add_option("--time", given->time, "Longest time to take")->type_name("TIME")->capture_default_str();
  command->add_option("--bytes", given->bytes, "Most bytes to read, or to write")
      ->type_name("SIZE")
      ->capture_default_str();
  command->add_option("--max-in-flight", given->max_in_flight, "Most requests at a time")
      ->type_name("N")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_option("--seed", given->seed, "Which files and positions are read")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--format", given->format, "table or json, on standard output")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  command->add_option("-o,--output", given->output_path, "Write the probe to a file (JSON) for stallcast calibrate")
      ->type_name("FILE");
  command->callback(
      [&context, given] { context.action = [&context, given] { return probe_command(*given, context.environment); }; });
}

}  // namespace stallcast
