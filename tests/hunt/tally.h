// What a hunt has seen so far, figure by figure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/hunt/compare.h"

namespace stallcast::hunt {

// How far one figure was from what it should be, over all jobs.
struct FigureTally {
  std::int64_t jobs = 0;
  std::int64_t near = 0;    // within 1 % or 0.5 points
  std::int64_t within = 0;  // within 3 % or 1.5 points
  Difference worst;
  std::uint64_t worst_seed = 0;

  double near_share() const { return jobs == 0 ? 1.0 : static_cast<double>(near) / static_cast<double>(jobs); }
};

class Tally {
 public:
  void add(std::uint64_t seed, const std::vector<Difference>& differences);

  std::int64_t jobs() const { return jobs_; }
  std::int64_t jobs_near() const { return jobs_near_; }      // every figure within 1 % or 0.5 points
  std::int64_t jobs_within() const { return jobs_within_; }  // every figure within 3 % or 1.5 points
  const std::map<std::string, FigureTally>& figures() const { return figures_; }

  // A table: one line per figure, the worst first.
  std::string text() const;

 private:
  std::int64_t jobs_ = 0, jobs_near_ = 0, jobs_within_ = 0;
  std::map<std::string, FigureTally> figures_;
};

}  // namespace stallcast::hunt
