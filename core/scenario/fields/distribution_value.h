// Distributions as values of fields: their file form, read and written.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/measure_reader.h"
#include "core/units/distribution.h"

namespace stallcast {

// Reads "5 ms" or {"kind": K, ...} as value_from_json says. Nothing, with findings in `in`, if there is an error.
std::optional<Distribution> read_distribution(const Field& field, const nlohmann::ordered_json& json,
                                              MeasureReader& in);

// What read_distribution reads.
nlohmann::ordered_json distribution_to_json(const Field& field, const Distribution& d);

}  // namespace stallcast
