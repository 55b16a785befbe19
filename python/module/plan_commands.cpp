#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/answers/choice_answers.h"
#include "core/answers/json_text.h"
#include "core/answers/questions/quantity_option.h"
#include "core/answers/questions/report_command.h"
#include "core/answers/questions/sensitivity_question.h"
#include "core/answers/questions/sweep_question.h"
#include "core/answers/timed_stop.h"
#include "core/plan/review/review.h"
#include "core/plan/sweep/merge.h"
#include "core/plan/sweep/point_runner.h"
#include "core/plan/sweep/points_file.h"
#include "core/plan/sweep/sweep.h"
#include "core/plan/sweep/sweep_identity.h"
#include "core/report/charts/charts.h"
#include "core/report/document/document_html.h"
#include "core/report/document/document_markdown.h"
#include "core/report/json/comparison_json.h"
#include "core/report/json/sensitivity_json.h"
#include "core/report/json/size_json.h"
#include "core/report/json/sweep_results.h"
#include "core/report/review/review_document.h"
#include "core/report/text/comparison_text.h"
#include "core/report/text/result_text.h"
#include "core/report/text/sensitivity_text.h"
#include "core/report/text/size_text.h"
#include "core/report/words/option_draws_text.h"
#include "python/module/commands.h"
#include "python/module/options.h"
#include "python/module/problems.h"
#include "python/module/timed.h"

