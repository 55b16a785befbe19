// One job tried: the same question answered along several inner paths, and what the answers have against each other.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/run/simulate.h"
#include "tests/hunt/compare.h"
#include "tests/hunt/identities.h"
#include "tests/hunt/random_job.h"

namespace stallcast::hunt {

// How a scenario is simulated.
enum class Way {
  kDefault,  // as the CLI does
  kWhole,    // run.whole_run: every step
  kExact,    // every step of every rank
  kCoarse,   // run.precision 0.02
  kFine      // run.precision 0.002
};
const char* way_name(Way way);

struct TrialLimits {
  JobLimits job;
  double most_s = 20.0;   // of one simulation; a job that takes longer is given up
  bool all_ways = false;  // the exact one and other precisions, too; they take several times as long
  bool luck = false;      // of faults also what another seed is worth
  // Nothing but jobs of many nodes that are too long to be simulated whole, beside every step of every rank.
  bool large = false;
  // Times and sizes are their means: what differs is not luck. Which samples come in which order still is.
  bool calm = false;
  double most_exact_samples = 6e7;  // of all ranks; jobs that have more are skipped
  // RunOptions::affordable_samples of all ways but the whole ones: fewer of them make parts of what would be whole.
  double affordable_samples = kAffordableSamples;
};

// An answer, or why there is none.
struct Answer {
  std::optional<RunResult> result;
  std::vector<Figure> figures;
  std::string failure;  // what was thrown, or "" : took too long
};
Answer answer(const ResolvedScenario& scenario, Way way, const TrialLimits& limits,
              std::optional<std::uint64_t> seed = {});

// What is wrong with a job.
struct Fault {
  std::string kind;  // "default/time_to_train_s", "whole: times_sum", "default: exception": faults are told apart by it
  std::string what;
  std::string figure;     // that differs, "" for others
  double severity = 0.0;  // in units of the threshold; 1 and more of identities, 100 of exceptions
};

struct Trial {
  bool tried = false;                     // false: has errors, or took too long
  std::string skipped;                    // why
  std::vector<Difference> differences;    // of the default from the whole run
  std::vector<Fault> faults;              // worst first
  std::vector<Difference> luck;           // of the whole run with another seed from that with its own, where asked for
  double default_s = 0.0, whole_s = 0.0;  // real time
};

Trial try_job(const nlohmann::ordered_json& job, const Catalogue& catalogue, const TrialLimits& limits);
Trial try_scenario(const ResolvedScenario& scenario, const TrialLimits& limits);

// The fault as one line: with what the figure differs from seed to seed, where that is known.
std::string text_of(const Fault& fault, const std::vector<Difference>& luck);

// Whether a person might ask it: epochs of 20 steps or more that compute and read something.
bool is_ordinary(const Scenario& scenario);

}  // namespace stallcast::hunt
