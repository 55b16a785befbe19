#include "core/probe/result/probe_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stallcast {
namespace {

using ::testing::HasSubstr;

ProbeResult small_probe() {
  ProbeResult result;
  result.target_kind = ProbeTarget::kDirectory;
  result.target = "/data/train";
  result.started = "2026-11-21T20:13:24Z";
  result.host = "Linux 6.1.0 x86_64";
  result.file_system = "ext4";
  result.cores = 2;
  result.seconds = 12.5;
  result.bytes = 1.5e9;
  result.allowed_seconds = 30.0;
  result.allowed_bytes = 2147483648.0;
  result.files_seen = 1000.0;
  result.files_bytes = 1e8;
  result.fetched_bytes = 1.4e9;
  result.timer_s = 2e-8;
  result.interrupted = true;
  result.notes = {"first note", "second note"};
  result.flaws = {{"noisy", ProbeFlaw::Weight::kWiden, 1.5, "visits differ"},
                  {"page_cache", ProbeFlaw::Weight::kRefuse, 2.0, "cached"}};
  ReadPoint point;
  point.pattern = AccessPattern::kWholeFile;
  point.request_bytes = 100000.0;
  point.in_flight = 4.0;
  point.engine = "pread";
  point.direct = true;
  point.seconds = 0.5;
  point.requests = 500.0;
  point.bytes = 5e7;
  point.errors = 3.0;
  point.throttled = 1.0;
  point.latency = {0.004, 0.001, 0.1, {{0.5, 0.0035}, {0.99, 0.05}}};
  point.first_byte = {0.002, 0.001, 0.01, {}};
  point.relative_sd = 0.03;
  point.slice_bytes_per_s = {1e8, 0.9e8};
  point.slice_at_s = {1.0, 8.0};
  point.slice_visit = {0, 1};
  ReadPoint without_times = point;
  without_times.pattern = AccessPattern::kList;
  without_times.slice_at_s.clear();
  without_times.slice_visit.clear();
  result.points = {point, without_times};
  return result;
}

nlohmann::ordered_json document() { return probe_to_json(small_probe(), "0.1.0"); }

std::string findings_of(const nlohmann::ordered_json& json) {
  const Loaded<ProbeResult> loaded = probe_from_json(json, "probe.json");
  EXPECT_FALSE(loaded.ok());
  std::string text;
  for (const Finding& finding : loaded.findings.list()) text += render_finding(finding) + "\n";
  return text;
}

// Same text again: every member went out and came back.
TEST(ProbeJson, RoundTrip) {
  const Loaded<ProbeResult> back = probe_from_json(document(), "probe.json");
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(probe_to_json(*back.value, "0.1.0").dump(2), document().dump(2));
  const ReadPoint& point = back.value->points[0];
  EXPECT_EQ(point.pattern, AccessPattern::kWholeFile);
  EXPECT_EQ(point.in_flight, 4.0);
  EXPECT_EQ(point.latency.quantile(0.5), 0.0035);
  EXPECT_EQ(point.slice_visit, (std::vector<int>{0, 1}));
  EXPECT_EQ(point.from, "probe.json /points/0");
  EXPECT_TRUE(back.value->points[1].slice_at_s.empty());
  EXPECT_EQ(back.value->points[1].slice_bytes_per_s.size(), 2u);
  EXPECT_EQ(back.value->fetched_bytes, 1.4e9);
  EXPECT_LT(back.value->cached_share, 0.0);
  EXPECT_TRUE(back.value->refused());
  EXPECT_EQ(back.value->widen(), 3.0);
}

TEST(ProbeJson, SaysTheVerdictAndPlainNumbers) {
  const nlohmann::ordered_json json = document();
  EXPECT_EQ(json["format"], "stallcast probe");
  EXPECT_EQ(json["format_version"], 1);
  EXPECT_EQ(json["verdict"], "refused");
  EXPECT_TRUE(json["cached_fraction"].is_null());
  EXPECT_EQ(json["points"][0]["bytes_per_s"], 1e8);
  EXPECT_EQ(json["points"][0]["requests_per_s"], 1000.0);
}

TEST(ProbeJson, AnotherKindOfFile) {
  EXPECT_THAT(findings_of({{"jobs", 3}}), HasSubstr("error[not_a_probe]"));
  EXPECT_THAT(findings_of(nlohmann::ordered_json::array()), HasSubstr("error[not_a_probe]"));
  nlohmann::ordered_json newer = document();
  newer["format_version"] = 2;
  EXPECT_THAT(findings_of(newer), HasSubstr("error[unknown_version] at /format_version"));
}

TEST(ProbeJson, AllThatIsWrongAtOnce) {
  nlohmann::ordered_json json = document();
  json["took_s"] = "12 s";
  json["allowed_bytes"] = -1;
  json.erase("host");
  json["fils"] = 3;
  json["points"][0]["pattern"] = "zigzag";
  json["points"][1]["in_flight"] = 0;
  json["points"][1]["latency"]["quantiles"][0]["probability"] = 1.5;
  json["flaws"][0] = 7;
  const std::string text = findings_of(json);
  EXPECT_THAT(text, HasSubstr("error[wrong_type] at /took_s"));
  EXPECT_THAT(text, HasSubstr("error[out_of_range] at /allowed_bytes"));
  EXPECT_THAT(text, HasSubstr("error[missing_key] at /host"));
  EXPECT_THAT(text, HasSubstr("error[unknown_key] at /fils"));
  EXPECT_THAT(text, HasSubstr("did you mean \"files\"?"));
  EXPECT_THAT(text, HasSubstr("error[unknown_word] at /points/0/pattern"));
  EXPECT_THAT(text, HasSubstr("error[out_of_range] at /points/1/in_flight"));
  EXPECT_THAT(text, HasSubstr("error[out_of_range] at /points/1/latency/quantiles/0/probability"));
  EXPECT_THAT(text, HasSubstr("error[wrong_type] at /flaws/0"));
}

TEST(ProbeJson, ANameThatIsNoUtf8IsStillWritten) {
  ProbeResult result = small_probe();
  result.target = "/data/\xff\xfe";
  const std::string text = probe_to_json(result, "0.1.0").dump();
  EXPECT_THAT(text, HasSubstr("/data/"));
  EXPECT_TRUE(probe_from_json(nlohmann::ordered_json::parse(text), "p").ok());
}

}  // namespace
}  // namespace stallcast
