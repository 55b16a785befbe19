// Numbers in JSON, which has no infinity.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

namespace stallcast {

// Null where `value` is infinite or not a number.
inline nlohmann::ordered_json finite_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

}  // namespace stallcast
