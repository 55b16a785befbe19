// From threads that work to the GUI thread: items as they come, several at once when they come fast.
#pragma once

#include <QObject>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace stallcast::gui {

class FeedSignal : public QObject {
  Q_OBJECT
 signals:
  void arrived();
};

template <class Item>
class Feed {
 public:
  // `take` is called in the thread of `receiver`, with all that came since the last time, while that lives. What was
  // put arrives even when the feed is gone by then: work puts its last items just before it ends.
  static std::shared_ptr<Feed> make(QObject* receiver, std::function<void(std::vector<Item>)> take) {
    const std::shared_ptr<Feed> feed(new Feed);
    QObject::connect(
        feed->signal_.get(), &FeedSignal::arrived, receiver,
        [waiting = feed->waiting_, take = std::move(take)] { take(waiting->drain()); }, Qt::QueuedConnection);
    return feed;
  }

  // By any thread.
  void put(Item item) {
    if (waiting_->put(std::move(item))) emit signal_->arrived();
  }

 private:
  class Waiting {
   public:
    // Whether it is the first since the last drain.
    bool put(Item item) {
      const std::lock_guard lock(mutex_);
      items_.push_back(std::move(item));
      return items_.size() == 1;
    }
    std::vector<Item> drain() {
      const std::lock_guard lock(mutex_);
      return std::exchange(items_, {});
    }

   private:
    std::mutex mutex_;
    std::vector<Item> items_;
  };

  // The last to let go of a feed may be a working thread; its QObject goes in its own.
  struct Later {
    void operator()(FeedSignal* signal) const { signal->deleteLater(); }
  };

  Feed() = default;

  std::unique_ptr<FeedSignal, Later> signal_{new FeedSignal};
  std::shared_ptr<Waiting> waiting_ = std::make_shared<Waiting>();
};

}  // namespace stallcast::gui
