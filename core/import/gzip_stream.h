// Files that may be compressed by gzip, read as a stream of what they hold.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <streambuf>
#include <string>
#include <vector>

namespace stallcast {

// Reads a gzip file of one or more members, or any other file as it is. Bounded: a file that swells beyond `max_bytes`,
// or to more than 200 times its size, ends early with a problem.
class GzipBuffer : public std::streambuf {
 public:
  // **Errors** WorldError when the file cannot be opened.
  GzipBuffer(const std::filesystem::path& path, std::uintmax_t max_bytes);
  GzipBuffer(const GzipBuffer&) = delete;
  GzipBuffer& operator=(const GzipBuffer&) = delete;
  ~GzipBuffer() override;

  // Why reading ended before the end of the content: a stable word for a finding and a clause; "" when it did not.
  const std::string& problem_code() const { return problem_code_; }
  const std::string& problem() const { return problem_; }

 protected:
  int_type underflow() override;

 private:
  int_type stop(const char* code, std::string problem);

  std::string name_;
  gzFile file_ = nullptr;
  std::uintmax_t max_bytes_ = 0;
  std::uintmax_t read_ = 0;
  std::vector<char> buffer_;
  std::string problem_code_, problem_;
};

}  // namespace stallcast
