#include "core/observe/proc/proc_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/diagnostics/file_calls.h"

namespace stallcast {

ProcFile::ProcFile(const std::filesystem::path& path) : descriptor_(open_file(path, O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) error_ = errno;
}

ProcFile::~ProcFile() {
  if (descriptor_ >= 0) close_file(descriptor_);
}

ProcFile::ProcFile(ProcFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), error_(other.error_) {}

ProcFile& ProcFile::operator=(ProcFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(error_, other.error_);
  return *this;
}

std::optional<std::string_view> ProcFile::read(Buffer& buffer) {
  if (descriptor_ < 0) return std::nullopt;
  const ssize_t bytes = read_at(descriptor_, buffer.data(), buffer.size(), 0);
  if (bytes <= 0) {
    error_ = bytes < 0 ? errno : ESRCH;
    return std::nullopt;
  }
  return std::string_view(buffer.data(), static_cast<std::size_t>(bytes));
}

std::optional<std::string> proc_file_text(const std::filesystem::path& path) {
  const int descriptor = open_file(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  std::string text;
  ProcFile::Buffer buffer;
  ssize_t bytes = 0;
  while (text.size() < kMostBytes && (bytes = read_some(descriptor, buffer.data(), buffer.size())) > 0)
    text.append(buffer.data(), static_cast<std::size_t>(bytes));
  close_file(descriptor);
  return bytes < 0 ? std::nullopt : std::optional(std::move(text));
}

std::string proc_link(const std::filesystem::path& path) {
  ProcFile::Buffer buffer;
  const ssize_t bytes = ::readlink(path.c_str(), buffer.data(), buffer.size());
  return bytes <= 0 ? "" : std::string(buffer.data(), static_cast<std::size_t>(bytes));
}

}  // namespace stallcast
