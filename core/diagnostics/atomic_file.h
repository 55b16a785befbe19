// Output files that are either complete or not there.
#pragma once

#include <filesystem>
#include <string_view>

namespace stallcast {

// Writes `text` to `path`: a reader sees the old content or the new, never a part, even if the machine stops. The new
// file keeps the old one's permissions; a symbolic link stays and its target is written; a device or a pipe is written
// to directly.
// **Errors** WorldError with the system's reason; then `path` is as it was and nothing else is left behind.
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

}  // namespace stallcast
