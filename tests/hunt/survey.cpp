#include "tests/hunt/survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>

namespace stallcast::hunt {

std::string Survey::text() const {
  std::string out = tally.text();
  for (const std::string& fault : faults) out += fault + "\n";
  return out;
}

Survey survey(const JobRange& range, const Catalogue& catalogue, const TrialLimits& limits) {
  std::vector<Trial> trials(range.jobs);
  std::atomic<std::uint64_t> next = 0;
  const auto work = [&] {
    for (std::uint64_t number = next++; number < range.jobs; number = next++)
      trials[number] = try_job(random_job(range.first_seed + number, catalogue, limits.job), catalogue, limits);
  };
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < std::max(1U, std::thread::hardware_concurrency()); ++t) threads.emplace_back(work);
  threads.clear();
  Survey out;
  for (std::uint64_t number = 0; number < range.jobs; ++number) {
    const Trial& trial = trials[number];
    const std::uint64_t seed = range.first_seed + number;
    if (trial.tried) {
      out.tally.add(seed, trial.differences);
    } else {
      ++out.skipped;
    }
    if (!trial.faults.empty())
      out.faults.push_back(fmt::format("seed {}: {}", seed, text_of(trial.faults.front(), {})));
  }
  return out;
}

}  // namespace stallcast::hunt
