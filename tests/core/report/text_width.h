// How wide a text is, for those that must fit into a terminal, and the plainest style of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>

#include "core/report/words/text_layout.h"

namespace stallcast {

inline constexpr TextStyle kAscii = {false, false};

inline std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, columns_of(line));
  return widest;
}

}  // namespace stallcast
