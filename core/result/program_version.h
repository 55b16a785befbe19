// The version that a saved result carries.
#pragma once

#include <string_view>

namespace stallcast {

// "0.1.0", from the build.
std::string_view program_version();

}  // namespace stallcast
