// The inputs of a configuration that a plan turns up and down: fields of the scenario, and the prices of its storage.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/scenario/resolve/resolved_scenario.h"

namespace stallcast {

// Stands for all prices of the storage tier's record, as a factor of them; no field of a scenario.
inline constexpr std::string_view kStoragePrices = "/storage/prices";

// `resolved` with the field at `pointer` multiplied by `factor` (scaled() in scenario/fields/uncertain_input.h), or
// with the prices of its storage, exactly.
// **Range** factor > 0; can_be_scaled(pointer)
ResolvedScenario with_factor(const ResolvedScenario& resolved, std::string_view pointer, double factor);

// Whether with_factor() takes it.
bool can_be_scaled(std::string_view pointer);

// The value in base units: of a distribution its mean; of storage prices 1, their list. Nothing for a curve and a
// linear cost, which are several numbers, and where it is 0: not given, or unlimited.
std::optional<double> input_value(const ResolvedScenario& resolved, std::string_view pointer);

// "12.5 GB/s", "$88.49/h", "0.45 x list": three digits of a value in base units.
std::string input_value_text(std::string_view pointer, double value);

// The suffix that says the unit in names of JSON: "bytes_per_s", "s", "usd_per_hour"; "" for counts and factors.
std::string input_unit(std::string_view pointer);

// One input of several configurations: of all of them, or of one alone.
struct SharedInput {
  std::string pointer;
  std::optional<std::size_t> owner;  // nothing: of all
};

// Whether the input at `pointer` is one fact in all of them: it has the same value and, of storage, they name the same
// tier.
bool is_shared_fact(const std::vector<ResolvedScenario>& scenarios, std::string_view pointer);

// Those that usually decide between configurations and that have a value in them: prices, rates and latency of the
// storage, the work of a sample and a step, sizes, workers, machines, failures; then `more`, without repeating any.
// **Model** A fact they share (is_shared_fact()) moves in all of them, any other in one at a time.
std::vector<SharedInput> main_inputs(const std::vector<ResolvedScenario>& scenarios,
                                     const std::vector<std::string>& more = {});

}  // namespace stallcast
