// A configuration as options of the command line.
#pragma once

#include <string>
#include <vector>

#include "core/plan/space/space.h"

namespace stallcast {

// "--set storage.tier=parallelstore", "--set 'storage.capacity=100 TiB'", for a POSIX shell.
std::vector<std::string> set_options(const Point& point);

}  // namespace stallcast
