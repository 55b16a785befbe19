// Every shipped scenario is a test: its result at a coarse precision against tests/golden/NAME.json (see README.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/cost/price_run.h"
#include "core/model/resource_graph.h"
#include "core/result/json/run_result_json.h"
#include "core/run/shared_jobs.h"
#include "core/run/simulate.h"
#include "core/run/simulate_serving.h"
#include "core/scenario/resolve/resolve.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

const fs::path kSource = STALLCAST_SOURCE_DIR;
constexpr double kTolerance = 1e-9;
constexpr double kPrecision = 0.02;
constexpr std::int64_t kMostSteps = 400;
constexpr std::int64_t kLeastSteps = 24;
constexpr std::int64_t kMostSamples = 250'000;

// The same job, short: enough for a number that a change of the model moves, not for one to plan by. Large jobs take
// fewer steps, and checkpoints come often enough for some to be among them.
void shorten(Scenario& s) {
  const std::int64_t per_step = s.workload.batch_size * s.workload.gradient_accumulation * s.ranks();
  s.run.precision = std::max(s.run.precision, kPrecision);
  s.run.max_steps = std::min(s.run.max_steps, std::clamp(kMostSamples / per_step, kLeastSteps, kMostSteps));
  s.checkpoint.interval_steps = std::min(s.checkpoint.interval_steps, s.run.max_steps / 4);
}

// "01_headline_parallelstore", "strategies/1_naive_s3", ...
std::vector<std::string> json_files(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".json")
      names.push_back(entry.path().lexically_relative(folder).replace_extension().string());
  std::sort(names.begin(), names.end());
  return names;
}

ordered_json golden_numbers(const Scenario& scenario) {
  const RunResult result = simulate(scenario);
  const ordered_json all = run_result_to_json(result);
  ordered_json out;
  for (const char* key : {"gpu_utilization", "au", "samples_per_s", "step_time_s", "time_to_first_batch_s",
                          "time_to_train_s", "bottleneck", "lost_time_fraction"})
    out[key] = all.at(key);
  out["bound"] = bound_to_json(utilization_bound(scenario));
  for (const char* key : {"read_bytes", "written_bytes", "cpu_busy_fraction", "storage_busy_fraction", "checkpoints",
                          "steps", "samples", "events", "converged"})
    out[key] = all.at(key);
  for (const char* key : {"run_timeline", "input_uncertainty"})
    if (!all.at(key).is_null()) out[key] = all.at(key);
  return out;
}

// Both objects have the same keys; numbers agree within kTolerance of the larger one, everything else is equal.
void expect_same(const ordered_json& got, const ordered_json& stored, const std::string& where) {
  if (got.is_number() && stored.is_number()) {
    const double a = got.get<double>(), b = stored.get<double>();
    EXPECT_LE(std::abs(a - b), kTolerance * std::max(std::abs(a), std::abs(b)))
        << where << ": stored " << b << ", got " << a;
    return;
  }
  if (got.is_array() && stored.is_array() && got.size() == stored.size()) {
    for (std::size_t i = 0; i < got.size(); ++i) expect_same(got[i], stored[i], where + "/" + std::to_string(i));
    return;
  }
  if (!got.is_object() || !stored.is_object()) {
    EXPECT_EQ(got, stored) << where;
    return;
  }
  for (const auto& [key, value] : got.items()) {
    if (stored.contains(key)) {
      expect_same(value, stored.at(key), where + "/" + key);
    } else {
      ADD_FAILURE() << where << "/" << key << " is new";
    }
  }
  for (const auto& [key, value] : stored.items()) EXPECT_TRUE(got.contains(key)) << where << "/" << key << " is gone";
}

ordered_json serving_numbers(const ServingResult& r) {
  return {{"first_ready_s", r.first_ready_s}, {"median_ready_s", r.median_ready_s},
          {"last_ready_s", r.last_ready_s},   {"read_bytes", r.read_bytes},
          {"requests", r.requests},           {"bound_s", r.bound_s},
          {"limit", serving_limit(r)},        {"events", r.events}};
}

ordered_json numbers_together(const std::vector<Scenario>& jobs) {
  const SharedResult result = simulate_jobs(jobs);
  ordered_json out = {{"jobs", ordered_json::array()}, {"spans", ordered_json::array()}, {"events", result.events}};
  for (const SharedJob& job : result.jobs) {
    ordered_json row = {
        {"name", job.name}, {"start_s", job.start_s}, {"alone_s", job.alone_s}, {"together_s", job.together_s}};
    if (job.serves) row["serving"] = serving_numbers(job.serving_together);
    if (!job.serves) row["gpu_utilization"] = job.together.gpu_utilization.mean;
    out["jobs"].push_back(std::move(row));
  }
  for (const SharedSpan& span : result.spans) {
    ordered_json row = {{"start_s", span.start_s}, {"end_s", span.end_s}, {"parts", ordered_json::array()}};
    for (const SharedSpan::Part& part : span.parts)
      row["parts"].push_back({{"job", part.job}, {"rate", part.rate}, {"gpu_utilization", part.gpu_utilization}});
    out["spans"].push_back(std::move(row));
  }
  return out;
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, GivesItsStoredResult) {
  const Loaded<Catalogue> catalogue = load_catalogue(kSource / "models");
  ASSERT_TRUE(catalogue.ok());
  Loaded<ScenarioFile> file = load_scenario(kSource / "scenarios" / (GetParam() + ".json"));
  ASSERT_TRUE(file.ok());
  Loaded<ResolvedScenario> resolved = resolve(*file.value, *catalogue.value);
  ASSERT_TRUE(resolved.ok());
  std::vector<Scenario> jobs = all_jobs(*resolved.value);
  for (Scenario& job : jobs) shorten(job);
  const ordered_json got = jobs.size() > 1                         ? numbers_together(jobs)
                           : jobs.front().job == JobKind::kServing ? serving_numbers(simulate_serving(jobs.front()))
                                                                   : golden_numbers(jobs.front());

  const fs::path path = kSource / "tests" / "golden" / (GetParam() + ".json");
  if (const char* refresh = std::getenv("STALLCAST_REFRESH_GOLDEN"); refresh != nullptr && *refresh == '1') {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << got.dump(2) << '\n';
    return;
  }
  std::ifstream stored(path);
  ASSERT_TRUE(stored) << path << " is missing: STALLCAST_REFRESH_GOLDEN=1 writes it";
  expect_same(got, ordered_json::parse(stored), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Golden, testing::ValuesIn(json_files(kSource / "scenarios")),
                         [](const testing::TestParamInfo<std::string>& scenario) {
                           std::string name = scenario.param;
                           std::replace(name.begin(), name.end(), '/', '_');
                           return name;
                         });

// Nothing that ships says "unknown" where its cost should be.
TEST_P(Golden, HasAPrice) {
  const Catalogue catalogue = *load_catalogue(kSource / "models").value;
  const ResolvedScenario job =
      *resolve(*load_scenario(kSource / "scenarios" / (GetParam() + ".json")).value, catalogue).value;
  EXPECT_TRUE(price_run(job, RunResult()).per_hour.total().has_value());
}

// A result without its scenario is left over from one that was renamed or taken away.
TEST(GoldenFiles, EachBelongsToAScenario) {
  for (const std::string& name : json_files(kSource / "tests" / "golden"))
    EXPECT_TRUE(fs::exists(kSource / "scenarios" / (name + ".json"))) << name;
}

}  // namespace
}  // namespace stallcast
