// What a folder holds, to be compared with what it held before and with what it holds when nothing goes wrong.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace stallcast::faults {

// Files by their path in the folder; a folder's path ends in '/' and has no content. What differs between two runs of
// one command, its own running time, is left out.
using FolderState = std::map<std::string, std::string>;

FolderState state_of(const std::filesystem::path& folder);

// The same of a text, as of standard output.
std::string without_times(const std::string& text);

}  // namespace stallcast::faults
