#include "core/observe/job_log.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>

#include "core/diagnostics/file_calls.h"
#include "core/observe/proc/proc_file.h"

namespace stallcast {

JobLog::JobLog(const std::filesystem::path& process) {
  std::array<struct stat, 2> status{};
  for (std::size_t stream = 0; stream < 2; ++stream) {
    const std::filesystem::path link = process / "fd" / std::to_string(stream + 1);
    if (::stat(link.c_str(), &status[stream]) != 0 || !S_ISREG(status[stream].st_mode)) continue;
    if (stream == 1 && S_ISREG(status[0].st_mode) && status[0].st_ino == status[1].st_ino) continue;  // one file
    places_.push_back({link, static_cast<double>(status[stream].st_size)});
    names_.push_back(proc_link(link));
  }
}

std::string JobLog::since() const {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  std::string out;
  for (const Place& place : places_) {
    const int descriptor = open_file(place.link, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) continue;
    std::string text(kMostBytes, '\0');
    const ssize_t bytes = read_at(descriptor, text.data(), text.size(), static_cast<std::uint64_t>(place.from));
    close_file(descriptor);
    text.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
    out += text + "\n";
  }
  return out;
}

}  // namespace stallcast
