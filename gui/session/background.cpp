#include "gui/session/background.h"

#include <QMetaObject>
#include <QPointer>
#include <QThread>
#include <exception>
#include <utility>

namespace stallcast::gui {

struct Background::Job {
  std::stop_source stop;
};

// Stopped work may take a moment to notice. What came after it need not wait for that.
Background::Background(QObject* parent) : QObject(parent) {
  pool_.setMaxThreadCount(2 * QThread::idealThreadCount() + 4);
}

Background::~Background() {
  for (auto& [kind, job] : jobs_) job->stop.request_stop();
  pool_.waitForDone();
}

void Background::start(const QString& kind, QObject* receiver, Work work) {
  stop(kind);
  const auto job = std::make_shared<Job>();
  jobs_[kind] = job;
  emit busyChanged(kind, true);
  pool_.start([this, kind, job, receiver = QPointer<QObject>(receiver), work = std::move(work)] {
    std::function<void()> done;
    QString problem;
    try {
      done = work(job->stop.get_token());
    } catch (const std::exception& error) {
      problem = QString::fromUtf8(error.what());
    }
    // Here in the pool nothing of this object is touched but its address: the destructor waits for the pool.
    QMetaObject::invokeMethod(
        this,
        [this, kind, job, receiver, done = std::move(done), problem] {
          const auto now = jobs_.find(kind);
          if (now == jobs_.end() || now->second != job) return;  // stopped, or a newer one is under way
          jobs_.erase(now);
          if (done && receiver) done();
          if (!problem.isEmpty()) emit failed(kind, problem);
          if (!isBusy(kind)) emit busyChanged(kind, false);
        },
        Qt::QueuedConnection);
  });
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
