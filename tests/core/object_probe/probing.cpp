#include "tests/core/object_probe/probing.h"

#include <fmt/format.h>

#include "core/diagnostics/finding.h"

namespace stallcast::testing {
namespace {

std::string all_text(const ProbeResult& result) {
  std::string text = fmt::format("{}\n{}\n{}\n{}\n", result.target, result.started, result.host, result.file_system);
  for (const ReadPoint& point : result.points) text += point.engine + " " + point.from + "\n";
  for (const ProbeFlaw& flaw : result.flaws) text += flaw.code + " " + flaw.text + "\n";
  for (const std::string& note : result.notes) text += note + "\n";
  return text;
}

}  // namespace

ProbeOptions options_of(double seconds, double bytes, int max_in_flight) {
  ProbeOptions options;
  options.seconds = seconds;
  options.bytes = bytes;
  options.max_in_flight = max_in_flight;
  return options;
}

Outcome probe(const std::string& url, const ProbeOptions& options) {
  Outcome outcome;
  ProbeOptions watched = options;
  std::string seen;
  watched.progress = [&](const ProbeProgress& progress) {
    seen += progress.doing + "\n";
    if (options.progress) options.progress(progress);
  };
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  try {
    outcome.result = probe_objects(url, watched);
  } catch (const WorldError& error) {
    outcome.error = error.what();
  }
  outcome.everything = ::testing::internal::GetCapturedStdout() + ::testing::internal::GetCapturedStderr() + seen +
                       outcome.error + all_text(outcome.result);
  return outcome;
}

ReadPoint point_of(const ProbeResult& result, AccessPattern pattern, double bytes, double in_flight) {
  for (const ReadPoint& point : result.points)
    if (point.pattern == pattern && point.in_flight == in_flight && (bytes == 0.0 || point.request_bytes == bytes))
      return point;
  ADD_FAILURE() << "no point " << access_pattern_name(pattern) << " of " << bytes << " bytes, " << in_flight
                << " in flight";
  return {};
}

bool has_flaw(const ProbeResult& result, const std::string& code) {
  for (const ProbeFlaw& flaw : result.flaws)
    if (flaw.code == code) return true;
  return false;
}

bool has_note(const ProbeResult& result, const std::string& part) {
  for (const std::string& note : result.notes)
    if (note.find(part) != std::string::npos) return true;
  return false;
}

void expect_no_secret(const Outcome& outcome, const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets)
    EXPECT_EQ(outcome.everything.find(secret), std::string::npos) << secret << " is in\n" << outcome.everything;
}

}  // namespace stallcast::testing
