// Files of measured records, one JSON object a line.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "core/diagnostics/finding.h"

namespace stallcast {

// A record that states what nobody can have measured.
class BadRecord : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::size_t kMostRecordBytes = std::size_t{256} << 20;

// Calls `add` with each record of `path` and the number of its line, blank lines left out. **Errors** WorldError when
// the file cannot be read; the finding "too_large" (over 256 MiB), after which there is no value; a finding
// "bad_record" for each line that is no JSON or of which `add` throws BadRecord or nlohmann::json::exception. A record
// is `what`: "one measured run as a JSON object".
Loaded<bool> for_each_record(const std::filesystem::path& path, const std::string& what,
                             const std::function<void(const nlohmann::json& record, std::size_t line)>& add);

}  // namespace stallcast
