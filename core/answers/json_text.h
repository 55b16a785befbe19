// A JSON document as a file holds it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace stallcast {

// Indented, with a line feed at its end. Paths may hold bytes that are no UTF-8, which JSON cannot: each such byte
// becomes U+FFFD.
std::string json_text(const nlohmann::ordered_json& document);

}  // namespace stallcast
