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
  // `take` is called in the thread of `receiver`, with all that came since the last time, while receiver and feed live.
  static std::shared_ptr<Feed> make(QObject* receiver, std::function<void(std::vector<Item>)> take) {
    const std::shared_ptr<Feed> feed(new Feed);
    QObject::connect(
        feed->signal_.get(), &FeedSignal::arrived, receiver,
        [weak = std::weak_ptr<Feed>(feed), take = std::move(take)] {
          if (const auto self = weak.lock()) take(self->drain());
        },
        Qt::QueuedConnection);
    return feed;
  }

  // By any thread.
  void put(Item item) {
    bool first = false;
    {
      const std::lock_guard lock(mutex_);
      first = waiting_.empty();
      waiting_.push_back(std::move(item));
    }
    if (first) emit signal_->arrived();
  }

 private:
  // The last to let go of a feed may be a working thread; its QObject goes in its own.
  struct Later {
    void operator()(FeedSignal* signal) const { signal->deleteLater(); }
  };

  Feed() = default;
  std::vector<Item> drain() {
    const std::lock_guard lock(mutex_);
    return std::exchange(waiting_, {});
  }

  std::unique_ptr<FeedSignal, Later> signal_{new FeedSignal};
  std::mutex mutex_;
  std::vector<Item> waiting_;
};

}  // namespace stallcast::gui
