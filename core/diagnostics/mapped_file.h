// A file's bytes without reading all of them into memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace stallcast {

// The content that a file has when it is mapped; views of it live as long as the MappedFile. Meant for files that only
// grow: a file that another process makes shorter must not be read further.
class MappedFile {
 public:
  MappedFile() = default;
  // **Errors** WorldError when it is missing, unreadable or no regular file.
  explicit MappedFile(const std::filesystem::path& path);
  // Of an open file; `path` is for errors.
  MappedFile(int descriptor, const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view text() const { return {static_cast<const char*>(address_), size_}; }

 private:
  void map(int descriptor, const std::filesystem::path& path);

  void* address_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace stallcast
