#include "core/observe/watch_rank.h"

#include <algorithm>
#include <utility>

namespace stallcast {

namespace fs = std::filesystem;

RankWatch::RankWatch(const JobRank& rank, const fs::path& proc, int close, double now_s)
    : proc_(proc),
      folder_(proc / std::to_string(rank.trainer.pid)),
      start_s_(now_s),
      house_s_(now_s),
      most_close_(close),
      counters_(folder_) {
  seen_.trainer = rank.trainer;
  main_ = MainThread(folder_);
  begin_workers(rank.workers, now_s);
}

void RankWatch::look_at_workers(double now_s, ProcFile::Buffer& buffer, bool& calls_seen) {
  for (WorkerWatch& worker : workers_)
    if (worker.is_close() && !worker.look(now_s, buffer, calls_seen)) worker_gone_ = true;
}

bool RankWatch::count(double now_s) {
  if (!counters_.look()) return false;
  seen_.cpu_s = counters_.cpu_s();
  seen_.io = counters_.io();
  seen_.watched_s = now_s - start_s_;
  count_batches(now_s);
  for (WorkerWatch& worker : workers_)
    if (!worker.count(now_s)) worker_gone_ = true;
  return true;
}

void RankWatch::keep_house(double now_s) {
  const bool none = workers_.empty();
  const double since_s = now_s - std::exchange(house_s_, now_s);
  if (worker_gone_ || none) {
    std::vector<JobProcess> now = workers_of(seen_.trainer, proc_);
    const bool changed =
        now.empty() != none || std::any_of(now.begin(), now.end(), [&](const JobProcess& p) {
          return std::none_of(workers_.begin(), workers_.end(), [&](const WorkerWatch& w) { return w.pid() == p.pid; });
        });
    if (changed || now.empty()) {
      end_workers(now_s);
      if (!now.empty() && had_workers_) ++seen_.turns;
      if (!now.empty()) begin_workers(now, now_s);
    }
    if (now.empty() && had_workers_) seen_.without_workers_s += since_s;
    worker_gone_ = false;
    return;
  }
  for (WorkerWatch& worker : workers_) worker.find_sender();
  if (senders_.size() < workers_.size()) find_index_senders(now_s);
}

void RankWatch::end_block(double now_s) {
  count_batches(now_s);
  if (!senders_.empty() && block_start_s_ >= 0.0 && now_s > block_start_s_)
    seen_.block_rates.push_back((batches_ - block_batches_) / (now_s - block_start_s_));
  block_start_s_ = now_s;
  block_batches_ = batches_;
}

SeenRank RankWatch::result(double now_s) {
  end_workers(now_s);
  SeenRank out = std::move(seen_);
  out.main = main_.total();
  out.num_workers = most_workers_;
  if (batches_time_s_ > 0.0) out.batches = batches_ * out.watched_s / batches_time_s_;
  return out;
}

void RankWatch::begin_workers(const std::vector<JobProcess>& processes, double now_s) {
  had_workers_ = had_workers_ || !processes.empty();
  int close = most_close_;
  for (const JobProcess& process : processes) workers_.emplace_back(process, proc_, close-- > 0, now_s);
  most_workers_ = std::max(most_workers_, static_cast<int>(processes.size()));
  find_index_senders(now_s);
}

void RankWatch::end_workers(double now_s) {
  count_batches(now_s);
  senders_.clear();
  for (const WorkerWatch& worker : workers_) seen_.workers.push_back(worker.result());
  workers_.clear();
}

void RankWatch::find_index_senders(double now_s) {
  if (workers_.empty()) return;
  std::vector<Sender> found = senders_of(folder_);
  if (found.size() <= senders_.size()) return;  // each starts with the first index for its worker
  keep_index_senders(found, workers_.size());
  count_batches(now_s);
  senders_ = std::move(found);
  counted_s_ = block_start_s_ = now_s;
  block_batches_ = batches_;
  counted_ = 0.0;
}

void RankWatch::count_batches(double now_s) {
  if (senders_.empty()) return;
  ProcFile::Buffer buffer;
  double sum = 0.0;
  for (Sender& sender : senders_) {
    const auto text = sender.io.read(buffer);
    const auto io = text ? parse_proc_io(*text) : std::nullopt;
    if (!io) return;  // the workers are gone: what was counted before stands
    // An index of more than 16 KiB is sent in two writes: its length, then itself.
    const double bytes = io->written_bytes - sender.first.written_bytes, writes = io->writes - sender.first.writes;
    sum += writes > 0.0 && bytes / writes > 8192.0 ? 0.5 * writes : writes;
  }
  batches_ += sum - counted_;
  batches_time_s_ += now_s - counted_s_;
  counted_ = sum;
  counted_s_ = now_s;
}

}  // namespace stallcast
