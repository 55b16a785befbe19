#include "core/diagnostics/mapped_file.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "core/diagnostics/file_calls.h"
#include "core/diagnostics/finding.h"

namespace stallcast {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view why) {
  throw WorldError(fmt::format("{}: cannot be read: {}", path.string(), why));
}
[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  fail(path, std::generic_category().message(error));
}

struct Descriptor {
  explicit Descriptor(int opened) : number(opened) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
  int number;
};

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  // A pipe would be waited for; nonblocking, it is opened and refused.
  const Descriptor file(open_file(path, O_RDONLY | O_NONBLOCK));
  if (file.number < 0) fail(path, errno);
  map(file.number, path);
}

MappedFile::MappedFile(int descriptor, const std::filesystem::path& path) { map(descriptor, path); }

MappedFile::MappedFile(MappedFile&& other) noexcept
    : address_(std::exchange(other.address_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(address_, other.address_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (address_ != nullptr) ::munmap(address_, size_);
}

void MappedFile::map(int descriptor, const std::filesystem::path& path) {
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0) fail(path, errno);
  if (!S_ISREG(status.st_mode)) fail(path, "not a regular file");
  if (status.st_size == 0) return;  // which cannot be mapped
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const address = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
  if (address == MAP_FAILED) fail(path, errno);
  address_ = address;
  size_ = size;
}

}  // namespace stallcast
