#include "core/scenario/resolve/scenario_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "core/diagnostics/json_input.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/field_value.h"
#include "tests/core/rendered.h"

namespace stallcast {
namespace {

Loaded<ScenarioFile> read(const std::string& text) {
  const auto json = parse_json_text(text, "a.json");
  EXPECT_TRUE(json.ok()) << rendered(json.findings);
  return parse_scenario(json.value.value_or(nlohmann::ordered_json::object()), "a.json");
}

// Random values over the whole allowed range of every field.
class RandomScenario {
 public:
  explicit RandomScenario(std::uint64_t seed) : random_(seed) {}

  Scenario make() {
    Scenario scenario;
    for (const Field& field : field_table()) field.set(scenario, value(field));
    return scenario;
  }

 private:
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  int pick(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }

  double measure(const Field& field) {
    const double top = std::log10(field.range.max);
    double size = std::min(field.range.max, std::pow(10.0, uniform(top - 15, top)));
    if (pick(3) == 0) size = std::floor(size);
    const double low = std::max(0.0, field.range.min);
    if (size < low || (field.range.min_excluded && size == low)) return field.range.max;
    return field.range.min < 0.0 && pick(2) == 0 ? -size : size;
  }

  Distribution distribution(const Field& field) {
    Distribution d;
    d.kind = static_cast<DistributionKind>(pick(8));
    const double a = measure(field);
    const double b = measure(field);
    switch (d.kind) {
      case DistributionKind::kConstant:
      case DistributionKind::kExponential:
        d.mean = a;
        break;
      case DistributionKind::kUniform:
        d.low = std::min(a, b), d.high = std::max(a, b);
        break;
      case DistributionKind::kNormal:
        d.mean = a, d.sd = b;
        break;
      case DistributionKind::kLognormal:
        d.mean = a, d.sigma = uniform(0, 3);
        break;
      case DistributionKind::kGamma:
        d.mean = a, d.shape = uniform(0.01, 100);
        break;
      case DistributionKind::kBimodal:
        d.fast = a, d.slow = b, d.slow_probability = uniform(0, 1);
        break;
      case DistributionKind::kEmpirical:
        for (int i = pick(9); i >= 0; --i) d.quantiles.push_back(measure(field));
        std::sort(d.quantiles.begin(), d.quantiles.end());
    }
    return d;
  }

  FieldValue value(const Field& field) {
    switch (field.kind) {
      case FieldKind::kText:
        return std::string("a \"b\" \u00b5 ") + std::to_string(pick(1000));
      case FieldKind::kBoolean:
        return pick(2) == 0;
      case FieldKind::kEnum:
        return std::int64_t{pick(static_cast<int>(field.words.size()))};
      case FieldKind::kInteger:
        return std::uniform_int_distribution<std::int64_t>(static_cast<std::int64_t>(field.range.min),
                                                           static_cast<std::int64_t>(field.range.max))(random_);
      case FieldKind::kNumber:
      case FieldKind::kQuantity:
        return measure(field);
      case FieldKind::kDistribution:
        return distribution(field);
      case FieldKind::kCurve: {
        std::set<double> gaps;
        for (int i = pick(6); i > 0; --i) gaps.insert(measure(field));
        std::vector<CurvePoint> points;
        for (const double gap : gaps) points.push_back({seconds(gap), seconds(measure(field))});
        return points;
      }
      case FieldKind::kTextList: {
        std::vector<std::string> texts;
        for (int i = pick(4); i > 0; --i) texts.push_back("a, \"b\" " + std::to_string(pick(1000)));
        return texts;
      }
      case FieldKind::kLinearCost:
        break;
    }
    return LinearCost{seconds(measure(field)), seconds(std::abs(measure(field)))};
  }

