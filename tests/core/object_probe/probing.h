// What the tests of the probe share: running it, looking through what it says, and reading points.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/object_probe/probe_objects.h"
#include "core/units/binary_multiples.h"

namespace stallcast::testing {

// All that a probe put out: the result or the error, and what went to stdout and stderr meanwhile.
struct Outcome {
  ProbeResult result;
  std::string error;  // of a WorldError, "" = there was none
  std::string everything;
};

ProbeOptions options_of(double seconds, double bytes, int max_in_flight);
Outcome probe(const std::string& url, const ProbeOptions& options);

// The point of that pattern, size and number in flight; a failure and an empty point when there is none.
ReadPoint point_of(const ProbeResult& result, AccessPattern pattern, double bytes, double in_flight);
bool has_flaw(const ProbeResult& result, const std::string& code);
bool has_note(const ProbeResult& result, const std::string& part);
void expect_no_secret(const Outcome& outcome, const std::vector<std::string>& secrets);

}  // namespace stallcast::testing
