// What the process does when the system takes away what it stands on.
#pragma once

#include <string_view>

namespace stallcast {

inline constexpr std::string_view kOutOfMemory = "stallcast: out of memory\n";

// Keeps some memory for the time when there is no more: it is let go of when an allocation fails for the first time,
// so that what unwinds from there can still allocate. The stack is taken at once. Where even that is not enough, the
// process ends with kOutOfMemory and kExitWorldTrouble, and not as if it were broken.
void survive_lack_of_memory();

// A file that is mapped and becomes shorter, or whose disk fails, ends the process with a signal (SIGBUS). Says which
// file it was and ends with kExitWorldTrouble instead.
void explain_lost_mappings();

}  // namespace stallcast
