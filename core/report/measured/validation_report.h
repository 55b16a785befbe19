// How far predictions are from measured runs, as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/validate/validation.h"

namespace stallcast {

// A line per case, then the errors by mechanism beside the min-of-rates bound and the differences between repeats.
std::string render_validation_text(const Validation& validation);

// {"format_version", "program_version", "draws", "cases", "unknown", "summary"}: the contract of `validate --format
// json`.
// **Units** au and au_steady as fractions, samples_per_s in 1/s; errors of au in percentage points, of rates in
// percent.
nlohmann::ordered_json validation_json(const Validation& validation);

}  // namespace stallcast