namespace stallcast::python {
namespace py = pybind11;

namespace {

// All scenarios, resolved; with an error in any, everything that is wrong with all of them.
std::vector<ResolvedScenario> prepare_several(const std::vector<ScenarioFile>& files, const Settings& settings,
                                              const Catalogue& catalogue, const std::string& command,
                                              Findings& warnings) {
  std::vector<ResolvedScenario> out;
  Findings errors;
  for (const ScenarioFile& file : files) {
    try {
      PreparedJob one = prepare_training(file, settings, catalogue, command);
      warnings.append(one.warnings);
      out.push_back(std::move(one.resolved));
    } catch (const InputProblem& problem) {
      errors.append(problem.findings());
    }
  }
  if (!errors.empty()) throw InputProblem(std::move(errors));
  return out;
}

Answer compare_command(const py::list& jobs, const CatalogueHandle& handle, const py::dict& options,
                       const py::object& progress) {
  const std::vector<ScenarioFile> files = files_of(jobs);
  const Settings settings = settings_of(options);
  const AssumedInputs inputs = inputs_of(options);
  CompareOptions asked;
  asked.pairs = option<std::int64_t>(options, "pairs", kPairs);
  asked.run.replications = option<std::int64_t>(options, "replications", 0);
  return answered(progress, [&, catalogue = handle.shared](Watch& watch) {
    Answer out;
    auto scenarios = prepare_several(files, settings, *catalogue, "compare", out.warnings);
    CompareOptions compared = asked;
    compared.run.stop = watch.stop();
    compared.counted = watch.counter("runs");
    const auto held = std::make_shared<ComparisonAnswer>(answer_compare(std::move(scenarios), compared, inputs));
    out.json = [held] { return json_text(comparison_answer_document(*held)); };
    out.csv = [held] { return comparison_csv(held->comparison); };
    out.text = [held] {
      return render_text(held->comparison, kPlain, compared_draws_text(held->draws, held->labels, held->by));
    };
    out.charts = [held] {
      std::vector<NamedResult> results;
      for (const Compared& one : held->comparison.scenarios) {
        const std::string& name = one.resolved.scenario.name;
        results.push_back(
            {one.label + (name.empty() ? "" : " " + name), one.label, &one.evaluation.result, &one.evaluation.cost});
      }
      return std::vector<Chart>{lost_time_chart(results)};
    };
    return out;
  });
}

// Warnings of a question that was read come to those there are; an error is thrown with all of them.
template <class T>
T read_or_throw(Loaded<T> loaded, const Findings& earlier, Findings& warnings) {
  loaded.findings.append(earlier);
  return value_or_throw(std::move(loaded), warnings);
}

SizeTexts size_texts(const py::dict& options) {
  SizeTexts texts;
  texts.targets = targets_of(options);
  texts.quotas = option<Texts>(options, "quotas", {});
  texts.confidence = option<std::string>(options, "confidence", "");
  texts.max_memory = option<std::string>(options, "max_memory", "");
  texts.tolerance = option<std::string>(options, "tolerance", "");
  texts.objective = option<std::string>(options, "objective", "auto");
  texts.front = option<std::string>(options, "front", "limited");
  texts.top = option<std::int64_t>(options, "top", 1);
  texts.exhaustive = option<bool>(options, "exhaustive", false);
  texts.any_number = true;  // whoever waits sees how far it is, and stops it
  return texts;
}

std::function<void(const SearchState&)> search_watch(Watch& watch) {
  return [&watch](const SearchState& state) {
    Told told{state.of_front ? "trade-offs" : "configurations", state.decided, state.points};
    if (state.best != nullptr) told.gpu_utilization = state.best->figures.at(Figure::kUtilization);
    watch.tell(std::move(told));
  };
}

Answer size_command(const Job& job, const CatalogueHandle& handle, const py::dict& options,
                    const py::object& progress) {
  struct Held {
    ScenarioFile file;
    std::shared_ptr<const Catalogue> catalogue;
    SizeAnswer answer;
  };
  const Settings settings = settings_of(options);
  const AssumedInputs inputs = inputs_of(options);
  const SizeTexts texts = size_texts(options);
  const auto vary = option<Texts>(options, "vary", {});
  const auto time_limit = option<std::string>(options, "time_limit", "");
  return answered(progress, [&, given = job.file, catalogue = handle.shared](Watch& watch) {
    Answer out;
    Findings findings;
    SizeRequest request = read_size_request(texts, findings);
    std::optional<double> limit_s;
    if (!time_limit.empty())
      limit_s = quantity_option("--time-limit", Dimension::kTime, time_limit,
                                {kShortestLimit, kLongestLimit, kLimitText}, findings);
    const auto held = std::make_shared<Held>();
    held->catalogue = catalogue;
    held->file = with_settings(given, settings, *catalogue, out.warnings);
    const ScenarioFile& file = held->file;
    Texts said = vary;
    if (said.empty() && file.scenario.plan.vary.empty()) said = usual_variables(file, *catalogue);
    const auto variables = read_or_throw(read_variables(said, file), findings, out.warnings);
    const Space space = read_or_throw(make_space(file, variables, {}, *catalogue), findings, out.warnings);
    add_planned_targets(file.scenario.plan, request);
    findings.append(check_request(file, space, *catalogue, request));
    if (findings.has_errors()) throw InputProblem(std::move(findings));
    const TimedStop stop(watch.stop(), limit_s);
    RunOptions run;
    run.stop = stop.token();
    held->answer = answer_size(file, space, *catalogue, request, run, inputs, search_watch(watch));
    out.json = [held] { return json_text(size_answer_document(held->file, *held->catalogue, held->answer)); };
    out.csv = [held] { return size_csv(held->answer.result); };
    out.text = [held] {
      const SizeResult& result = held->answer.result;
      return render_text(result, held->file.scenario.name, kPlain,
                         chosen_draws_text(held->answer.draws, result.targets, result.objective)) +
             render_text(held->catalogue->identity);
    };
    out.charts = [held] {
      const SizeResult& result = held->answer.result;
      std::vector<Chart> charts;
      const Figure money = result.objective == Figure::kTotal ? Figure::kTotal : Figure::kGpuHour;
      if (!result.front.points.empty()) charts.push_back(pareto_chart(result, Figure::kUtilization, money));
      return charts;
    };
    return out;
  });
}

SweepTexts sweep_texts(const py::dict& options) {
  return {option<Texts>(options, "vary", {}), option<std::string>(options, "design", "full"),
          option<std::int64_t>(options, "points", 0), option<std::uint64_t>(options, "design_seed", 1)};
}

// Results are files in `directory`, as the command line writes them.
Answer sweep_command(const Job& job, const CatalogueHandle& handle, const py::dict& options,
                     const py::object& progress) {
  const Settings settings = settings_of(options);
  const SweepTexts texts = sweep_texts(options);
  const auto directory = option<std::string>(options, "directory", "");
  const auto threads = option<unsigned>(options, "threads", 0);
  return answered(progress, [&, given = job.file, catalogue = handle.shared](Watch& watch) {
    Answer out;
    const ScenarioFile file = with_settings(given, settings, *catalogue, out.warnings);
    if (file.scenario.job == JobKind::kServing || !file.scenario.run.concurrent_jobs.empty())
      throw InputProblem({Severity::kError, "one_training_job", "sweep", "", "a scenario that is another",
                          "one training job", "leave out run.concurrent_jobs, and job \"serving\"", ""});
    const SweepQuestion question = value_or_throw(read_sweep_question(texts, file, *catalogue), out.warnings);
    const PointsHeader header{
        to_json(sweep_identity(file, question.variables, question.design, question.space, *catalogue)),
        Shard{},
        {"stallcast", "sweep", file.file}};
    const Findings problems = directory_problems(directory, header);
    if (problems.has_errors()) throw InputProblem(problems);
    PointRunner runner(file, question.space, *catalogue, watch.stop());
    SweepOptions sweep;
    sweep.threads = threads;
    sweep.stop = watch.stop();
    sweep.progress = [&watch](const SweepProgress& now) { watch.tell({"points", now.finished, now.points}); };
    std::filesystem::path path;
    {
      const auto points = value_or_throw(PointsFile::open(directory, header), out.warnings);
      path = points->path();
      const SweepProgress end = run_sweep(runner, header.shard, question.space.size(), *points, sweep);
      if (end.finished != end.points) return out;  // stopped; the same call again goes on from here
    }
    write_sweep_results(value_or_throw(join_points({path}), out.warnings), directory);
    return out;
  });
}

Answer sensitivity_command(const py::list& jobs, const CatalogueHandle& handle, const py::dict& options,
                           const py::object& progress) {
  const std::vector<ScenarioFile> files = files_of(jobs);
  const Settings settings = settings_of(options);
  const SensitivityTexts texts{option<Texts>(options, "figures", {}), option<Texts>(options, "inputs", {}),
                               option<std::string>(options, "by", ""), option<std::string>(options, "until", "")};
  const auto samples = option<std::int64_t>(options, "samples", 0);
  const auto furthest = option<double>(options, "within", 10.0);
  return answered(progress, [&, catalogue = handle.shared](Watch& watch) {
    Answer out;
    auto scenarios = prepare_several(files, settings, *catalogue, "sensitivity", out.warnings);
    SensitivityQuestion question = value_or_throw(read_sensitivity_question(texts, scenarios), out.warnings);
    SensitivityOptions study;
    study.run.stop = watch.stop();
    study.figures = question.figures;
    study.samples = samples;
    study.counted = watch.counter("runs with other inputs");
    question.break_even.run.stop = watch.stop();
    question.break_even.furthest = furthest;
    question.break_even.counted = watch.counter("inputs turned up and down");
    const auto held = std::make_shared<SensitivityStudy>(
        study_sensitivity(std::move(scenarios), question.inputs, study, question.break_even));
    out.json = [held] { return json_text(sensitivity_document(*held)); };
    out.csv = [held] { return sensitivity_csv(*held); };
    out.text = [held] { return render_text(*held, kPlain); };
    out.charts = [held] {
      std::vector<Chart> charts;
      for (const std::optional<Sensitivity>& one : held->inputs)
        for (std::size_t figure = 0; one && figure < held->figures.size(); ++figure)
          charts.push_back(tornado_chart(*one, figure, held->figures));
      return charts;
    };
    return out;
  });
}

Answer report_command(const py::list& jobs, const CatalogueHandle& handle, const py::dict& options,
                      const py::object& progress) {
  ReviewRequest request;
  for (const ScenarioFile& file : files_of(jobs)) request.files.push_back(file);
  const Settings settings = settings_of(options);
  const auto vary = option<Texts>(options, "vary", {});
  const TargetTexts targets = targets_of(options);
  ReportWords words{{},
                    settings,
                    handle.shared->identity.overlays,
                    vary,
                    targets,
                    option<std::string>(options, "format", ""),
                    option<std::string>(options, "output", "")};
  for (const ScenarioFile& file : request.files) words.paths.push_back(file.file);
  return answered(progress, [&, catalogue = handle.shared](Watch& watch) {
    Answer out;
    Findings findings;
    read_targets(targets, request.sizing, findings);
    if (!vary.empty() && request.files.size() > 1)
      findings.add({Severity::kError, "one_scenario", "--vary", "", std::to_string(request.files.size()) + " scenarios",
                    "one scenario", "leave it out: with several scenarios these are the options", ""});
    if (findings.has_errors()) throw InputProblem(std::move(findings));
    for (ScenarioFile& file : request.files) file = with_settings(file, settings, *catalogue, out.warnings);
    if (!vary.empty()) request.variables = value_or_throw(read_variables(vary, request.files.front()), out.warnings);
    request.accuracy = value_or_throw(load_accuracy(catalogue->identity.directory), out.warnings);
    request.command = report_command_line(words);
    request.run.stop = watch.stop();
    request.counted = [&watch](const char* what, std::int64_t done, std::int64_t wanted) {
      watch.tell({what, done, wanted});
    };
    const auto held = std::make_shared<Document>();
    *held = review_document(value_or_throw(review(request, *catalogue), out.warnings));
    out.json = [held] { return json_text(held->data); };
    out.text = [held] { return document_markdown(*held, "report").text; };
    out.special = [held](const std::string& name) { return name == "html" ? document_html(*held) : std::string(); };
    return out;
  });
}

}  // namespace

void bind_plan_commands(py::module_& module) {
  module.attr("size_objectives") = py::cast(size_objectives());
  module.attr("front_scopes") = py::cast(front_scopes());
  module.attr("sweep_designs") = py::cast(sweep_designs());
  module.def("compare", &compare_command);
  module.def("size", &size_command);
  module.def("sweep", &sweep_command);
  module.def("sensitivity", &sensitivity_command);
  module.def("report", &report_command);
}

}  // namespace stallcast::python
