// JSON files too large to hold: read from end to end, with only the wanted parts built.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/diagnostics/finding.h"

namespace stallcast {

// Where a value stands: the keys from the top; "*" for a place in an array.
using JsonPath = std::vector<std::string>;

// Calls `visit` with each value of the file whose path has the shape of one of `patterns` ("*" stands for any key), in
// the order of the file. Several values one after the other are read like one. Numbers with a point or an exponent come
// as strings with the digits of the file. A file compressed by gzip is read as what it holds.
// **Errors** WorldError when the file cannot be read; findings "too_large", "empty_file", "invalid_json", "not_utf8",
// "too_deep", "damaged_gzip": then what has been visited so far is not to be used.
Findings stream_json(const std::filesystem::path& path, const std::vector<JsonPath>& patterns,
                     const std::function<void(const JsonPath&, nlohmann::ordered_json)>& visit);

}  // namespace stallcast
