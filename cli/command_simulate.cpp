// stallcast simulate SCENARIO: one run, as text, JSON or CSV.
#include <memory>

#include "cli/command.h"
#include "cli/progress_line.h"
#include "cli/scenario_options.h"
#include "core/model/resource_graph.h"
#include "core/report/result_document.h"
#include "core/report/result_text.h"
#include "core/scenario/scenario_file.h"

namespace stallcast {
namespace {

int simulate_command(const ScenarioOptions& options, const Environment& environment) {
  const std::optional<ResolvedScenario> resolved = load_resolved(options, environment);
  if (!resolved) return kExitBadInput;
  Trace trace;
  RunOptions run = run_options(options, environment);
  if (!options.trace_path.empty()) run.trace = &trace;
  ProgressLine progress(environment);
  run.progress = progress.callback();
  const RunResult result = simulate(resolved->scenario, run);
  progress.clear();
  const Bound bound = utilization_bound(resolved->scenario);
  auto document =
      result_document(result, bound, scenario_to_json(resolved->scenario), provenance_to_json(resolved->provenance));
  document["catalogue"] = catalogue_to_json(resolved->catalogue);
  deliver_result(document,
                 render_text(resolved->scenario, result, bound, text_style(options, environment)) +
                     render_text(resolved->catalogue),
                 trace, options, environment);
  return kExitFine;
}

}  // namespace

void add_simulate_command(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("simulate", "Simulate a training job: GPU utilization and where the time goes");
  const auto options = std::make_shared<ScenarioOptions>();
  add_scenario_options(*command, *options);
  command->callback([&context, options] {
    context.action = [&context, options] { return simulate_command(*options, context.environment); };
  });
}

}  // namespace stallcast
