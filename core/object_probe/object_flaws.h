// What is wrong with a probe of objects that only its own counters show.
#pragma once

#include <vector>

#include "core/object_probe/object_point.h"
#include "core/probe/result/probe_result.h"

namespace stallcast {

// Sums over the visits of a probe.
struct ObjectTally {
  double requests = 0.0;                                   // completed and measured
  double errors = 0.0;                                     // those refused for their rate included
  double connections = 0.0;                                // that measured requests had to open
  double set_up_s = 0.0;                                   // sum over these
  double range_ignored = 0.0;                              // answers that were the whole object
  double best_bytes_per_s = 0.0, best_cpu_fraction = 0.0;  // of the fastest visit
  double best_in_flight = 0.0, best_under_way = 0.0;       // likewise
  bool ranges = true, cached = false;
  bool gave_up = false;  // the store no longer answered, and operating points are missing

  void add(const MeasuredVisit& measured, int in_flight);
};

// Flaws "range_ignored", "connections", "client_cpu", "cache", and "gave_up", which refuses.
// **Model** the thresholds and factors are assumptions. Errors and refusals are for grade (core/probe/result/grade.h),
// which sees them in the points.
std::vector<ProbeFlaw> object_flaws(const ObjectTally& tally);

}  // namespace stallcast
