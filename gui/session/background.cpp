#include "gui/session/background.h"

#include <sys/resource.h>
#include <unistd.h>

#include <QMetaObject>
#include <QPointer>
#include <QThread>
#include <algorithm>
#include <exception>
#include <utility>

namespace stallcast::gui {
namespace {

[[maybe_unused]] constexpr int kBehind = 10;  // of -20 to 19: what nice says of a process

// This thread, and those that it starts, leave the processor to the window whenever that has something to do. Where
// threads have no such number of their own, all are equal.
void stepBehindTheWindow() {
#ifdef __linux__
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kBehind);
#endif
}

}  // namespace

struct Background::Job {
  QString kind;
  QPointer<QObject> receiver;  // for the GUI thread
  Work work;                   // for the pool
  std::stop_source stop;
  // What became of it:
  std::function<void()> done;
  QString problem;
};

void Background::Queue::put(std::shared_ptr<Job> job) {
  const std::scoped_lock lock(mutex_);
  jobs_.push_back(std::move(job));
}

std::shared_ptr<Background::Job> Background::Queue::take() {
  const std::scoped_lock lock(mutex_);
  std::shared_ptr<Job> job = std::move(jobs_.front());
  jobs_.pop_front();
  return job;
}

// Stopped work may take a moment to notice. What came after it need not wait for that.
Background::Background(QObject* parent) : QObject(parent) {
  for (Pool* pool : {&behind_, &like_}) pool->threads.setMaxThreadCount(2 * QThread::idealThreadCount() + 4);
}

Background::~Background() {
  for (auto& [kind, job] : jobs_) job->stop.request_stop();
  for (Pool* pool : {&behind_, &like_}) pool->threads.waitForDone();
}

unsigned Background::threads() { return static_cast<unsigned>(std::max(1, QThread::idealThreadCount() - 1)); }

void Background::start(const QString& kind, QObject* receiver, Pace pace, Work work) {
  stop(kind);
  auto job = std::make_shared<Job>();
  job->kind = kind;
  job->receiver = receiver;
  job->work = std::move(work);
  jobs_[kind] = job;
  emit busyChanged(kind, true);
  Pool& pool = pace == Pace::kBehindTheWindow ? behind_ : like_;
  pool.waiting.put(std::move(job));
  // No more than two pointers: those go within the function, and no memory of ours through Qt's locks.
  pool.threads.start([this, &pool] {
    if (pool.pace == Pace::kBehindTheWindow) stepBehindTheWindow();
    workOnNext(pool.waiting);
  });
}

// Of this object nothing but the queues is touched here; the destructor waits for the pools.
void Background::workOnNext(Queue& waiting) {
  std::shared_ptr<Job> job = waiting.take();
  try {
    job->done = job->work(job->stop.get_token());
  } catch (const std::exception& error) {
    job->problem = QString::fromUtf8(error.what());
  }
  job->work = nullptr;
  finished_.put(std::move(job));
  QMetaObject::invokeMethod(this, &Background::finishNext, Qt::QueuedConnection);
}

void Background::finishNext() {
  const std::shared_ptr<Job> job = finished_.take();
  const QString kind = job->kind;
  const auto now = jobs_.find(kind);
  if (now == jobs_.end() || now->second != job) return;  // stopped, or a newer one is under way
  jobs_.erase(now);
  if (job->done && job->receiver) job->done();
  if (!job->problem.isEmpty()) emit failed(kind, job->problem);
  if (!isBusy(kind)) emit busyChanged(kind, false);
}

void Background::stop(const QString& kind) {
  const auto job = jobs_.find(kind);
  if (job == jobs_.end()) return;
  job->second->stop.request_stop();
  jobs_.erase(job);
  emit busyChanged(kind, false);
}

bool Background::isBusy(const QString& kind) const { return jobs_.contains(kind); }

bool Background::isIdle() const { return jobs_.empty(); }

}  // namespace stallcast::gui
