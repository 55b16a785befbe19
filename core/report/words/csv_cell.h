// One cell of a CSV file.
#pragma once

#include <string>

namespace stallcast {

// `text`, quoted as RFC 4180 says where it has to be.
inline std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace stallcast
