#include "core/object_probe/object_flaws.h"

#include <fmt/format.h>

#include "core/units/size_text.h"

namespace stallcast {
namespace {

using Weight = ProbeFlaw::Weight;

}  // namespace

void ObjectTally::add(const MeasuredVisit& measured, int in_flight) {
  requests += measured.span.requests;
  errors += measured.errors;
  connections += measured.tally.connections;
  set_up_s += measured.tally.set_up_s;
  range_ignored += measured.tally.range_ignored;
  if (measured.span.bytes_per_s() <= best_bytes_per_s) return;
  best_bytes_per_s = measured.span.bytes_per_s();
  best_cpu_fraction = measured.tally.own_cpu_fraction;
  best_in_flight = in_flight;
  best_under_way = measured.tally.under_way;
}

std::vector<ProbeFlaw> object_flaws(const ObjectTally& tally) {
  std::vector<ProbeFlaw> flaws;
  if (tally.gave_up)
    flaws.push_back({"gave_up", Weight::kRefuse, 1.0,
                     "The store no longer answered, and the probe ended before its other operating points."});
  if (!tally.ranges || tally.range_ignored > 0)
    flaws.push_back(
        {"range_ignored", Weight::kWiden, 1.5,
         "The server ignores Range: parts are beginnings of objects, each cut off by closing its connection."});
  constexpr double kFewConnections = 0.1;
  if (tally.requests > 0 && tally.connections > kFewConnections * tally.requests)
    flaws.push_back(
        {"connections", Weight::kWiden, 1.2,
         fmt::format("{:.0f} of {:.0f} requests opened a connection of their own, {:.3g} s each on average: "
                     "rates include that, latencies do not.",
                     tally.connections, tally.requests, tally.set_up_s / tally.connections)});
  // Little's law: with all in flight under way, rate times latency is their number.
  constexpr double kBusy = 0.85, kUnderWay = 0.7;
  const bool held_up = tally.errors == 0 && tally.best_under_way < kUnderWay * tally.best_in_flight;
  if (tally.best_cpu_fraction > kBusy || held_up)
    flaws.push_back({"client_cpu", Weight::kWiden, 1.5,
                     fmt::format("At the highest rate, {}/s, the probe's own thread used {:.0f} % of a core, and "
                                 "of {:.0f} requests in flight {:.1f} were under way: the store may give more.",
                                 size_text(tally.best_bytes_per_s), 100.0 * tally.best_cpu_fraction,
                                 tally.best_in_flight, tally.best_under_way)});
  if (tally.cached)
    flaws.push_back({"cache", Weight::kWiden, 1.5, "A cache on the way answered (X-Cache: HIT), at least once."});
  return flaws;
}

}  // namespace stallcast
