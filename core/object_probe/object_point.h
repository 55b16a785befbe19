// One operating point of a store: so many GETs of one size in flight, each replaced when it is complete.
#pragma once

#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "core/object_probe/http/http_pool.h"
#include "core/object_probe/object_source.h"
#include "core/probe/disk/read_point.h"
#include "core/probe/result/point_record.h"

namespace stallcast {

// What to do for a point.
struct ObjectVisit {
  AccessPattern pattern = AccessPattern::kRandom;  // kRandom: ranges at random positions; kWholeFile: whole objects
  double request_bytes = 0.0;                      // of ranges; of whole objects the most
  int in_flight = 1;
  double seconds = 0.0, bytes = 0.0;  // to take at the most
};

// What a point cannot say about itself.
struct ObjectVisitTally {
  double connections = 0.0;       // opened while measured
  double set_up_s = 0.0;          // sum over these
  double range_ignored = 0.0;     // answers that were the whole object
  double own_cpu_fraction = 0.0;  // of one core, by the thread that reads
  double under_way = 0.0;         // requests at the store or being connected, on average, of those in flight
  std::string ended;              // why the point ended early, "" = it did not
};

struct MeasuredVisit {
  MeasuredSpan span;                     // requests 0 = nothing was complete
  double errors = 0.0, throttled = 0.0;  // as of ReadPoint
  ObjectVisitTally tally;
};

// Visits points over connections of `pool`, which stay open for the next one.
//
//   fill:    requests are started until `in_flight` are under way
//   ramp-up: until as many have completed; not measured, since connections are set up meanwhile
//   measure: each completed request is replaced, until the time or the bytes of the visit are used; a ramp-up within
//            that time does not count. What is measured ends with a whole round: a multiple of `in_flight` requests
//   drain:   what is under way completes; not measured
//
// What was measured counts whole where it is without ramp-up and drain less than 4 requests.
//
// **Model** bytes are counted as they arrive between the first and the last moment measured, so that a long request
// counts with the part of it that lies between; requests are those completed there. Latency runs from the moment a
// request is sent, so the set-up of a connection is not in it (it is in the rate, and in the tally).
// A refused or broken request is counted and tried again after a pause that doubles; more refusals than answers, or a
// long row of failures, end the visit.
class ObjectPointReader {
 public:
  // `objects` are in order of size. Without `ranges`, parts are read from the beginning and cut off.
  ObjectPointReader(HttpPool& pool, const std::vector<ReadableObject>& objects, bool ranges, ObjectBudget& budget,
                    std::uint64_t seed);

  // The point that `visit` is at, not measured yet; of whole objects, request_bytes is the mean of those read.
  ReadPoint point_of(const ObjectVisit& visit) const;
  // `tick` is called several times a second. **Range** some object is as long as the visit asks for.
  MeasuredVisit measure(const ObjectVisit& visit, const std::function<void()>& tick);

 private:
  std::span<const ReadableObject> readable(const ObjectVisit& visit) const;
  HttpRequest next_request(const ObjectVisit& visit);

  HttpPool& pool_;
  const std::vector<ReadableObject>& objects_;
  bool ranges_;
  ObjectBudget& budget_;
  std::mt19937_64 random_;
};

}  // namespace stallcast
