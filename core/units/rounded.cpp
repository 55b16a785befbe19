#include "core/units/rounded.h"

#include <fmt/format.h>

#include <cstdlib>

namespace stallcast {

double rounded(double value, int digits) { return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr); }

}  // namespace stallcast
