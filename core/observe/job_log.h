// What a job writes to its own log while it is watched.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stallcast {

// The files that standard output and standard error of a process go to; a terminal or a pipe cannot be read from
// beside.
class JobLog {
 public:
  // From now on. `process` is its folder in /proc.
  explicit JobLog(const std::filesystem::path& process);

  // What was written since then, up to a mebibyte of each file; "" where there is none.
  std::string since() const;
  // The files, for a message.
  const std::vector<std::string>& names() const { return names_; }

 private:
  struct Place {
    std::filesystem::path link;
    double from = 0.0;
  };
  std::vector<Place> places_;
  std::vector<std::string> names_;
};

}  // namespace stallcast
