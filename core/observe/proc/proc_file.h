// A small file of /proc that is read again and again.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace stallcast {

// Kept open: a look then is one call of the system. Moves, does not copy.
class ProcFile {
 public:
  ProcFile() = default;
  explicit ProcFile(const std::filesystem::path& path);
  ~ProcFile();
  ProcFile(ProcFile&& other) noexcept;
  ProcFile& operator=(ProcFile&& other) noexcept;
  ProcFile(const ProcFile&) = delete;
  ProcFile& operator=(const ProcFile&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  int error() const { return error_; }  // errno of the last thing that failed, 0 when none did

  // Its first kMost bytes, until the next call of anybody with the same buffer; nothing once the process is gone.
  static constexpr std::size_t kMost = 4096;
  using Buffer = std::array<char, kMost>;
  std::optional<std::string_view> read(Buffer& buffer);

 private:
  int descriptor_ = -1;
  int error_ = 0;
};

// All of a file of /proc, up to a mebibyte; nothing where it cannot be read.
std::optional<std::string> proc_file_text(const std::filesystem::path& path);

// Where a link of /proc leads, "pipe:[123]" or "/data/a.jpg (deleted)"; "" where it cannot be read.
std::string proc_link(const std::filesystem::path& path);

}  // namespace stallcast
