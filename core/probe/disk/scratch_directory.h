// A directory of the probe's own, which disappears with everything in it whatever ends the program.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

namespace stallcast {

// A new directory with a name that nobody uses. Its files have numbers for names; a second process of a session of its
// own, which no signal to the program or to its terminal reaches, waits until the program is gone, however it went, and
// removes what is left. Only a machine that stops leaves something behind.
class ScratchDirectory {
 public:
  static constexpr std::uint32_t kMostFiles = 1024;

  // Inside `parent`. **Errors** WorldError: `parent` is no directory, or nothing can be made in it (why, in words).
  explicit ScratchDirectory(const std::filesystem::path& parent);
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory();

  const std::filesystem::path& path() const { return path_; }

  // A new, empty file for writing, or -1 and errno. **Range** number < kMostFiles
  int create(std::uint32_t number, int flags) const;
  void remove(std::uint32_t number) const;

 private:
  void end();

  std::filesystem::path path_;
  int directory_ = -1;
  int alive_ = -1;  // closed when the program ends
  pid_t remover_ = -1;
};

// "the disk is full", "the quota of this user is used up", "the file system is read-only", or what the system calls it.
const char* write_trouble(int error);

}  // namespace stallcast
