// JSON files written by people, with // and /* */ comments: read completely, or refused with the place and the reason.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/diagnostics/finding.h"

namespace stallcast {

struct JsonLimits {
  std::size_t max_bytes = std::size_t{64} << 20;  // of the file; a larger one is refused before it is read
  std::size_t max_depth = 100;                    // of arrays and objects inside each other
};

// The whole of a text file. Content is not looked at.
// **Errors** WorldError when the file is missing, a directory or unreadable; the finding "too_large" when it is over
// `max_bytes` (known from its size where it has one, so nothing is read).
Loaded<std::string> read_text_file(const std::filesystem::path& path, std::size_t max_bytes);

// One JSON value from `text`; `file` names it in findings. Keys keep their order.
// Findings "empty_file", "not_utf8" (with the byte), "invalid_json" (with line and column), "too_deep" are errors and
// leave no value. "duplicate_key" is an error too, but comes with a value that holds the first of the two, so that a
// caller can go on to find what else is wrong.
Loaded<nlohmann::ordered_json> parse_json_text(std::string_view text, const std::string& file,
                                               const JsonLimits& limits = {});

// parse_json_text of a file's content. **Errors** as read_text_file and parse_json_text.
Loaded<nlohmann::ordered_json> read_json_file(const std::filesystem::path& path, const JsonLimits& limits = {});

// The finding "not_utf8", with the byte and its place, when `text` is no UTF-8.
std::optional<Finding> utf8_problem(std::string_view text, const std::string& file);

// A key as part of a JSON pointer: "~" becomes "~0" and "/" becomes "~1".
std::string pointer_token(std::string_view key);

}  // namespace stallcast
