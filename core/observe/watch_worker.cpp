#include "core/observe/watch_worker.h"

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

namespace stallcast {

namespace fs = std::filesystem;

MainThread::MainThread(fs::path folder)
    : folder_(std::move(folder)),
      call_(folder_ / "syscall"),
      times_(folder_ / "schedstat"),
      stat_(folder_ / "stat"),
      channel_(folder_ / "wchan") {}

bool MainThread::look(double now_s, ProcFile::Buffer& buffer, bool& calls_seen) {
  const auto text = times_.read(buffer);
  const auto times = text ? parse_schedstat(*text) : std::nullopt;
  if (!times) return false;
  if (start_s_ < 0.0) {
    start_s_ = now_s;
    first_ = *times;
  }
  last_ = *times;
  total_.watched_s = now_s - start_s_;
  total_.ran_s = last_.ran_s - first_.ran_s;
  total_.queued_s = last_.queued_s - first_.queued_s;
  total_.turns = last_.turns - first_.turns;
  now_ = what_it_does(buffer, calls_seen);
  total_.looks[index(now_)] += 1.0;
  return true;
}

Activity MainThread::what_it_does(ProcFile::Buffer& buffer, bool& calls_seen) {
  reads_from_.clear();
  if (calls_seen) {
    const auto text = call_.read(buffer);
    const auto blocked = text ? parse_blocked_in(*text) : std::nullopt;
    if (blocked) {
      const int descriptor = read_descriptor(*blocked);
      if (descriptor >= 0) reads_from_ = proc_link(folder_ / "fd" / std::to_string(descriptor));
      return activity_of(*blocked, reads_from_);
    }
    if (call_.error() == EPERM || call_.error() == EACCES || call_.error() == ENOENT) calls_seen = false;
  }
  const auto text = stat_.read(buffer);
  const auto stat = text ? parse_proc_stat(*text) : std::nullopt;
  if (!stat) return Activity::kOther;
  ProcFile::Buffer other;
  const auto channel = channel_.read(other);
  return activity_of(stat->state, channel.value_or(std::string_view()));
}

WorkerWatch::WorkerWatch(const JobProcess& process, const fs::path& proc, bool close, double now_s)
    : folder_(proc / std::to_string(process.pid)), start_s_(now_s), end_s_(now_s), counters_(folder_) {
  seen_.pid = process.pid;
  seen_.close = close;
  find_sender();
  if (close) {
    main_ = MainThread(folder_);
    main_io_ = ProcFile(folder_ / "task" / std::to_string(process.pid) / "io");
  }
}

void WorkerWatch::find_sender() {
  if (sender_) return;
  std::vector<Sender> all = senders_of(folder_);
  if (all.empty()) return;
  sender_ = std::move(all.front());  // a thread that serves shared memory receives, too
  last_messages_ = sender_->first.writes;
}

bool WorkerWatch::look(double now_s, ProcFile::Buffer& buffer, bool& calls_seen) {
  if (!main_.look(now_s, buffer, calls_seen)) return false;
  const double since = now_s - end_s_;
  end_s_ = now_s;
  if (main_.now() == Activity::kQueue) queue_s_ += since;
  bytes_ = 0.0;
  const auto text = main_io_.read(buffer);
  if (const auto io = text ? parse_proc_io(*text) : std::nullopt) {
    if (last_bytes_ >= 0.0) bytes_ = io->read_bytes - last_bytes_;
    last_bytes_ = io->read_bytes;
  }
  if (sender_) note_messages(now_s, buffer);
  return true;
}

bool WorkerWatch::count(double now_s) {
  if (!counters_.look()) return false;
  seen_.cpu_s = counters_.cpu_s();
  seen_.io = counters_.io();
  seen_.watched_s = now_s - start_s_;
  ProcFile::Buffer buffer;
  const auto text = sender_ ? sender_->io.read(buffer) : std::nullopt;
  if (const auto sent = text ? parse_proc_io(*text) : std::nullopt)
    seen_.messages = sent->writes - sender_->first.writes;
  return true;
}

bool WorkerWatch::reads_now() const { return main_.now() == Activity::kFiles || main_.now() == Activity::kNetwork; }

SeenWorker WorkerWatch::result() const {
  SeenWorker out = seen_;
  out.main = main_.total();
  return out;
}

void WorkerWatch::note_messages(double now_s, ProcFile::Buffer& buffer) {
  const auto text = sender_->io.read(buffer);
  const auto io = text ? parse_proc_io(*text) : std::nullopt;
  if (!io) return;
  const bool sent = io->writes > last_messages_;
  last_messages_ = io->writes;
  if (sent && !sent_before_) {
    const CoreTimes times = main_.times();
    if (batch_start_s_ >= 0.0) {
      const double ran = times.ran_s - batch_times_.ran_s, queued = times.queued_s - batch_times_.queued_s;
      const double waited = now_s - batch_start_s_ - ran - queued - queue_s_;
      seen_.batches.push_back({ran, std::max(0.0, waited)});
    }
    batch_start_s_ = now_s;
    batch_times_ = times;
    queue_s_ = 0.0;
  }
  sent_before_ = sent;
}

}  // namespace stallcast
