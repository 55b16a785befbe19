#include "core/observe/proc/senders.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/observe/proc/proc_counters.h"

namespace stallcast {

namespace fs = std::filesystem;

std::vector<Sender> senders_of(const fs::path& folder) {
  std::vector<Sender> out;
  ProcFile::Buffer buffer;
  const std::vector<int> threads = threads_of(folder);
  const std::string main_thread = folder.filename();
  for (const int tid : threads) {
    if (std::to_string(tid) == main_thread) continue;
    ProcFile file(folder / "task" / std::to_string(tid) / "io");
    const auto text = file.read(buffer);
    const auto io = text ? parse_proc_io(*text) : std::nullopt;
    if (io && io->reads == 0.0 && io->writes > 0.0) out.push_back({tid, std::move(file), *io});
  }
  return out;
}

void keep_index_senders(std::vector<Sender>& all, std::size_t count) {
  if (all.size() <= count || count == 0) return;
  std::sort(all.begin(), all.end(), [](const Sender& a, const Sender& b) {
    return a.first.written_bytes / a.first.writes < b.first.written_bytes / b.first.writes;
  });
  const auto size = [&](std::size_t i) { return all[i].first.written_bytes / all[i].first.writes; };
  std::size_t best = 0;
  for (std::size_t i = 0; i + count <= all.size(); ++i)
    if (size(i + count - 1) / size(i) < size(best + count - 1) / size(best)) best = i;
  std::rotate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(best), all.end());
  all.resize(count);
}

}  // namespace stallcast
