// How much the latency of single requests varies, from the quantiles of their times.
//
// **Model** a request that is alone takes c + L, where c (device and bytes) is constant and L lognormal: ln(q_p - c) is
// linear in the normal quantile of p, and its slope is sigma. Quantiles from 10 % to 99 % count: beyond, few requests
// speak. Each point gives one slope; their mean is sigma, and their spread its interval. One point alone: the line's
// own residuals, and no less than the requests that it was measured from allow.
// **Checked by** LatencySpread tests, StorageFit.IntervalsCoverTheTruth.
#pragma once

#include <vector>

#include "core/calibrate/fit/storage_law.h"

namespace stallcast {

struct LatencySpread {
  double sigma = 0.0;
  double standard_error = 0.0;
  double degrees_of_freedom = 0.0;
  bool known = false;
};

// From those of `points` with one request in flight and quantiles, the first byte's where they are seen apart. Points
// whose constant part is more than a quarter of the median count only when there is no other.
LatencySpread latency_spread(const std::vector<ReadPoint>& points, const StorageLaw& law);

}  // namespace stallcast
