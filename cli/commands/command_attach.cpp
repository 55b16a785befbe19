// stallcast attach PID: half a minute beside a running job, then what holds it back and what would help.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/options/diagnosis.h"
#include "cli/options/scenario_options.h"
#include "cli/shell/command.h"
#include "cli/shell/output.h"
#include "cli/shell/progress_line.h"
#include "core/answers/attachment.h"
#include "core/answers/questions/quantity_option.h"
#include "core/report/text/job_seen_text.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr OptionRange kWatchTime = {kLeastWatch_s, kMostWatch_s, kWatchTimes};

struct AttachCommand {
  int pid = 0;
  std::string time = "30 s";
  std::int64_t batch_size = 0;
  std::vector<std::string> observed, logs;
  bool try_readers = false;
  ScenarioOptions scenario;
};

Findings checked(const AttachCommand& given, AttachQuestion& question) {
  Findings findings;
  if (const auto time = quantity_option("--time", Dimension::kTime, given.time, kWatchTime, findings))
    question.time_s = *time;
  Loaded<std::vector<SeenOutcome>> seen;
  if (!given.observed.empty() || !given.logs.empty()) seen = read_seen({given.observed, given.logs});
  findings.append(seen.findings);
  for (const SeenOutcome& one : seen.value.value_or(std::vector<SeenOutcome>())) {
    if (!one.settings.empty()) {
      findings.add({Severity::kError, "another_setting", "--observed", "", one.settings.front(),
                    "figures of the job as it runs now", "leave out what is behind the @",
                    "stallcast diagnose takes those of other settings"});
    }
    question.answers.observed.push_back(one.outcome);
  }
  question.pid = given.pid;
  question.try_readers = given.try_readers;
  question.answers.batch_size = given.batch_size;
  return findings;
}

// A whole number from the terminal; 0 for an empty line or anything else.
std::int64_t asked_on_terminal(const std::string& question, const Environment& environment) {
  if (!environment.err_is_terminal || ::isatty(STDIN_FILENO) == 0) return 0;
  environment.err << question;
  environment.err.flush();
  std::string line;
  std::int64_t value = 0;
  if (!std::getline(std::cin, line)) return 0;
  std::from_chars(line.data(), line.data() + line.size(), value);
  return std::max<std::int64_t>(0, value);
}

SeenJob watched(const AttachQuestion& question, const Environment& environment) {
  ProgressLine line(environment);
  std::function<void(double)> progress;
  if (environment.err_is_terminal) {
    progress = [&](double done) {
      line.show([&] { return fmt::format("watching: {:.0f} of {:.0f} s", done * question.time_s, question.time_s); });
    };
  }
  SeenJob job = see_job(question, environment.stop, progress);
  line.clear();
  return job;
}

int attach_command(const AttachCommand& given, const Environment& environment) {
  require_place_for(given.scenario.output_path);
  AttachQuestion asked;
  const Findings findings = checked(given, asked);
  print_findings(findings, environment.err);
  const Loaded<Catalogue> catalogue = load_catalogue(given.scenario.catalogue);
  if (!catalogue.ok()) print_findings(catalogue.findings, environment.err);
  if (findings.has_errors() || !catalogue.ok()) return kExitBadInput;

  SeenJob job = watched(asked, environment);
  const bool as_json = given.scenario.format == "json";
  if (const auto finding = nothing_to_simulate(job)) {
    Findings nothing;
    nothing.add(*finding);
    if (as_json) {
      deliver(json_text({{"seen", job_seen_json(job.tree, job.watch, job.figures, {})}}), "", environment);
    } else {
      deliver(render_text(job.tree, job.watch, job.figures, {}), "", environment);
    }
    print_findings(nothing, environment.err);
    return kExitBadInput;
  }
  if (job.answers.batch_size == 0 && batch_from_files(job.figures) == 0)
    job.answers.batch_size = asked_on_terminal("Samples in a batch of one trainer (empty if not known): ", environment);
  const JobScenario seen = scenario_of(job);
  const Loaded<DiagnosisQuestion> question =
      diagnosis_of(seen, {given.scenario.overrides, given.scenario.seed, ""}, *catalogue.value);
  print_findings(question.findings, environment.err);
  if (!question.ok()) return kExitBadInput;
  const auto answer = diagnose(*question.value, *catalogue.value, given.scenario, environment);
  if (!answer) return kExitBadInput;
  if (!given.scenario.output_path.empty())
    deliver(annotated_text(answer->fitted, seen.values), given.scenario.output_path, environment);
  if (as_json) {
    Json out = diagnosis_document(*question.value, *answer);
    out["seen"] = job_seen_json(job.tree, job.watch, job.figures, seen.missing);
    deliver(json_text(out), "", environment);
  } else {
    deliver(render_text(job.tree, job.watch, job.figures, seen.missing) + "\n" +
                diagnosis_text(*question.value, *answer, text_style(given.scenario, environment)),
            "", environment);
  }
  if (!given.scenario.output_path.empty() && given.scenario.output_path != "-")
    environment.err << "stallcast: the scenario is in " << given.scenario.output_path << "\n";
  return kExitFine;
}

}  // namespace

void add_attach_command(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("attach", "Watch a running training job from another process, and say what limits it (Linux)");
  const auto given = std::make_shared<AttachCommand>();
  command->add_option("PID", given->pid, "Process of the job: its trainer, a launcher above it, or a loader worker")
      ->required()
      ->check(CLI::Range(1, 1 << 22));
  command->add_option("--time", given->time, "How long to watch")->type_name("TIME")->capture_default_str();
  command
      ->add_option("--batch-size", given->batch_size,
                   "Samples in a batch of one trainer, where files do not tell it: each then counts as a sample")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 30));
  command->add_flag("--try-readers", given->try_readers,
                    "After watching, read beside the job for 3 s, at most 256 MB, to see whether its source gives more "
                    "to more readers; the job may be slower meanwhile");
  add_seen_options(*command, given->observed, given->logs);
  add_override_options(*command, given->scenario);
  command->add_option("--format", given->scenario.format, "How to print the result")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  command
      ->add_option("-o,--output", given->scenario.output_path,
                   "Write the scenario that was seen, with ranges and where each value is from")
      ->type_name("OUT.json");
  command->add_flag("--ascii", given->scenario.ascii, "Draw bars with # and use no colour");
  command->callback([&context, given] {
    context.action = [&context, given] { return attach_command(*given, context.environment); };
  });
}

}  // namespace stallcast
