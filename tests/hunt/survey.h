// A part of the endless list of jobs, tried.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "tests/hunt/tally.h"
#include "tests/hunt/trial.h"

namespace stallcast::hunt {

struct JobRange {
  std::uint64_t first_seed = 1;
  std::uint64_t jobs = 0;
};

struct Survey {
  Tally tally;  // of the default beside the whole run
  std::int64_t skipped = 0;
  std::vector<std::string> faults;  // the worst of each job that has any, by seed

  // The table, then every fault on a line of its own.
  std::string text() const;
};

// On all cores. The same for the same range, whatever machine and order.
Survey survey(const JobRange& range, const Catalogue& catalogue, const TrialLimits& limits);

}  // namespace stallcast::hunt
