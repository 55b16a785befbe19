// What holds of every result by itself, whatever the job: sums that must come out, bounds that nothing exceeds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/cost/cost_breakdown.h"
#include "core/result/bound.h"
#include "core/result/run_result.h"
#include "core/scenario/resolve/resolved_scenario.h"

namespace stallcast::hunt {

// What the checks look at.
struct Checked {
  const ResolvedScenario& scenario;
  const RunResult& result;
  const CostBreakdown& cost;
  const Bound& bound;
};

// What is wrong, and by how much: a relative difference, or one of fractions.
struct Broken {
  std::string what;
  double by = 0.0;
};

// A check says what is wrong, or nothing.
struct Identity {
  const char* name;  // stable, in snake_case: findings are told apart by it
  std::optional<Broken> (*check)(const Checked&);
};

// All of them. To add one: a function in identities.cpp, and a row in its list.
const std::vector<Identity>& identities();

struct BrokenIdentity {
  std::string name;
  Broken broken;
};

// Those that do not hold, in the order of the list.
std::vector<BrokenIdentity> broken_identities(const ResolvedScenario& scenario, const RunResult& result);

}  // namespace stallcast::hunt
