#include "cli/options/diagnosis.h"

#include <utility>

#include "cli/shell/output.h"
#include "cli/shell/progress_line.h"
#include "core/diagnose/outcome.h"
#include "core/report/measured/outcome_fit_text.h"
#include "core/report/text/result_text.h"

namespace stallcast {

void add_seen_options(CLI::App& command, std::vector<std::string>& observed, std::vector<std::string>& logs) {
  std::string names;
  for (const OutcomeKind& kind : outcome_kinds()) names += (names.empty() ? "" : ", ") + std::string(kind.name);
  command
      .add_option("--observed", observed,
                  "A figure of the running job, as in it_per_s=3 or data_time=\"217 ms\"; with other settings as in "
                  "it_per_s=4.1@loader.num_workers=4; may be repeated. Out of " +
                      names)
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  command
      .add_option(
          "--log", logs,
          "Lines of the job's logger (tqdm, Lightning, torchvision, timm, MMEngine, Hugging Face); may be repeated")
      ->type_name("FILE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
}

std::optional<DiagnosisAnswer> diagnose(const DiagnosisQuestion& question, const Catalogue& catalogue,
                                        const ScenarioOptions& scenario, const Environment& environment) {
  const Loaded<std::vector<Rule>> rules = load_rules(catalogue.identity.directory);
  print_findings(rules.findings, environment.err);
  if (!rules.ok()) return std::nullopt;
  ProgressLine progress(environment);
  RunOptions options = run_options(scenario, environment);
  options.progress = progress.callback();
  Loaded<DiagnosisAnswer> answered = answer_diagnose(question, *rules.value, catalogue, options);
  progress.clear();
  print_findings(answered.findings, environment.err);
  if (!answered.ok()) return std::nullopt;
  return std::move(answered.value);
}

std::string diagnosis_text(const DiagnosisQuestion& question, const DiagnosisAnswer& answer, const TextStyle& style) {
  return render_text(answer.fit, question.runs.front().job) + "\n" +
         render_text(answer.job.scenario, answer.explanation, answer.advice, style) + render_text(answer.job.catalogue);
}

}  // namespace stallcast
