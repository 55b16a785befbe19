// Output files that are either complete or not there.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace stallcast {

// A new content of a regular file, written piece by piece beside it. Not finished, it leaves nothing behind.
class AtomicFile {
 public:
  // **Errors** WorldError with the system's reason, from every member; then `path` is as it was.
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void append(std::string_view text);
  // Puts it in the place of `path`: a reader sees the old content or the new, even if the machine stops.
  void finish();

 private:
  void flush();

  std::filesystem::path path_;
  std::filesystem::path unfinished_;  // "" once finished
  int descriptor_ = -1;
  std::string pending_;  // not written yet
};

// Writes `text` to `path`: a reader sees the old content or the new, never a part, even if the machine stops. The new
// file keeps the old one's permissions; a symbolic link stays and its target is written; a device or a pipe is written
// to directly.
// **Errors** WorldError with the system's reason; then `path` is as it was and nothing else is left behind.
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

}  // namespace stallcast
