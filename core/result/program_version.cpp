#include "core/result/program_version.h"

namespace stallcast {

std::string_view program_version() { return STALLCAST_VERSION; }

}  // namespace stallcast
