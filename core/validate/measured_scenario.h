// A measured run's config and inputs as a scenario, and which of its fields they state.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/catalogue/catalogue.h"
#include "core/diagnostics/finding.h"
#include "core/scenario/scenario.h"
#include "core/units/distribution.h"

namespace stallcast {

// A storage latency of a record's config as a distribution of the same mean.
Distribution recorded_latency(const nlohmann::json& spec);

// Lognormal about `mean`, or constant where `sigma` is 0.
Distribution spread_about(double mean, double sigma);

// The number under `key`, or `otherwise` where it is missing or null.
double number_or(const nlohmann::json& object, const char* key, double otherwise);

struct MeasuredScenario {
  Scenario scenario;
  std::set<std::string> stated;  // pointers of the fields that the record states; the others are defaults or assumed
};

// A whole number, however it is written. **Errors** BadRecord for any other number, or one beyond 2^53.
std::int64_t whole_number(const nlohmann::json& number);

// The scenario of a record. **Errors** nlohmann::json::exception for what a record must hold and does not, BadRecord
// for what a scenario could not say: every value is in the range of its field.
MeasuredScenario measured_scenario(const nlohmann::json& record);

// True when the record states everything that the model needs of the loader's own cost.
bool states_loader_costs(const nlohmann::json& record);

// Fills in the loader's costs that the record does not state, PyTorch's of the catalogue, with a warning at `line`.
// **Errors** findings of resolve().
void assume_loader_costs(MeasuredScenario& run, const Catalogue& catalogue, const std::string& file, std::size_t line,
                         Findings& findings);

}  // namespace stallcast
