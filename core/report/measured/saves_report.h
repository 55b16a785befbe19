// Measured checkpoints beside what was predicted of them, as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/validate/measured_saves.h"

namespace stallcast {

std::string render_saves_text(const SaveValidation& validation);
nlohmann::ordered_json saves_json(const SaveValidation& validation);

}  // namespace stallcast
