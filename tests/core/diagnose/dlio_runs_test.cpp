// DLIO's own runs, predicted by the documented way: tests/validation/dlio.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "core/calibrate/calibration.h"
#include "core/diagnose/outcome_fit.h"
#include "core/import/dlio.h"
#include "core/probe/result/probe_json.h"
#include "core/run/input_ranges.h"
#include "core/run/simulate.h"
#include "core/scenario/resolve/resolve.h"
#include "core/scenario/resolve/scenario_file.h"
#include "tests/core/rendered.h"
#include "tests/core/shipped_catalogue.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;
const std::string kFolder = STALLCAST_SOURCE_DIR "/tests/validation/dlio/";

struct MeasuredRun {
  std::string workload;
  std::int64_t ranks;
  double computation_time;
  std::int64_t read_threads;
  double au, spread;
};

std::vector<MeasuredRun> measured_runs() {
  std::vector<MeasuredRun> out;
  std::ifstream in(kFolder + "runs.jsonl");
  for (std::string line; std::getline(in, line);) {
    const Json row = Json::parse(line);
    std::vector<double> epochs;
    for (const Json& repeat : row["au_percent"])
      for (const Json& epoch : repeat) epochs.push_back(epoch.get<double>() / 100.0);
    double mean = 0.0, squares = 0.0;
    for (const double au : epochs) mean += au / static_cast<double>(epochs.size());
    for (const double au : epochs) squares += (au - mean) * (au - mean);
    out.push_back({row["workload"], row["ranks"], row["computation_time_s"], row["read_threads"], mean,
                   std::sqrt(squares / static_cast<double>(epochs.size() - 1))});
  }
  return out;
}

ResolvedScenario resolved(const Json& document) {
  const auto file = parse_scenario(document, "run");
  const auto out = resolve(*file.value, shipped_catalogue());
  EXPECT_TRUE(file.ok() && out.ok()) << rendered(file.findings) << rendered(out.findings);
  return *out.value;
}

// The workload file as its run had it, imported and calibrated with the probe; two cores.
Json calibrated(const MeasuredRun& run) {
  DlioOptions options;
  options.gpus_per_node = run.ranks;
  options.overrides = {fmt::format("train.computation_time={}", run.computation_time),
                       fmt::format("reader.read_threads={}", run.read_threads)};
  const auto imported = import_dlio(kFolder + run.workload + ".yaml", options, shipped_catalogue());
  EXPECT_TRUE(imported.ok()) << rendered(imported.findings);
  Json document = *imported.value;
  document["cluster"]["cores_per_node"] = 2;
  CalibrationInput input;
  input.probes.push_back({"probe.json", *load_probe(kFolder + "probe.json").value});
  const auto out = calibrate(document, resolved(document), input);
  EXPECT_TRUE(out.ok()) << rendered(out.findings);
  return out.value->document;
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// The bar: centres within 10 points in the median, and nine of ten 90 % ranges hold what was measured.
TEST(DlioRuns, ArePredictedFromTheirWorkloadAndAProbe) {
  const std::vector<MeasuredRun> runs = measured_runs();
  ASSERT_GE(runs.size(), 25U);
  std::vector<double> off;
  double held = 0.0;
  for (const MeasuredRun& run : runs) {
    const ResolvedScenario job = resolved(calibrated(run));
    Scenario given = job.scenario;
    given.run.uncertain.clear();
    const RunResult result = simulate(given);
    const InputRanges ranges = input_ranges(job, result, {});
    const auto& figures = ranges.widened.inputs.figures;
    const auto found =
        std::find_if(figures.begin(), figures.end(), [](const FigureRange& f) { return f.name == "au_mlperf"; });
    ASSERT_NE(found, figures.end());
    const Estimate& range = found->range;
    const bool holds = run.au >= range.ci95_low && run.au <= range.ci95_high;
    held += holds ? 1.0 : 0.0;
    off.push_back(std::abs(result.au_mlperf - run.au));
    fmt::print("{:7} {} ranks, {:5.3f} s, {} threads: measured {:.3f}, predicted {:.3f}, {:.3f} to {:.3f}{}\n",
               run.workload, run.ranks, run.computation_time, run.read_threads, run.au, result.au_mlperf,
               range.ci95_low, range.ci95_high, holds ? "" : "  outside");
  }
  fmt::print("median {:.1f} points, {:.0f} of {} held\n", 100.0 * median_of(off), held, runs.size());
  EXPECT_LE(median_of(off), 0.10);
  EXPECT_GE(held, 0.9 * static_cast<double>(runs.size()));
}

// The bar: within 4 points in the median where one run of the same workload calibrates.
TEST(DlioRuns, OneOfThemCalibratesTheOthers) {
  std::map<std::pair<std::string, std::int64_t>, std::vector<MeasuredRun>> by_workload;
  for (const MeasuredRun& run : measured_runs())
    if (run.read_threads > 0) by_workload[{run.workload, run.ranks}].push_back(run);
  std::vector<double> off;
  for (const auto& [workload, runs] : by_workload) {
    const auto first = std::find_if(runs.begin(), runs.end(), [](const MeasuredRun& r) { return r.read_threads == 2; });
    if (first == runs.end() || runs.size() < 2) continue;
    const ResolvedScenario seen = resolved(calibrated(*first));
    const OutcomeFit fit = fit_outcomes({{seen, {{"au_mlperf", first->au, first->spread, "", ""}}}});
    for (const MeasuredRun& run : runs) {
      if (&run == &*first) continue;
      Json document = with_fit(calibrated(run), seen, fit);
      document["run"].erase("uncertain");
      const double au = simulate(resolved(document).scenario).au_mlperf;
      off.push_back(std::abs(au - run.au));
      fmt::print("{:7} {} ranks, {:5.3f} s, {} threads: measured {:.3f}, fitted {:.3f}\n", run.workload, run.ranks,
                 run.computation_time, run.read_threads, run.au, au);
    }
  }
  ASSERT_GE(off.size(), 15U);
  fmt::print("median {:.1f} points of {}\n", 100.0 * median_of(off), off.size());
  EXPECT_LE(median_of(off), 0.04);
}

}  // namespace
}  // namespace stallcast
