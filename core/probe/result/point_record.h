// What the visits of one operating point add up to.
#pragma once

#include <vector>

#include "core/probe/disk/read_engine.h"
#include "core/probe/disk/read_point.h"

namespace stallcast {

// The part of a visit that counts: neither ramp-up nor drain. Empty where `requests` is 0.
struct MeasuredSpan {
  double from_s = 0.0, to_s = 0.0;  // monotonic_s
  double requests = 0.0, bytes = 0.0;
  std::vector<float> latency_s, first_byte_s;  // of each request; the latter empty where it is not seen apart
  std::vector<double> slice_bytes;             // that came in each of as many equal parts of the time

  double seconds() const { return to_s - from_s; }
  double bytes_per_s() const { return seconds() > 0.0 ? bytes / seconds() : 0.0; }
  double requests_per_s() const { return seconds() > 0.0 ? requests / seconds() : 0.0; }
};

class PointRecord {
 public:
  // `point` names the operating point; its measured members are filled in. Times count from `origin_s` (monotonic_s).
  PointRecord(ReadPoint point, double origin_s) : point_(std::move(point)), origin_s_(origin_s) {}

  // Adds what completed while all requests were in flight: from the completion of as many as are in flight to the last
  // one before requests were no longer replaced. Where that leaves fewer than 4, everything from the start of the
  // visit.
  void add(const VisitTally& tally);
  // A visit of which somebody else knows what counts.
  void add(const MeasuredSpan& span);
  // Requests that failed, and how many of these were refused for their rate.
  void add_errors(double errors, double throttled);

  ReadPoint point() const;
  double last_requests_per_s() const { return last_requests_per_s_; }  // of the last visit; 0 = it had none

 private:
  ReadPoint point_;
  double origin_s_;
  std::vector<float> latency_s_, first_byte_s_;
  double last_requests_per_s_ = 0.0;
  int visits_ = 0;
};

// Mean, extremes and quantiles of what was kept; everything 0 when that is nothing.
LatencySummary summarise(std::vector<float> latency_s);

}  // namespace stallcast
