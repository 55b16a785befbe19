// Which operating points of a store are visited, in which order, and with how much of what is allowed.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "core/object_probe/http/http_pool.h"
#include "core/object_probe/object_flaws.h"
#include "core/object_probe/object_point.h"
#include "core/object_probe/object_source.h"
#include "core/probe/pause_watch.h"
#include "core/probe/result/point_record.h"
#include "core/probe/result/probe_options.h"
#include "core/probe/result/probe_result.h"

namespace stallcast {

// Curves of 1, 2, 4, ... in flight, one for each size of range and one for whole objects, climbed side by side until
// two doublings in a row gain less than kWorthwhileGain each. Then every point is visited again, in another order, and
// again while there is room, so that drift and noise show (core/probe/result/grade.h).
//
// Time and bytes are shared out among the visits to come. A point is begun only when there is enough of both for a
// second visit of it and of all before it.
class ObjectSweep {
 public:
  // Times of slices count from `began_s`; notes go to `result`. All of these outlive it.
  ObjectSweep(const ObjectSource& source, ObjectBudget& budget, const ProbeOptions& options, double began_s,
              ProbeResult& result);

  void run();  // adds its points to the result
  double received() const { return pool_.received_bytes(); }
  const ObjectTally& tally() const { return tally_; }
  double lost_s() { return watch_.pauses().lost_s; }
  std::string pauses_note() { return pause_note(watch_.pauses(), dropped_); }

 private:
  struct Curve {
    AccessPattern pattern = AccessPattern::kRandom;
    double bytes = 0.0;   // of a request
    int doublings = 0;    // done
    int small_gains = 0;  // in a row
    double best_bytes_per_s = 0.0, latency_s = 0.0;
    bool ended = false;
  };
  struct Reached {
    ObjectVisit visit;
    PointRecord record;
  };

  std::vector<double> range_sizes() const;
  double whole_size() const;
  void plan_curves();
  void first_pass();
  void next_pass();
  bool has_room_for_a_pass() const;
  void step_up(Curve& curve);
  bool has_time_for(const Curve& curve) const;
  MeasuredVisit visit(ObjectVisit& visit);
  MeasuredVisit measure(ObjectVisit& visit);  // until a pause at most
  // Again when this process stood still meanwhile or its clock jumped; empty when time is up then.
  MeasuredVisit measure_undisturbed(ObjectVisit& visit);
  double least_bytes(const ObjectVisit& visit) const;
  double reserved_bytes() const;
  void share_out(ObjectVisit& visit, double visits, double bytes) const;
  bool over() const { return budget_.over() || tally_.gave_up; }
  void tick(const ObjectVisit& visit);

  const ObjectSource& source_;
  ObjectBudget& budget_;
  const ProbeOptions& options_;
  double began_s_;
  ProbeResult& result_;
  PauseWatch watch_;
  int dropped_ = 0;  // visits in which it saw a pause
  HttpPool pool_;
  ObjectPointReader reader_;
  std::mt19937_64 random_;
  ObjectTally tally_;
  std::vector<Curve> curves_;
  std::vector<Reached> reached_;  // that gave a rate
  int last_doubling_;
  double ticked_s_ = 0.0;
  int failed_in_a_row_ = 0;
};

}  // namespace stallcast
