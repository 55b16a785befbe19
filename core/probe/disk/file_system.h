// What the kernel says of a file system and of this process's reads.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace stallcast {

struct FileSystem {
  std::string name;               // "ext4", "nfs4", "fuse.gcsfuse", ...; "" where the kernel does not say
  bool in_memory = false;         // tmpfs and the like: no storage behind it
  bool on_block_device = false;   // reads are counted by process_fetched_bytes
  double read_ahead_bytes = 0.0;  // that the kernel may read beyond what was asked for, of a file read in order
};

// **Errors** WorldError when `path` cannot be looked at.
FileSystem file_system_of(const std::filesystem::path& path);

// Bytes that the kernel fetched from storage for this process and its threads until now (/proc/self/io); nothing where
// it does not count.
std::optional<double> process_fetched_bytes();

}  // namespace stallcast
