// Delivery of the real loader: in order, once each, never more outstanding than handed out, and never a hang.
#include "core/backtest/loader/ordered_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <latch>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "core/diagnostics/finding.h"
#include "tests/sanitized.h"

namespace stallcast {
namespace {

std::vector<std::int64_t> deliver_all(OrderedLoader& loader) {
  std::vector<std::int64_t> delivered;
  while (const auto batch = loader.next()) delivered.push_back(*batch);
  return delivered;
}

std::vector<std::int64_t> first(std::int64_t n) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < n; ++i) numbers.push_back(i);
  return numbers;
}

TEST(OrderedLoader, DeliversEveryBatchOnceInOrderHoweverLongEachTakes) {
  std::mutex mutex;
  std::multiset<std::int64_t> loaded;
  // The earlier of two neighbours takes longer, so that batches arrive out of order.
  OrderedLoader loader({3, 2, 60}, [&](std::int64_t, std::int64_t batch) {
    std::this_thread::sleep_for(std::chrono::microseconds(batch % 2 == 0 ? 500 : 10));
    const std::scoped_lock lock(mutex);
    loaded.insert(batch);
  });
  EXPECT_EQ(deliver_all(loader), first(60));
  EXPECT_EQ(std::vector<std::int64_t>(loaded.begin(), loaded.end()), first(60));
}

TEST(OrderedLoader, GivesBatchesToWorkersInTurn) {
  std::vector<std::int64_t> worker_of(20, -1);
  OrderedLoader loader({3, 2, 20}, [&](std::int64_t worker, std::int64_t batch) {
    worker_of[static_cast<std::size_t>(batch)] = worker;
  });
  deliver_all(loader);
  for (std::size_t batch = 0; batch < worker_of.size(); ++batch)
    EXPECT_EQ(worker_of[batch], static_cast<std::int64_t>(batch % 3));
}

TEST(OrderedLoader, HandsOutPrefetchFactorTimesWorkersAndThenOneForEachTaken) {
  OrderedLoader loader({2, 3, 100}, [](std::int64_t, std::int64_t) {});
  EXPECT_EQ(loader.handed_out(), 2 * 3);
  for (std::int64_t taken = 1; taken <= 10; ++taken) {
    loader.next();
    EXPECT_EQ(loader.handed_out(), 2 * 3 + taken);
  }
}

TEST(OrderedLoader, LoadsNothingBeyondWhatWasHandedOut) {
  std::atomic<std::int64_t> started{0};
  std::latch six(6);
  OrderedLoader loader({2, 3, 100}, [&](std::int64_t, std::int64_t) {
    if (++started <= 6) six.count_down();
  });
  six.wait();  // all that was handed out is loaded although nobody asks
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(started.load(), 6);
}

TEST(OrderedLoader, WithoutWorkersLoadsInsideNextOnTheCallersThread) {
  std::vector<std::thread::id> threads;
  OrderedLoader loader({0, 2, 4}, [&](std::int64_t, std::int64_t) { threads.push_back(std::this_thread::get_id()); });
  EXPECT_TRUE(threads.empty());
  loader.next();
  EXPECT_EQ(threads.size(), 1U);
  deliver_all(loader);
  EXPECT_EQ(threads, std::vector<std::thread::id>(4, std::this_thread::get_id()));
}

TEST(OrderedLoader, PassesOnWhatAWorkerThrows) {
  OrderedLoader loader({2, 2, 50}, [](std::int64_t, std::int64_t batch) {
    if (batch == 7) throw std::runtime_error("file 7 is gone");
  });
  EXPECT_THROW(deliver_all(loader), std::runtime_error);
}

TEST(OrderedLoader, StopsInTheMiddleWhileTheConsumerWaits) {
  std::stop_source source;
  OrderedLoader loader(
      {2, 2, 1000},
      [&](std::int64_t, std::int64_t batch) {
        if (batch == 5) source.request_stop();
      },
      source.get_token());
  const std::size_t delivered = deliver_all(loader).size();  // ends
  EXPECT_LT(delivered, 1000U);
  EXPECT_EQ(loader.next(), std::nullopt);
}

TEST(OrderedLoader, MayBeLeftBeforeTheEnd) {
  OrderedLoader loader({4, 2, 1000}, [](std::int64_t, std::int64_t) {});
  loader.next();
}  // the destructor returns

TEST(OrderedLoader, DeliversNothingOfNothing) {
  OrderedLoader loader({2, 2, 0}, [](std::int64_t, std::int64_t) {});
  EXPECT_EQ(loader.next(), std::nullopt);
}

// A thread's stack is memory: with so little left that one of 2000 has none, those before it end and the reason is
// said.
TEST(OrderedLoader, SaysWhenTheMachineHasNoMoreThreads) {
  if (kSanitized) GTEST_SKIP() << "sanitizers want address space of their own for each thread";
  rlimit before{};
  ::getrlimit(RLIMIT_AS, &before);
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlimit little{pages * static_cast<rlim_t>(::getpagesize()) + (1U << 29U), before.rlim_max};
  ::setrlimit(RLIMIT_AS, &little);
  std::string what;
  try {
    const OrderedLoader loader({2000, 1, 2000}, [](std::int64_t, std::int64_t) {});
  } catch (const WorldError& error) {
    what = error.what();
  }
  ::setrlimit(RLIMIT_AS, &before);
  EXPECT_THAT(what, testing::HasSubstr("threads of 2000 could be started"));
}

}  // namespace
}  // namespace stallcast
