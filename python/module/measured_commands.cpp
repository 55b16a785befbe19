#include <memory>
#include <nlohmann/json.hpp>

#include "core/answers/calibration_answer.h"
#include "core/answers/diagnosis.h"
#include "core/answers/json_text.h"
#include "core/diagnose/outcome.h"
#include "core/report/measured/outcome_fit_text.h"
#include "core/report/text/result_text.h"
#include "python/module/commands.h"
#include "python/module/options.h"
#include "python/module/problems.h"
#include "python/module/timed.h"

namespace stallcast::python {
namespace py = pybind11;
using Json = nlohmann::ordered_json;

namespace {

// Both commands change a scenario file, so they begin from what was given and not from a resolved one.
Json document_of(const Job& job) { return Json::parse(job.given()); }

Answer calibrate_command(const Job& job, const CatalogueHandle& handle, const py::dict& options,
                         const py::object& progress) {
  const auto probes = option<Texts>(options, "probes", {});
  const auto measured = option<Texts>(options, "measured", {});
  const Json document = document_of(job);
  return answered(progress, [&, name = job.file.file, catalogue = handle.shared](Watch& watch) {
    Answer out;
    const MeasuredFiles files{probes, measured};
    Loaded<CalibrationInput> read;
    read.value = value_or_throw(read_calibration_input(files, catalogue.get()), out.warnings);
    const ResolvedScenario before = value_or_throw(resolve_document(document, name, *catalogue), out.warnings);
    add_write_probes(files, before.scenario, read);
    const CalibrationInput input = value_or_throw(std::move(read), out.warnings);
    RunOptions run;
    run.stop = watch.stop();
    run.progress = watch.progress();
    const auto held = std::make_shared<CalibrationAnswer>(
        value_or_throw(answer_calibrate(document, name, before, input, *catalogue, run), out.warnings));
    out.json = [held] { return json_text(calibration_answer_document(*held)); };
    out.text = [held] {
      std::string text = render_text(held->calibration, held->results ? &*held->results : nullptr, kPlain);
      if (held->fit && !held->fit->explained) text += "\n" + unexplained_text();
      return text;
    };
    out.special = [held](const std::string& what) {
      return what == "scenario" ? json_text(held->calibration.document) : std::string();
    };
    return out;
  });
}

Answer diagnose_command(const Job& job, const CatalogueHandle& handle, const py::dict& options,
                        const py::object& progress) {
  struct Held {
    DiagnosisQuestion question;
    DiagnosisAnswer answer;
  };
  const Settings settings = settings_of(options);
  const auto observed = option<Texts>(options, "observed", {});
  const auto logs = option<Texts>(options, "logs", {});
  const Json document = document_of(job);
  return answered(progress, [&, name = job.file.file, catalogue = handle.shared](Watch& watch) {
    Answer out;
    const std::vector<SeenOutcome> seen = value_or_throw(read_seen({observed, logs}), out.warnings);
    const auto held = std::make_shared<Held>();
    held->question = value_or_throw(read_diagnosis(document, name, settings, seen, *catalogue), out.warnings);
    for (const WatchedRun& one : held->question.runs) {
      const std::string other = other_than_one_training_job(one.job);
      if (!other.empty())
        throw InputProblem({Severity::kError, "one_training_job", "diagnose", "", other, "one training job",
                            "simulate answers without it", ""});
    }
    const std::vector<Rule> rules = rules_of(*catalogue, out.warnings);
    RunOptions run;
    run.stop = watch.stop();
    run.progress = watch.progress();
    held->answer = value_or_throw(answer_diagnose(held->question, rules, *catalogue, run), out.warnings);
    out.json = [held] { return json_text(diagnosis_document(held->question, held->answer)); };
    out.text = [held] {
      const DiagnosisAnswer& a = held->answer;
      return render_text(a.fit, held->question.runs.front().job) + "\n" +
             render_text(a.job.scenario, a.explanation, a.advice, kPlain) + render_text(a.job.catalogue);
    };
    out.charts = [held] {
      const Explanation& explained = held->answer.explanation;
      return run_charts(held->answer.job.scenario.name, explained.result, explained.cost);
    };
    out.special = [held](const std::string& what) {
      return what == "scenario" ? json_text(held->answer.fitted) : std::string();
    };
    return out;
  });
}

// [(name, definition)] of what `diagnose` reads.
py::list outcomes() {
  py::list out;
  for (const OutcomeKind& kind : outcome_kinds())
    out.append(py::make_tuple(std::string(kind.name), std::string(kind.definition)));
  return out;
}

}  // namespace

void bind_measured_commands(py::module_& module) {
  module.def("calibrate", &calibrate_command);
  module.def("diagnose", &diagnose_command);
  module.def("outcomes", &outcomes);
}

}  // namespace stallcast::python
