// The inputs that nobody gave: what was taken for them, from where, and how far the truth may be from it.
#pragma once

#include <string>
#include <vector>

#include "core/scenario/fields/uncertain_input.h"
#include "core/scenario/resolve/resolved_scenario.h"

namespace stallcast {

struct AssumedValue {
  UncertainInput range;   // the field, and the 90 % interval of its true value over the value taken
  Provenance from;        // the catalogue or a default
  std::string basis;      // why the interval is as wide as that
  std::string narrow_by;  // what would tell: a command, or a thing to look up
};

// What a value that was measured on another machine is worth.
inline constexpr double kElsewhereLow = 0.75, kElsewhereHigh = 1.35;

// Times, rates and bandwidths of `resolved` that its file does not give and that are not 0, in the order of the field
// table. Sizes, counts, capacities and prices are facts of what is bought; they have no interval.
// **Model** the interval that the source states; else what a statement of that kind is worth:
//   measured elsewhere                0.75 to 1.35   the catalogue's own sources of one decode time lie in 0.74 to 1.50
//   data sheet, bandwidth or rate     0.6  to 1.1    "up to"; clients seldom reach it
//   data sheet, line rate of a card   0.6  to 1.0    S3 at 10 to 100 Gb/s reaches 0.92 to 0.5 of it (s3-benchmark),
//                                                    FUSE at 200 Gb/s 0.58 (gcsfuse), TCP 0.9 (ESnet)
//   data sheet, latency               0.2  to 1.5    other sources of four printed latencies say 0.2 and 0.25 of them
//   data sheet or benchmark, time     0.7  to 1.4    of its own software
//   assumed, bandwidth, rate or time  0.5  to 2
//   assumed, latency                  0.4  to 4      other sources of ten assumed latencies say 1.7 to 13 times
// All but the first and the latencies are judgement, not measurement.
// **Checked by** tests/core/scenario/assumed_value_test.cpp
std::vector<AssumedValue> assumed_values(const ResolvedScenario& resolved);

}  // namespace stallcast
