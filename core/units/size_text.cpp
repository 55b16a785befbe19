#include "core/units/size_text.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>

namespace stallcast {

std::string size_text(double bytes) {
  constexpr std::array<const char*, 6> kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  constexpr double kFourDigits = 999.5;
  std::size_t unit = 0;
  for (; bytes >= kFourDigits && unit + 1 < kUnits.size(); ++unit) bytes /= 1024.0;
  return fmt::format("{:.3g} {}", bytes, kUnits[unit]);
}

}  // namespace stallcast
