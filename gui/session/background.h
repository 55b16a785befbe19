// Work off the GUI thread. Of each kind of work at most one is under way: a newer one stops the older, whose result
// nobody sees.
#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>

namespace stallcast::gui {

class Background : public QObject {
  Q_OBJECT
 public:
  explicit Background(QObject* parent = nullptr);
  ~Background() override;  // stops everything and waits for it

  // How work shares the processors with the window: what computes gives way to it. What measures does not, for the time
  // in which it waits for a processor would be taken for the storage's.
  enum class Pace { kBehindTheWindow, kLikeTheWindow };

  // Runs `work` in the pool, then `done` in the GUI thread with what it returned, unless stopped or `receiver` is gone.
  // What `work` throws goes to failed().
  template <class Result>
  void run(const QString& kind, QObject* receiver, std::function<Result(std::stop_token)> work,
           std::function<void(Result)> done, Pace pace = Pace::kBehindTheWindow) {
    start(kind, receiver, pace, [work = std::move(work), done = std::move(done)](const std::stop_token& stop) {
      auto result = std::make_shared<Result>(work(stop));
      return std::function<void()>([result, done] { done(std::move(*result)); });
    });
  }

  // How many threads one work takes: one processor stays for the window.
  static unsigned threads();

  void stop(const QString& kind);
  bool isBusy(const QString& kind) const;
  bool isIdle() const;

 signals:
  void busyChanged(const QString& kind, bool busy);
  void failed(const QString& kind, const QString& message);

 private:
  // Work gives back what is to be done in the GUI thread.
  using Work = std::function<std::function<void()>(const std::stop_token&)>;
  void start(const QString& kind, QObject* receiver, Pace pace, Work work);

  struct Job;
  class Queue;
  void workOnNext(Queue& waiting);  // in a pool
  void finishNext();                // in the GUI thread

  // From one thread to another: nothing but a wish to be called goes through Qt, whose own locks the thread sanitizer
  // does not see.
  class Queue {
   public:
    void put(std::shared_ptr<Job> job);
    std::shared_ptr<Job> take();  // **Range** there is one

   private:
    std::mutex mutex_;
    std::deque<std::shared_ptr<Job>> jobs_;
  };

  std::map<QString, std::shared_ptr<Job>> jobs_;
  struct Pool {
    const Pace pace;
    Queue waiting = {};
    QThreadPool threads = {};
  };
  // A thread that has stepped behind stays there.
  Pool behind_{Pace::kBehindTheWindow}, like_{Pace::kLikeTheWindow};
  Queue finished_;
};

}  // namespace stallcast::gui
