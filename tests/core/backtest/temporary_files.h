// A directory of files of known sizes, gone at the end of a test.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace stallcast {

class TemporaryFiles {
 public:
  explicit TemporaryFiles(const std::vector<std::size_t>& sizes) {
    std::string name = (std::filesystem::temp_directory_path() / "stallcast-backtest-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = name;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      std::ofstream out(file(i), std::ios::binary);
      const std::string content(sizes[i], static_cast<char>('a' + i % 26));
      out << content;
    }
  }
  TemporaryFiles(const TemporaryFiles&) = delete;
  TemporaryFiles& operator=(const TemporaryFiles&) = delete;
  ~TemporaryFiles() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path file(std::size_t i) const { return path_ / ("file" + std::to_string(1000 + i)); }

 private:
  std::filesystem::path path_;
};

}  // namespace stallcast
