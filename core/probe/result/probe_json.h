// A probe as a JSON file: plain numbers in base units, keys in a fixed order. What `stallcast probe -o` writes.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/diagnostics/finding.h"
#include "core/probe/result/probe_result.h"

namespace stallcast {

// Of the files written; others are refused.
inline constexpr int kProbeFormatVersion = 1;

// Everything in `result`, and what follows from it and is read first: the verdict, rates of points. Text that is no
// UTF-8 (names of files) has its strange bytes replaced.
nlohmann::ordered_json probe_to_json(const ProbeResult& result, std::string_view program_version);

// What probe_to_json wrote; ReadPoint::from names `file` and the point. `file` names the document in findings.
// Findings "not_a_probe", "unknown_version", and for each wrong member "missing_key", "unknown_key", "wrong_type",
// "out_of_range", "unknown_word".
Loaded<ProbeResult> probe_from_json(const nlohmann::ordered_json& document, const std::string& file);

// probe_from_json of a file. **Errors** as read_json_file too.
Loaded<ProbeResult> load_probe(const std::filesystem::path& path);

}  // namespace stallcast
