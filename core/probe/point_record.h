// What the visits of one operating point add up to.
#pragma once

#include <string>
#include <vector>

#include "core/probe/read_engine.h"
#include "core/probe/read_point.h"

namespace stallcast {

class PointRecord {
 public:
  // `point` names the operating point; its measured members are filled in. Times count from `origin_s` (monotonic_s).
  PointRecord(ReadPoint point, double origin_s) : point_(std::move(point)), origin_s_(origin_s) {}

  // Adds what completed while all requests were in flight: from the completion of as many as are in flight to the last
  // one before requests were no longer replaced. Where that leaves fewer than 4, everything from the start of the
  // visit.
  void add(const VisitTally& tally);

  ReadPoint point() const;
  double last_requests_per_s() const { return last_requests_per_s_; }  // of the last visit; 0 = it had none

 private:
  void add_slices(const std::vector<Completion>& completions, std::size_t first, double began_s);

  ReadPoint point_;
  double origin_s_;
  std::vector<float> latency_s_;
  double last_requests_per_s_ = 0.0;
  int visits_ = 0;
};

// Mean, extremes and quantiles of what was kept; everything 0 when that is nothing.
LatencySummary summarise(std::vector<float> latency_s);

}  // namespace stallcast
