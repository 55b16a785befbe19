// One thread per request in flight, started together, their completions merged.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <system_error>
#include <thread>
#include <vector>

#include "core/diagnostics/finding.h"
#include "core/probe/disk/read_engine.h"

namespace stallcast {

// What one request came to.
struct RequestOutcome {
  std::uint32_t bytes = 0;
  bool ended_early = false;
  int error = 0;  // errno; 0 = none
};

// Makes `request` on `in_flight` threads until it has nothing more to do.
//
// `request(thread, now_s, outcome)` takes what it needs of the allowance, reads, and returns whether it did; a request
// lasts from `now_s` to its return.
// **Errors** WorldError when so many threads cannot be had.
template <class Request>
VisitTally run_on_threads(int in_flight, const Request& request) {
  std::vector<VisitTally> tallies(static_cast<std::size_t>(in_flight));
  std::latch ready(in_flight + 1);
  std::atomic<bool> given_up = false;
  const auto work = [&](int thread) {
    VisitTally& tally = tallies[static_cast<std::size_t>(thread)];
    tally.completions.reserve(4096);
    ready.arrive_and_wait();
    if (given_up) return;
    for (double now_s = monotonic_s();;) {
      RequestOutcome outcome;
      if (!request(thread, now_s, outcome)) {
        tally.full_until_s = now_s;
        return;
      }
      const double end_s = monotonic_s();
      tally.ended_early += outcome.ended_early ? 1 : 0;
      if (outcome.error != 0) {
        if (tally.errors++ == 0) tally.first_error = outcome.error;
      } else if (outcome.bytes > 0 || !outcome.ended_early) {
        tally.completions.push_back({end_s, static_cast<float>(end_s - now_s), outcome.bytes});
      }
      now_s = end_s;
    }
  };
  std::vector<std::jthread> threads;
  try {
    for (int thread = 0; thread < in_flight; ++thread) threads.emplace_back(work, thread);
  } catch (const std::system_error& error) {
    const int started = static_cast<int>(threads.size());
    given_up = true;
    ready.count_down(in_flight + 1 - started);  // those that run wait for the others
    throw WorldError(fmt::format("{} threads of {} could be started ({}); allow fewer requests in flight", started,
                                 in_flight, error.code().message()));
  }
  ready.arrive_and_wait();
  VisitTally all;
  all.began_s = monotonic_s();
  threads.clear();  // joins
  all.full_until_s = tallies.front().full_until_s;
  for (const VisitTally& tally : tallies) {
    all.completions.insert(all.completions.end(), tally.completions.begin(), tally.completions.end());
    all.full_until_s = std::min(all.full_until_s, tally.full_until_s);
    all.errors += tally.errors;
    all.ended_early += tally.ended_early;
    if (all.first_error == 0) all.first_error = tally.first_error;
  }
  std::sort(all.completions.begin(), all.completions.end(),
            [](const Completion& a, const Completion& b) { return a.at_s < b.at_s; });
  return all;
}

}  // namespace stallcast
