#include "python/module/commands.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/answers/jobs_answer.h"
#include "core/answers/json_text.h"
#include "core/answers/run_answer.h"
#include "core/diagnostics/atomic_file.h"
#include "core/report/charts/charts.h"
#include "core/report/json/jobs_document.h"
#include "core/report/json/result_document.h"
#include "core/report/json/result_shape.h"
#include "core/report/json/trace_json.h"
#include "core/report/text/jobs_text.h"
#include "core/report/text/result_text.h"
#include "core/steps/known_walks.h"
#include "python/module/options.h"
#include "python/module/problems.h"
#include "python/module/timed.h"

namespace stallcast::python {
namespace py = pybind11;

namespace {

// Nobody is asked before a run that takes long: whoever waits sees its progress, and stops it with Ctrl-C.
RunOptions run_options(const py::dict& options) {
  RunOptions run;
  run.replications = option<std::int64_t>(options, "replications", 0);
  run.exact = option<bool>(options, "exact", false);
  return sharing_walks(std::move(run));
}

void watch_run(RunOptions& run, Watch& watch) {
  run.stop = watch.stop();
  run.progress = watch.progress();
}

void write_trace(const Trace& trace, const std::string& path) {
  std::ostringstream timeline;
  write_trace_json(trace, timeline);
  write_file_atomically(path, std::move(timeline).str());
}

Answer training(PreparedJob job, RunOptions run, AssumedInputs inputs, const std::string& trace_path) {
  struct Held {
    ResolvedScenario resolved;
    RunAnswer answer;
  };
  Trace trace;
  if (!trace_path.empty()) run.trace = &trace;
  const auto held = std::make_shared<Held>();
  held->answer = answer_run(job.resolved, run, inputs);
  held->resolved = std::move(job.resolved);
  if (!trace_path.empty()) write_trace(trace, trace_path);
  Answer out;
  out.json = [held] { return json_text(run_document(held->resolved, held->answer)); };
  out.csv = [held] { return result_csv(run_document(held->resolved, held->answer)); };
  out.text = [held] {
    const RunAnswer& a = held->answer;
    const AssumedRanges assumed{held->resolved, a.ranges, a.widened_cost};
    return render_text(held->resolved.scenario, a.result, a.bound, a.cost, kPlain, &assumed) +
           render_text(held->resolved.catalogue);
  };
  out.charts = [held] { return run_charts(held->resolved.scenario.name, held->answer.result, held->answer.cost); };
  out.warnings = std::move(job.warnings);
  return out;
}

Answer serving(PreparedJob job, const RunOptions& run, AssumedInputs inputs) {
  struct Held {
    ResolvedScenario resolved;
    ServingAnswer answer;
  };
  const auto held = std::make_shared<Held>();
  held->answer = answer_serving(job.resolved, run, inputs);
  held->resolved = std::move(job.resolved);
  Answer out;
  out.json = [held] { return json_text(serving_answer_document(held->resolved, held->answer)); };
  out.csv = [held] { return jobs_csv(serving_answer_document(held->resolved, held->answer)); };
  out.text = [held] {
    return render_text(held->resolved, held->answer.result, held->answer.cost, kPlain, held->answer.ranges) +
           render_text(held->resolved.catalogue);
  };
  out.warnings = std::move(job.warnings);
  return out;
}

Answer together(PreparedJob job, const RunOptions& run, AssumedInputs inputs) {
  struct Held {
    ResolvedScenario resolved;
    JobsAnswer answer;
  };
  const auto held = std::make_shared<Held>();
  held->answer = answer_jobs(job.resolved, run, inputs);
  held->resolved = std::move(job.resolved);
  Answer out;
  out.json = [held] { return json_text(jobs_answer_document(held->resolved, held->answer)); };
  out.csv = [held] { return jobs_csv(jobs_answer_document(held->resolved, held->answer)); };
  out.text = [held] {
    return render_text(held->resolved, held->answer.result, held->answer.cost, kPlain, held->answer.ranges) +
           render_text(held->resolved.catalogue);
  };
  out.warnings = std::move(job.warnings);
  return out;
}

Answer simulate_command(const Job& job, const CatalogueHandle& handle, const py::dict& options,
                        const py::object& progress) {
  const Settings settings = settings_of(options);
  const AssumedInputs inputs = inputs_of(options);
  const RunOptions asked = run_options(options);
  const auto trace = option<std::string>(options, "trace", "");
  return answered(progress, [&, file = job.file, catalogue = handle.shared](Watch& watch) {
    RunOptions run = asked;
    watch_run(run, watch);
    if (!trace.empty()) {
      return training(prepare_training(file, settings, *catalogue, "trace"), run, inputs, trace);
    }
    PreparedJob prepared = prepare(file, settings, *catalogue);
    if (!prepared.resolved.concurrent_jobs.empty()) return together(std::move(prepared), run, inputs);
    if (prepared.resolved.scenario.job == JobKind::kServing) return serving(std::move(prepared), run, inputs);
    return training(std::move(prepared), run, inputs, "");
  });
}

Answer explain_command(const Job& job, const CatalogueHandle& handle, const py::dict& options,
                       const py::object& progress) {
  struct Held {
    ResolvedScenario resolved;
    ExplainAnswer answer;
  };
  const Settings settings = settings_of(options);
  const AssumedInputs inputs = inputs_of(options);
  const RunOptions asked = run_options(options);
  return answered(progress, [&, file = job.file, catalogue = handle.shared](Watch& watch) {
    RunOptions run = asked;
    watch_run(run, watch);
    PreparedJob prepared = prepare_training(file, settings, *catalogue, "explain");
    const std::vector<Rule> rules = rules_of(*catalogue, prepared.warnings);
    const auto held = std::make_shared<Held>();
    held->answer = answer_explain(prepared.file, prepared.resolved, rules, *catalogue, run, inputs);
    held->resolved = std::move(prepared.resolved);
    Answer out;
    out.json = [held] { return json_text(explain_document(held->resolved, held->answer)); };
    out.csv = [held] { return result_csv(explain_document(held->resolved, held->answer)); };
    out.text = [held] {
      const ExplainAnswer& a = held->answer;
      const AssumedRanges assumed{held->resolved, a.ranges, a.widened_cost};
      return render_text(held->resolved.scenario, a.explanation, a.advice, kPlain, &assumed) +
             render_text(held->resolved.catalogue);
    };
    out.charts = [held] {
      return run_charts(held->resolved.scenario.name, held->answer.explanation.result, held->answer.explanation.cost);
    };
    out.warnings = std::move(prepared.warnings);
    return out;
  });
}

}  // namespace

std::vector<Chart> run_charts(const std::string& name, const RunResult& result, const CostBreakdown& cost) {
  const NamedResult named{name.empty() ? "This scenario" : name, "A", &result, &cost};
  std::vector<Chart> charts = {lost_time_chart({named}), cost_waterfall_chart(named)};
  const Chart goodput = goodput_chart(result.timeline);
  if (!goodput.series.empty()) charts.push_back(goodput);
  return charts;
}

void bind_commands(py::module_& module) {
  module.def("simulate", &simulate_command);
  module.def("explain", &explain_command);
  module.def("empty_result_shape", [] { return result_document({}, {}, {}, {}, {}).dump(); });
  module.def("result_shape", [] {
    nlohmann::ordered_json shape = result_shape();
    shape.update(assumed_ranges_shape());
    return shape.dump();
  });
}

}  // namespace stallcast::python
