// Ordinary jobs drawn at random: scenarios as a person would write them, over the whole catalogue and every mechanism.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "core/catalogue/catalogue.h"
#include "core/scenario/resolve/resolved_scenario.h"

namespace stallcast::hunt {

// What a job may take to be simulated whole.
struct JobLimits {
  double most_samples = 1'000'000;  // that are simulated: of up to 64 ranks, all steps; a part of a second
};

// Job `seed` of an endless list, as the JSON of a scenario file: the same one everywhere and for ever, as long as the
// catalogue and this generator stay the same.
//
// Each part of the scenario (cluster, workload, ..., failures) is thrown by dice of its own, so that a mechanism that
// is added to one does not change the others. Times that only make sense beside others (between checkpoints, between
// failures) are parts of what the run computes, which the catalogue says.
nlohmann::ordered_json random_job(std::uint64_t seed, const Catalogue& catalogue, const JobLimits& limits = {});

// The scenario of `json` as the CLI has it: read, checked and completed from the catalogue. Nothing when there are
// errors. `findings` gets what was found, when not null.
std::optional<ResolvedScenario> resolve_job(const nlohmann::ordered_json& json, const Catalogue& catalogue,
                                            Findings* findings = nullptr);

// Samples that a whole run simulates: those of the ranks that stand for all.
double simulated_samples(const Scenario& scenario);

// The mechanisms that a job has, as words: "node_cache", "staging bulk", "checkpoint async", ...
std::set<std::string> mechanisms(const Scenario& scenario);

}  // namespace stallcast::hunt
