// Fields of a scenario as a person asks for them.
#pragma once

#include <string>

#include "core/diagnostics/finding.h"

namespace stallcast {

// Of "storage.capacity" (or "/storage/capacity", or "capacity" where one field alone is called so) what it means, what
// it may be, its default and how it is written; of a group ("storage") one line for each field; of "" the groups.
// **Errors** the finding "unknown_field" with the nearest.
Loaded<std::string> field_text(const std::string& path);

}  // namespace stallcast