  std::mt19937_64 random_;
};

TEST(ScenarioFile, ReadsBackExactlyWhatItWrote) {
  RandomScenario random(7);
  for (int i = 0; i < 300; ++i) {
    Scenario scenario = random.make();
    scenario.format_version = kScenarioFormatVersion;  // what is read is of today's
    const auto json = scenario_to_json(scenario);
    for (const auto& again : {json, nlohmann::ordered_json::parse(json.dump(2))}) {
      const auto loaded = parse_scenario(again, "a.json");
      ASSERT_TRUE(loaded.ok()) << rendered(loaded.findings);
      for (const Field& field : field_table()) {
        ASSERT_EQ(field.get(loaded.value->scenario), field.get(scenario)) << field.pointer << " " << json.dump(2);
      }
      EXPECT_EQ(loaded.value->given.size(), field_table().size());
    }
  }
}

TEST(ScenarioFile, AnyValueCanBeSetByItsText) {
  RandomScenario random(8);
  for (int i = 0; i < 100; ++i) {
    const Scenario scenario = random.make();
    ScenarioFile file;
    Findings findings;
    for (const Field& field : field_table()) {
      apply_override(file, field.pointer + "=" + value_text(field, field.get(scenario)), findings);
      ASSERT_EQ(field.get(file.scenario), field.get(scenario)) << field.pointer << rendered(findings);
    }
    EXPECT_TRUE(findings.empty());
    EXPECT_EQ(file.overridden.size(), field_table().size());
  }
}

TEST(ScenarioFile, ReadsWhatAPersonWrites) {
  const auto loaded = read(R"({
    "$schema": "../scenario.schema.json",
    "name": "resnet",  // the classic
    "cluster": {"nodes": 8, "nic_bandwidth": "200 Gbps", "gpu_peak": "989 TFLOP/s"},
    "workload": {"step_time": {"kind": "lognormal", "p50": "100 ms", "p99": "200 ms"}, "mfu": "45 %"},
    "dataset": {"samples": 1281167, "sample_size": "110 kB", "layout": "shards",
                "decode_time": {"kind": "empirical", "quantiles": ["5 ms", "6 ms"]}},
    "loader": {"num_workers": 16, "next_ready": [["2.5 ms", "0.6 ms"], ["1 s", "2 ms"]],
               "start_call": {"base": "-1.8 ms", "per_worker": "10.7 ms"}},
    "storage": {"capacity": "100 TiB", "read_iops": "30000 IOPS", "noise": 0.1}
  })");
  ASSERT_TRUE(loaded.ok()) << rendered(loaded.findings);
  const Scenario& s = loaded.value->scenario;
  EXPECT_EQ(s.cluster.nodes, 8);
  EXPECT_EQ(s.cluster.nic_bandwidth, bytes_per_second(25e9));
  EXPECT_EQ(s.workload.mfu, 0.45);
  // sigma = ln 2 / 2.32635 = 0.297955; mean = 0.1 * exp(sigma^2 / 2) = 0.104539
  EXPECT_NEAR(s.workload.step_time.sigma, 0.297955, 1e-6);
  EXPECT_NEAR(quantile_of(s.workload.step_time, 0.5), 0.1, 1e-15);
  EXPECT_NEAR(quantile_of(s.workload.step_time, 0.99), 0.2, 1e-14);
  EXPECT_EQ(s.dataset.layout, DatasetLayout::kShards);
  EXPECT_EQ(s.dataset.decode_time.quantiles, (std::vector<double>{0.005, 0.006}));
  EXPECT_EQ(s.loader.next_ready[1], (CurvePoint{seconds(1), seconds(0.002)}));
  EXPECT_EQ(s.loader.start_call, (LinearCost{seconds(-0.0018), seconds(0.0107)}));
  EXPECT_EQ(s.storage.read_iops, per_second(30000));
  EXPECT_EQ(s.loader.prefetch_factor, 2);
  EXPECT_TRUE(loaded.value->given.contains("/loader/num_workers"));
  EXPECT_FALSE(loaded.value->given.contains("/loader/prefetch_factor"));
  EXPECT_EQ(loaded.value->given.size(), 16U);
}

TEST(ScenarioFile, ReportsEverythingAtOnceAndKeepsDefaults) {
  const auto loaded = read(
      R"({"loader": {"num_worker": 8, "num_workers": -1, "style": "mapp"}, "num_workers": 3, "zebra": 1, "run": 5})");
  EXPECT_FALSE(loaded.ok());
  EXPECT_EQ(rendered(loaded.findings),
            "a.json: error[unknown_key] at /loader/num_worker:\n"
            "  got \"num_worker\"; did you mean \"num_workers\"?\n"
            "a.json: error[out_of_range] at /loader/num_workers:\n"
            "  got -1; allowed 0 to 1024\n"
            "a.json: error[unknown_word] at /loader/style:\n"
            "  got \"mapp\"; allowed map, iterable, threads; did you mean \"map\"?\n"
            "a.json: error[unknown_key] at /num_workers:\n"
            "  got \"num_workers\"; did you mean /loader/num_workers?\n"
            "a.json: error[unknown_key] at /zebra:\n"
            "  got \"zebra\"; allowed one of 22 (stallcast explain-field)\n"
            "a.json: error[wrong_type] at /run:\n"
            "  got 5; allowed an object\n");
  EXPECT_EQ(loaded.value->scenario.loader.num_workers, 4);
}

TEST(ScenarioFile, OverridesTakeBothSpellingsAndMembers) {
  ScenarioFile file;
  Findings findings;
  for (const char* text :
       {"/loader/num_workers=8", "loader.prefetch_factor=4", "dataset.shuffle=none", "dataset.samples=1.28M",
        "workload.mfu=45 %", "storage.read_bandwidth=12.5 GB/s", "loader.pin_memory=true",
        "workload.step_time={\"kind\": \"lognormal\", \"mean\": \"100 ms\", \"sigma\": 0.2}",
        "workload.step_time.mean=200 ms", "workload.step_time.sigma=0.3", "dataset.decode_time=5 ms",
        "loader.start_call.per_worker=9 ms", "name=x=y", "description="}) {
    apply_override(file, text, findings);
  }
  EXPECT_EQ(rendered(findings), "");
  const Scenario& s = file.scenario;
  EXPECT_EQ(s.loader.num_workers, 8);
  EXPECT_EQ(s.loader.prefetch_factor, 4);
  EXPECT_EQ(s.dataset.shuffle, Shuffle::kNone);
  EXPECT_EQ(s.dataset.samples, 1280000);
  EXPECT_EQ(s.workload.mfu, 0.45);
  EXPECT_EQ(s.storage.read_bandwidth, bytes_per_second(12.5e9));
  EXPECT_TRUE(s.loader.pin_memory);
  EXPECT_EQ(s.workload.step_time, Distribution::lognormal(0.2, 0.3));
  EXPECT_EQ(s.dataset.decode_time, Distribution::constant(0.005));
  EXPECT_EQ(s.loader.start_call.per_worker, seconds(0.009));
  EXPECT_EQ(s.name, "x=y");
  EXPECT_TRUE(file.overridden.contains("/workload/step_time"));
  EXPECT_TRUE(file.given.empty());
}

// A list as in a file, or with commas.
TEST(ScenarioFile, ReadsListsOfTexts) {
  const auto loaded = read(R"({"run": {"concurrent_jobs": ["a.json", "b, c.json"]}})");
  EXPECT_EQ(loaded.value->scenario.run.concurrent_jobs, (std::vector<std::string>{"a.json", "b, c.json"}));
  ScenarioFile file;
  Findings findings;
  apply_override(file, "run.concurrent_jobs=a.json,b.json", findings);
  EXPECT_EQ(file.scenario.run.concurrent_jobs, (std::vector<std::string>{"a.json", "b.json"}));
  apply_override(file, "run.concurrent_jobs=[\"a, b.json\"]", findings);
  EXPECT_EQ(file.scenario.run.concurrent_jobs, std::vector<std::string>{"a, b.json"});
  apply_override(file, "run.concurrent_jobs=", findings);
  EXPECT_TRUE(file.scenario.run.concurrent_jobs.empty());
  EXPECT_EQ(rendered(findings), "");
  apply_override(file, "run.concurrent_jobs=a.json,,b.json", findings);
  EXPECT_EQ(rendered(findings),
            "--set: error[wrong_type] at /run/concurrent_jobs/1:\n  got \"\"; allowed a string that is not empty\n");
  EXPECT_EQ(rendered(read(R"({"run": {"concurrent_jobs": "a.json"}})").findings),
            "a.json: error[wrong_type] at /run/concurrent_jobs:\n  got \"a.json\"; allowed a list of up to 64 strings; "
            "did you "
            "mean [\"a.json\"]?\n");
}

// What format_version 1 called run.beside; what is read is of today's version, under today's name.
// Values of what varies have commas of their own.
TEST(ScenarioFile, ListsOfWhatVariesAreWrittenAsTheCommandLineWritesThem) {
  ScenarioFile file;
  Findings findings;
  const auto vary = [&](const std::string& text) {
    apply_override(file, "plan.vary=" + text, findings);
    EXPECT_TRUE(findings.empty()) << text;
    // What is shown is what may be typed.
    const Field& field = *find_field("/plan/vary");
    const std::vector<std::string> taken = file.scenario.plan.vary;
    apply_override(file, "plan.vary=" + value_text(field, field.get(file.scenario)), findings);
    EXPECT_EQ(file.scenario.plan.vary, taken);
    return taken;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(vary("loader.num_workers=4,8,16"), Texts{"loader.num_workers=4,8,16"});
  EXPECT_EQ(vary("storage.tier=a,b,storage.capacity=valid,workload.step_time.mean=1 s,2 s"),
            (Texts{"storage.tier=a,b", "storage.capacity=valid", "workload.step_time.mean=1 s,2 s"}));
  EXPECT_EQ(vary(R"(["storage.tier=a,b"])"), Texts{"storage.tier=a,b"});
  EXPECT_EQ(vary("workers,storage.tier=a"), (Texts{"workers", "storage.tier=a"}));
  // Only names of fields begin one: a file may be called so.
  apply_override(file, "run.concurrent_jobs=a=b.json,c.json", findings);
  EXPECT_EQ(file.scenario.run.concurrent_jobs, (Texts{"a=b.json", "c.json"}));
}

TEST(ScenarioFile, ReadsNamesOfEarlierVersions) {
  const auto loaded = read(R"({"format_version": 1, "run": {"beside": ["a.json"]}})");
  ASSERT_TRUE(loaded.ok()) << rendered(loaded.findings);
  EXPECT_EQ(loaded.value->given, (std::set<std::string>{"/format_version", "/run/concurrent_jobs"}));
  const auto json = scenario_to_json(loaded.value->scenario);
  EXPECT_EQ(json["format_version"], 2);
  EXPECT_EQ(json["run"]["concurrent_jobs"].dump(), R"(["a.json"])");
  EXPECT_FALSE(json["run"].contains("beside"));

  ScenarioFile file;
  Findings findings;
  apply_override(file, "run.beside=a.json", findings);
  EXPECT_EQ(rendered(findings), "");
  EXPECT_EQ(file.overridden, std::set<std::string>{"/run/concurrent_jobs"});
  EXPECT_EQ(file.scenario.run.concurrent_jobs, std::vector<std::string>{"a.json"});
}

TEST(ScenarioFile, TakesOneOfTheNamesOfAField) {
  EXPECT_EQ(rendered(read(R"({"run": {"concurrent_jobs": ["a.json"], "beside": ["b.json"]}})").findings),
            "a.json: error[given_twice] at /run/beside:\n  got [\"b.json\"]; allowed each field once; keep "
            "/run/concurrent_jobs and leave out its earlier name\n");
  EXPECT_NE(rendered(read(R"({"format_version": 3})").findings).find("allowed 1 to 2"), std::string::npos);
}

TEST(ScenarioFile, OverridesExplainTheirErrors) {
  ScenarioFile file;
  Findings findings;
  for (const char* text : {"loader.num_workers", "=3", "loader.num_worker=3", "num_workers=3", "loader=3",
                           "loader.num_workers=lots", "loader.num_workers=2.5", "storage.read_bandwidth=12.5",
                           "workload.step_time={\"kind\":", "loader.pin_memory=yes", "workload.step_time.sigma=3"}) {
    apply_override(file, text, findings);
  }
  EXPECT_EQ(
      rendered(findings),
      "--set: error[not_an_assignment]:\n  got loader.num_workers; allowed PATH=VALUE; write it like "
      "loader.num_workers=8\n"
      "--set: error[not_an_assignment]:\n  got =3; allowed PATH=VALUE; write it like loader.num_workers=8\n"
      "--set: error[unknown_key] at /loader/num_worker:\n  got \"num_worker\"; did you mean \"num_workers\"?\n"
      "--set: error[unknown_key] at /num_workers:\n  got \"num_workers\"; did you mean /loader/num_workers?\n"
      "--set: error[not_a_field] at /loader:\n  got loader=3; allowed one field of it; write it like "
      "/loader/framework=3\n"
      "--set: error[not_a_quantity] at /loader/num_workers:\n  got lots; allowed a whole number, 0 to 1024; write it "
      "like \"8\"\n"
      "--set: error[out_of_range] at /loader/num_workers:\n  got 2.5; allowed a whole number, 0 to 1024; did you mean "
      "3?\n"
      "--set: error[missing_unit] at /storage/read_bandwidth:\n"
      "  got 12.5; allowed a rate in B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s, or Mbps, Gbps (bits); "
      "did you mean \"12.5 GB/s\"? (a number here needs its unit)\n"
      "--set: error[invalid_json] at /workload/step_time/kind:\n"
      "  got unexpected end of input at line 1, column 9; allowed '[', '{', or a literal (the file ends inside 1 open "
      "bracket)\n"
      "--set: error[wrong_type] at /loader/pin_memory:\n  got \"yes\"; allowed true or false; did you mean true?\n"
      "--set: error[unknown_key] at /workload/step_time/sigma:\n  got \"sigma\"; allowed kind, mean\n");
  const Scenario defaults;
  for (const Field& field : field_table()) EXPECT_EQ(field.get(file.scenario), field.get(defaults));
}

TEST(ScenarioSchema, DescribesEveryField) {
  const auto schema = scenario_schema();
  EXPECT_EQ(schema.at("$schema"), "https://json-schema.org/draft/2020-12/schema");
  for (const Field& field : field_table()) {
    const auto& home = field.group.empty() ? schema : schema.at("properties").at(field.group);
    EXPECT_EQ(home.at("additionalProperties"), false);
    const auto& entry = home.at("properties").at(field.name());
    EXPECT_NE(entry.at("description").get<std::string>().find(field.help), std::string::npos);
    EXPECT_TRUE(entry.contains("default"));
  }
  EXPECT_EQ(
      schema.at("properties").at("loader").at("properties").at("num_workers").dump(),
      R"({"type":"integer","minimum":0,"maximum":1024,"description":"Worker processes (or threads) per rank; 0 loads inside next(). )"
      R"(Allowed: 0 to 1024.","default":4,"x-level":"essential"})");
}

}  // namespace
}  // namespace stallcast
