#include "core/report/json/trace_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace stallcast {
namespace {

std::string written(const Trace& trace) {
  std::ostringstream out;
  write_trace_json(trace, out);
  return out.str();
}

Trace small_trace() {
  Trace trace;
  trace.tracks = {{0, "rank 0"}, {0, "rank 0 worker 0"}, {1, "rank 1"}};
  trace.spans = {{1'500, 2'000'250, 0, TraceSpanKind::kCompute, 7}, {0, 999, 2, TraceSpanKind::kWaitData, -1}};
  trace.counters = {{4'000, 0, 3.0}};
  return trace;
}

TEST(TraceJson, AnEmptyTraceIsValidJson) {
  const auto document = nlohmann::json::parse(written(Trace{}));
  EXPECT_TRUE(document["traceEvents"].empty());
  EXPECT_EQ(document["otherData"]["truncated"], false);
}

TEST(TraceJson, SpansAreCompleteEventsInMicroseconds) {
  const std::string text = written(small_trace());
  const auto document = nlohmann::json::parse(text);
  nlohmann::json compute;
  for (const auto& event : document["traceEvents"]) {
    if (event["ph"] == "X" && event["name"] == "compute") compute = event;
  }
  EXPECT_EQ(compute["pid"], 0);
  EXPECT_EQ(compute["tid"], 0);
  EXPECT_EQ(compute["args"]["batch"], 7);
  EXPECT_NE(text.find(R"("ts":1.500,"dur":1998.750)"), std::string::npos) << text;  // 2000250 - 1500 ns
  EXPECT_NE(text.find(R"("ts":0.000,"dur":0.999)"), std::string::npos) << text;
}

TEST(TraceJson, EveryNodeIsAProcessAndEveryTrackAThread) {
  int processes = 0;
  int threads = 0;
  const auto document = nlohmann::json::parse(written(small_trace()));
  for (const auto& event : document["traceEvents"]) {
    processes += event["ph"] == "M" && event["name"] == "process_name";
    threads += event["ph"] == "M" && event["name"] == "thread_name";
  }
  EXPECT_EQ(processes, 2);
  EXPECT_EQ(threads, 3);
}

TEST(TraceJson, CountersCarryTheTrackName) {
  const auto document = nlohmann::json::parse(written(small_trace()));
  const auto& last = document["traceEvents"].back();
  EXPECT_EQ(last["ph"], "C");
  EXPECT_EQ(last["name"], "rank 0");
  EXPECT_EQ(last["args"]["value"], 3.0);
}

TEST(TraceJson, OddNamesAreEscapedAndLongTimesStayExact) {
  Trace trace;
  trace.tracks = {{-1, "a \"quoted\"\n\xff name"}};
  trace.spans = {{9'007'199'254'740'993, 9'007'199'254'740'994, 0, TraceSpanKind::kRead, -1}};  // 2^53 + 1 ns
  trace.truncated = true;
  const std::string text = written(trace);
  EXPECT_TRUE(nlohmann::json::accept(text)) << text;
  EXPECT_NE(text.find(R"("ts":9007199254740.993,"dur":0.001)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("truncated":true)"), std::string::npos);
}

}  // namespace
}  // namespace stallcast
