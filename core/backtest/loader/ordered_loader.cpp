#include "core/backtest/loader/ordered_loader.h"

#include <utility>

#include "core/backtest/loader/thread_start.h"
#include "core/diagnostics/invariant.h"

namespace stallcast {

OrderedLoader::OrderedLoader(const LoaderShape& shape, Load load, std::stop_token stop)
    : shape_(shape), load_(std::move(load)), stop_(std::move(stop)), stored_(static_cast<std::size_t>(shape.batches)) {
  invariant(shape.workers >= 0 && shape.prefetch_factor >= 1 && shape.batches >= 0, "a loader's shape is in range");
  for (std::int64_t w = 0; w < shape_.workers; ++w) orders_.push_back(std::make_unique<WaitingQueue<std::int64_t>>());
  on_stop_.emplace(stop_, std::function<void()>([this] { close(); }));
  try {
    start_threads(threads_, static_cast<std::size_t>(shape_.workers), [this](std::size_t w) {
      return std::jthread([this, w] { run_worker(static_cast<std::int64_t>(w)); });
    });
  } catch (...) {  // those that run must end before they are joined
    close();
    throw;
  }
  for (std::int64_t i = 0; i < shape_.workers * shape_.prefetch_factor; ++i) hand_out();
}

OrderedLoader::~OrderedLoader() { close(); }

void OrderedLoader::close() {
  for (const auto& orders : orders_) orders->close();
  arrivals_.close();
}

void OrderedLoader::hand_out() {
  if (next_to_send_ >= shape_.batches) return;
  orders_[static_cast<std::size_t>(next_to_send_ % shape_.workers)]->put(next_to_send_);
  ++next_to_send_;
}

void OrderedLoader::run_worker(std::int64_t worker) {
  WaitingQueue<std::int64_t>& orders = *orders_[static_cast<std::size_t>(worker)];
  while (const std::optional<std::int64_t> batch = orders.get()) {
    Arrival arrival{*batch, nullptr};
    try {
      load_(worker, *batch);
    } catch (...) {
      arrival.error = std::current_exception();
    }
    arrivals_.put(std::move(arrival));
  }
}

// False when stopped.
bool OrderedLoader::wait_for(std::int64_t batch) {
  while (!stored_[static_cast<std::size_t>(batch)]) {
    const std::optional<Arrival> arrival = arrivals_.get();
    if (!arrival) return false;
    if (arrival->error) std::rethrow_exception(arrival->error);
    stored_[static_cast<std::size_t>(arrival->batch)] = true;
  }
  return true;
}

std::optional<std::int64_t> OrderedLoader::next() {
  if (next_to_return_ >= shape_.batches || stop_.stop_requested()) return std::nullopt;
  const std::int64_t batch = next_to_return_;
  if (shape_.workers == 0) {
    next_to_send_ = batch + 1;
    load_(0, batch);
  } else {
    if (!wait_for(batch)) return std::nullopt;
    hand_out();
  }
  ++next_to_return_;
  return batch;
}

}  // namespace stallcast
