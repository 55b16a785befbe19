// Output files that are either complete or not there.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stallcast {

// A new content of a file, written piece by piece where nobody sees it. Not finished, it leaves nothing behind; where
// the file system can have files without a name, not even when the process is killed (but for the one moment in which
// it stands beside a file that it is about to replace).
//
// The new file keeps the old one's permissions; a symbolic link stays and its target is written; a device or a pipe is
// written to directly.
// **Errors** WorldError with the system's reason, from every member; then `path` is as it was.
// **Checked by** tests/faults, where every call of the system fails in turn.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void append(std::string_view text);
  // The owner may run it.
  void make_executable();
  // All of it is on the storage; what follows needs no more room. Nothing is appended afterwards.
  void prepare();
  // Puts it in the place of `path`: a reader sees the old content or the new, even if the machine stops.
  void finish();
  // After finish(): takes it away again where no file was before.
  void take_back();

 private:
  void flush();
  void give_name();

  std::filesystem::path path_;
  std::filesystem::path unfinished_;  // its name beside `path_`; "" while it has none
  int descriptor_ = -1;
  bool direct_ = false;    // a device or a pipe
  bool is_new_ = false;    // no file was there
  bool prepared_ = false;  // or direct
  std::string pending_;    // not written yet
};

// Files that belong together: all are written before the first of them takes its place, and where one cannot, new ones
// do not stay either.
class AtomicFiles {
 public:
  // **Errors** as AtomicFile.
  AtomicFile& add(const std::filesystem::path& path, std::string_view text = {});
  void finish();

 private:
  std::vector<std::unique_ptr<AtomicFile>> files_;
};

// Writes `text` to `path` as an AtomicFile.
// **Errors** WorldError with the system's reason; then `path` is as it was and nothing else is left behind.
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

}  // namespace stallcast
