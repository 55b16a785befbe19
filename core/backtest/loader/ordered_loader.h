// A real data loader with the rules of PyTorch's for map-style datasets, on threads: what the simulated Loader
// (core/model/loader/loader.h) is a model of.
//
// num_workers * prefetch_factor batches are handed out at the start, batch i to worker i mod num_workers, each worker
// with a queue of its own; next() returns batches in order, keeps those that arrive before their turn, and hands out
// one more for each that it returns. num_workers = 0 loads inside next().
// **Source** torch/utils/data/dataloader.py, _MultiProcessingDataLoaderIter. **Checked by** OrderedLoader tests
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace stallcast {

// Values from threads to one that waits for them.
template <class T>
class WaitingQueue {
 public:
  void put(T value) {
    {
      const std::scoped_lock lock(mutex_);
      values_.push_back(std::move(value));
    }
    filled_.notify_one();
  }
  // The oldest value; nothing once the queue is closed.
  std::optional<T> get() {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [this] { return closed_ || !values_.empty(); });
    if (closed_) return std::nullopt;
    T value = std::move(values_.front());
    values_.pop_front();
    return value;
  }
  // Ends every get(), now and later.
  void close() {
    {
      const std::scoped_lock lock(mutex_);
      closed_ = true;
    }
    filled_.notify_all();
  }
  bool empty() const {
    const std::scoped_lock lock(mutex_);
    return values_.empty();
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<T> values_;
  bool closed_ = false;
};

struct LoaderShape {
  std::int64_t workers = 0;
  std::int64_t prefetch_factor = 2;
  std::int64_t batches = 0;
};

class OrderedLoader {
 public:
  // Loads batch `batch` in worker `worker`; called by one thread per worker (by the caller of next() when there is
  // none).
  using Load = std::function<void(std::int64_t worker, std::int64_t batch)>;

  // Starts the workers and hands out the first batches. **Errors** WorldError when so many threads cannot be had.
  OrderedLoader(const LoaderShape& shape, Load load, std::stop_token stop = {});
  OrderedLoader(const OrderedLoader&) = delete;
  OrderedLoader& operator=(const OrderedLoader&) = delete;
  ~OrderedLoader();  // waits for the batch that each worker is at

  // The next batch in order, when it is loaded; nothing after the last, or when stopped.
  // **Errors** what `load` throws, as soon as it is known.
  std::optional<std::int64_t> next();

  // Whether something has arrived that next() has not looked at. For measuring what next() itself takes.
  bool has_arrivals() const { return !arrivals_.empty(); }
  std::int64_t handed_out() const { return next_to_send_; }

 private:
  struct Arrival {
    std::int64_t batch = 0;
    std::exception_ptr error;
  };

  void run_worker(std::int64_t worker);
  void hand_out();
  void close();
  bool wait_for(std::int64_t batch);

  LoaderShape shape_;
  Load load_;
  std::stop_token stop_;
  std::vector<std::unique_ptr<WaitingQueue<std::int64_t>>> orders_;  // by worker
  WaitingQueue<Arrival> arrivals_;
  std::vector<bool> stored_;  // by batch: arrived, and not its turn yet
  std::int64_t next_to_send_ = 0;
  std::int64_t next_to_return_ = 0;
  std::vector<std::jthread> threads_;
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
};

}  // namespace stallcast
