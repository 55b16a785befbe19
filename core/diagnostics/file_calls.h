// Calls of the system on files that are made again when a signal interrupts them, and go on when they do only a part.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace stallcast {

// A descriptor, or -1 and errno.
int open_file(const std::filesystem::path& path, int flags, mode_t mode = 0);

// Up to `bytes` of what comes next; 0 at the end of the file, -1 and errno.
ssize_t read_some(int descriptor, char* to, std::size_t bytes);
// The same of what is at `offset`.
ssize_t read_at(int descriptor, void* to, std::size_t bytes, std::uint64_t offset);

// The following return 0, or the errno of what went wrong.

// All of `text`, at the descriptor's place or at `offset` of the file.
int write_whole(int descriptor, std::string_view text);
int write_whole_at(int descriptor, std::string_view text, std::int64_t offset);
int set_file_size(int descriptor, std::int64_t bytes);
// Until the storage has what was written.
int sync_file(int descriptor);
// The descriptor is gone in any case.
int close_file(int descriptor);
// Keeps other processes out until the descriptor is closed: EWOULDBLOCK when one is in. File systems without locks go
// without.
int lock_file(int descriptor);

// Whether the file has no name any more: what is written to it is lost when it is closed.
bool is_removed(int descriptor);

}  // namespace stallcast
