// Ranges hold what they say: of 90 % ranges at least nine in ten, but for luck, hold what was measured.
//
// The 149 measured runs of PyTorch's DataLoader come with components that were measured alone. Here nobody measured
// them: each is replaced by what a data sheet might have said, its value divided by a factor drawn from the interval
// that the range then assumes (0.6 to 1.5 of the value, 90 %). The range of the run must hold the measured utilization.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/engine/random_stream.h"
#include "core/run/model_error.h"
#include "core/run/simulate.h"
#include "core/run/uncertainty.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/steps/parallel.h"
#include "core/validate/measured_scenario.h"

namespace stallcast {
namespace {

constexpr double kLow = 0.6, kHigh = 1.5;
constexpr std::array kComponents = {"/storage/latency",          "/storage/read_bandwidth", "/storage/stream_bandwidth",
                                    "/dataset/decode_time",      "/workload/step_time",     "/loader/worker_batch_cpu",
                                    "/loader/consumer_batch_cpu"};

TEST(BlurredCoverage, RangesHoldNineInTenOfTheMeasuredRuns) {
  std::ifstream file(std::filesystem::path(STALLCAST_SOURCE_DIR) / "tests/validation/dataloader/measured_public.jsonl");
  std::vector<nlohmann::json> records;
  for (std::string line; std::getline(file, line);) {
    nlohmann::json record = nlohmann::json::parse(line);
    if (record.contains("outputs")) records.push_back(std::move(record));
  }
  ASSERT_EQ(records.size(), 149u);

  std::vector<int> held(records.size(), 0);
  std::vector<double> widths(records.size(), 0.0);
  parallel_for(static_cast<std::int64_t>(records.size()), 0, [&](std::int64_t r) {
    const nlohmann::json& record = records[static_cast<std::size_t>(r)];
    Scenario s = measured_scenario(record).scenario;
    const RandomStream luck(static_cast<std::uint64_t>(r) + 1, DrawPurpose::kLatency, 0);
    s.run.uncertain.clear();
    for (std::size_t i = 0; i < kComponents.size(); ++i) {
      const UncertainInput input{kComponents[i], kLow, kHigh};
      s = scaled(s, input.pointer, 1.0 / factor_at(input, luck.uniform_at(i)));
      s.run.uncertain.push_back(uncertain_input_text(input));
    }
    RunOptions options;
    options.threads = 1;
    const RunResult result = without_input_spread(simulate(s, options));
    const RunResult ranged = with_uncertain_inputs(s, with_model_error(result), options, kRangeDraws);
    const double measured = record["outputs"]["au_steady"].get<double>();
    widths[static_cast<std::size_t>(r)] = ranged.gpu_utilization.ci95_high - ranged.gpu_utilization.ci95_low;
    held[static_cast<std::size_t>(r)] =
        ranged.gpu_utilization.ci95_low <= measured && measured <= ranged.gpu_utilization.ci95_high ? 1 : 0;
  });
  double share = 0.0, width = 0.0;
  for (const int one : held) share += one;
  for (const double one : widths) width += one;
  share /= static_cast<double>(held.size());
  width /= static_cast<double>(held.size());
  std::printf("90 %% ranges hold %.1f %% of 149 measured runs; %.0f points wide in the mean\n", 100.0 * share,
              100.0 * width);
  // The outermost of 19 stratified draws of several inputs hold more than 90 %: ranges are on the wide side.
  EXPECT_GE(share, 0.85);
  EXPECT_LT(width, 0.9) << "a range of everything says nothing";
}

}  // namespace
}  // namespace stallcast
