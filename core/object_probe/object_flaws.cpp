#include "core/object_probe/object_flaws.h"

#include <fmt/format.h>

#include <algorithm>

namespace stallcast {
namespace {

using Weight = ProbeFlaw::Weight;

// Some of the requests make a flaw that widens, many one that refuses, and so do few that ended the probe.
void add_share(std::vector<ProbeFlaw>& flaws, const std::string& code, double part, const ObjectTally& tally,
               const std::string& text) {
  constexpr double kSome = 0.01, kMost = 0.2;
  const double all = tally.requests + tally.errors;
  if (part <= 0.0 || part < kSome * all) return;
  const bool refuse = part > kMost * all || tally.gave_up;
  flaws.push_back({code, refuse ? Weight::kRefuse : Weight::kWiden, refuse ? 1.0 : 1.5, text});
}

}  // namespace

void ObjectTally::add(const MeasuredPoint& measured) {
  const ReadPoint& point = measured.point;
  requests += point.requests;
  errors += point.errors;
  throttled += point.throttled;
  connections += measured.tally.connections;
  set_up_s += measured.tally.set_up_s;
  range_ignored += measured.tally.range_ignored;
  if (point.bytes_per_s() <= best_bytes_per_s) return;
  best_bytes_per_s = point.bytes_per_s();
  best_cpu_fraction = measured.tally.own_cpu_fraction;
  best_in_flight = point.in_flight;
  best_under_way = measured.tally.under_way;
}

std::vector<ProbeFlaw> object_flaws(const ObjectTally& tally) {
  std::vector<ProbeFlaw> flaws;
  const double asked = tally.requests + tally.errors;
  const double broken = tally.errors - tally.throttled;
  add_share(flaws, "errors", broken, tally,
            fmt::format("{:.0f} of {:.0f} requests failed and were tried again.", broken, asked));
  add_share(
      flaws, "throttled", tally.throttled, tally,
      fmt::format("{:.0f} of {:.0f} requests were refused for their rate (503 or 429): the points beyond show the "
                  "limit of this account or bucket.",
                  tally.throttled, asked));
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
    flaws.push_back(
        {"client_cpu", Weight::kWiden, 1.5,
         fmt::format("At the highest rate, {:.3g} bytes/s, the probe's own thread used {:.0f} % of a core, and "
                     "of {:.0f} requests in flight {:.1f} were under way: the store may give more.",
                     tally.best_bytes_per_s, 100.0 * tally.best_cpu_fraction, tally.best_in_flight,
                     tally.best_under_way)});
  if (tally.cached)
    flaws.push_back({"cache", Weight::kWiden, 1.5, "A cache on the way answered (X-Cache: HIT), at least once."});
  return flaws;
}

}  // namespace stallcast
