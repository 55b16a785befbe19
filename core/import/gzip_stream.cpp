#include "core/import/gzip_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/diagnostics/finding.h"

namespace stallcast {
namespace {

// Text of traces shrinks 5 to 30 times, deflate's limit is 1032 times.
constexpr std::uintmax_t kMostSwelling = 200;
constexpr std::uintmax_t kAlwaysAllowed = std::uintmax_t{64} << 20;
constexpr unsigned kBufferBytes = 1U << 18;

}  // namespace

GzipBuffer::GzipBuffer(const std::filesystem::path& path, std::uintmax_t max_bytes)
    : name_(path.string()), max_bytes_(max_bytes), buffer_(kBufferBytes) {
  errno = 0;
  file_ = gzopen(path.c_str(), "rb");
  if (file_ == nullptr) {
    throw WorldError(fmt::format("{}: cannot be read: {}", name_, errno != 0 ? std::strerror(errno) : "no memory"));
  }
  gzbuffer(file_, kBufferBytes);
}

GzipBuffer::~GzipBuffer() { gzclose_r(file_); }

GzipBuffer::int_type GzipBuffer::stop(const char* code, std::string problem) {
  problem_code_ = code;
  problem_ = std::move(problem);
  return traits_type::eof();
}

GzipBuffer::int_type GzipBuffer::underflow() {
  if (gptr() < egptr()) return traits_type::to_int_type(*gptr());
  if (!problem_code_.empty()) return traits_type::eof();
  const int count = gzread(file_, buffer_.data(), kBufferBytes);
  int error = Z_OK;
  const char* text = gzerror(file_, &error);
  if (count < 0 && error == Z_ERRNO) throw WorldError(fmt::format("{}: cannot be read: {}", name_, text));
  if (count < 0) return stop("damaged_gzip", fmt::format("damaged after {} bytes of content", read_));
  if (count == 0) {
    if (error == Z_BUF_ERROR) return stop("damaged_gzip", fmt::format("it ends after {} bytes of content", read_));
    return traits_type::eof();
  }
  read_ += static_cast<std::uintmax_t>(count);
  const auto taken = static_cast<std::uintmax_t>(std::max<z_off_t>(gzoffset(file_), 1));
  if (read_ > max_bytes_) return stop("too_large", fmt::format("more than {} GiB of content", max_bytes_ >> 30));
  if (read_ > kAlwaysAllowed && read_ > kMostSwelling * taken) {
    return stop("too_large", fmt::format("content of over {} times the compressed size", kMostSwelling));
  }
  setg(buffer_.data(), buffer_.data(), buffer_.data() + count);
  return traits_type::to_int_type(*gptr());
}

}  // namespace stallcast
