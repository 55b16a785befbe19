// What is wrong with a probe of objects that only its own counters show.
#pragma once

#include <string>
#include <vector>

#include "core/object_probe/object_point.h"
#include "core/probe/probe_result.h"

namespace stallcast {

// Sums over the points of a probe.
struct ObjectTally {
  double requests = 0.0;  // completed and measured
  double errors = 0.0;    // throttled ones included
  double throttled = 0.0;
  double connections = 0.0;                                // that measured requests had to open
  double set_up_s = 0.0;                                   // sum over these
  double range_ignored = 0.0;                              // answers that were the whole object
  double best_bytes_per_s = 0.0, best_cpu_fraction = 0.0;  // of the fastest point
  double best_in_flight = 0.0, best_under_way = 0.0;       // likewise
  bool ranges = true, cached = false;
  bool gave_up = false;  // the store no longer answered, and operating points are missing

  void add(const MeasuredPoint& measured);
};

// Flaws "errors", "throttled", "range_ignored", "connections", "client_cpu", "cache".
// **Model** the thresholds and factors are assumptions: 1 % of requests gone wrong moves a rate by about as much, and
// then a little more than noise is unknown; beyond a fifth the points show the refusals and not the storage.
std::vector<ProbeFlaw> object_flaws(const ObjectTally& tally);

}  // namespace stallcast
