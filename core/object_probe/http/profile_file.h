// The files in which the tools of the clouds keep profiles: ~/.aws/config, ~/.aws/credentials, ~/.boto.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace stallcast {

// [section] -> key -> value. Keys of a nested block ("s3 =" with indented lines below) are not kept.
using ProfileSections = std::map<std::string, std::map<std::string, std::string>>;

// Reads what is there and passes over lines that are neither section nor "key = value"; of a key given twice, the last
// counts. (Boost's INI parser refuses the nested blocks and repeated keys that the AWS tools write.)
ProfileSections parse_profiles(std::string_view text);

// parse_profiles of a file; empty when there is none.
// **Errors** WorldError when it is unreadable or larger than 1 MiB.
ProfileSections read_profiles(const std::filesystem::path& path);

}  // namespace stallcast
