// io_uring from one thread. The only file that sees liburing; without it the engine says that it is not built in.
#include "core/probe/disk/read_engine.h"

#ifdef STALLCAST_HAS_LIBURING

#include <fmt/format.h>
#include <liburing.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <random>
#include <thread>

#include "core/diagnostics/finding.h"
#include "core/probe/disk/block_positions.h"
#include "core/probe/disk/huge_buffer.h"

namespace stallcast {
namespace {

constexpr unsigned kRingEntries = 4096;

class UringEngine : public ReadEngine {
 public:
  UringEngine() = default;
  UringEngine(const UringEngine&) = delete;
  UringEngine& operator=(const UringEngine&) = delete;
  ~UringEngine() override {
    if (ready_) ::io_uring_queue_exit(&ring_);
  }

  // 0, or what the kernel said.
  int start() {
    // One thread submits and reaps, so that completions need not interrupt it; kernels before 6.1 do without.
    int result = ::io_uring_queue_init(kRingEntries, &ring_, IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);
    if (result == -EINVAL) result = ::io_uring_queue_init(kRingEntries, &ring_, 0);
    ready_ = result == 0;
    return -result;
  }

  VisitTally run(const Visit& visit, const std::vector<OpenFile>& files, Allowance& allowance) override;
  std::string name() const override { return "io_uring"; }

 private:
  struct Slot {
    std::byte* buffer = nullptr;
    double issued_s = 0.0;
  };

  // The kernel may be out of memory for requests for a while.
  void submit() {
    constexpr int kMostTries = 2000;
    for (int tries = 0;; ++tries) {
      const int submitted = ::io_uring_submit(&ring_);
      if (submitted >= 0) return;
      if (submitted == -EINTR) continue;
      if ((submitted != -EAGAIN && submitted != -EBUSY) || tries >= kMostTries) fail(submitted);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  [[noreturn]] static void fail(int result) {
    throw WorldError(fmt::format("reads by io_uring cannot be made: {}", std::strerror(-result)));
  }

  io_uring ring_{};
  bool ready_ = false;
  HugeBuffer buffer_;
};

void record(const io_uring_cqe& done, double issued_s, double now_s, std::uint64_t block, VisitTally& tally) {
  if (done.res < 0) {
    if (tally.errors++ == 0) tally.first_error = -done.res;
    return;
  }
  if (static_cast<std::uint64_t>(done.res) < block) ++tally.ended_early;
  if (done.res > 0)
    tally.completions.push_back({now_s, static_cast<float>(now_s - issued_s), static_cast<std::uint32_t>(done.res)});
}

// A request is taken from the ring when its replacement is about to be submitted, one at a time: until then it counts
// as in flight, so throughput times mean latency is their number, as for a program with a thread per request. Handed
// over together, requests also reach the device together, and a queue of 16 small reads is 15 % slower.
VisitTally UringEngine::run(const Visit& visit, const std::vector<OpenFile>& files, Allowance& allowance) {
  const auto depth = std::min<std::size_t>(static_cast<std::size_t>(visit.in_flight), kRingEntries);
  const std::size_t block = visit.block_bytes;
  std::byte* const buffers = buffer_.at_least(block * depth);
  std::vector<Slot> slots(depth);
  for (std::size_t i = 0; i < depth; ++i) slots[i].buffer = buffers + i * block;
  BlockPositions positions(visit, files);
  std::mt19937_64 random(visit.seed);
  VisitTally tally;
  tally.completions.reserve(4096);

  // Submits the slot's next request; false, and none will follow, when the allowance has no more.
  const auto issue = [&](Slot& slot) {
    const double now_s = monotonic_s();
    if (tally.full_until_s > 0.0 || !allowance.take(block, now_s)) {
      if (tally.full_until_s == 0.0) tally.full_until_s = now_s;
      return false;
    }
    const BlockPositions::Position position = positions.next(random);
    io_uring_sqe* const request = ::io_uring_get_sqe(&ring_);
    ::io_uring_prep_read(request, position.descriptor, slot.buffer, static_cast<unsigned>(block), position.offset);
    ::io_uring_sqe_set_data(request, &slot);
    slot.issued_s = now_s;
    submit();
    return true;
  };

  tally.began_s = monotonic_s();
  std::size_t in_flight = 0;
  for (Slot& slot : slots) in_flight += issue(slot) ? 1 : 0;
  while (in_flight > 0) {
    io_uring_cqe* done = nullptr;
    const int waited = ::io_uring_wait_cqe(&ring_, &done);
    if (waited == -EINTR || waited == -EAGAIN) continue;
    if (waited < 0) fail(waited);
    Slot& slot = *static_cast<Slot*>(::io_uring_cqe_get_data(done));
    record(*done, slot.issued_s, monotonic_s(), block, tally);
    ::io_uring_cqe_seen(&ring_, done);
    if (!issue(slot)) --in_flight;
  }
  if (tally.full_until_s == 0.0) tally.full_until_s = monotonic_s();
  return tally;
}

}  // namespace

std::unique_ptr<ReadEngine> make_uring_engine(std::string& why_not) {
  auto engine = std::make_unique<UringEngine>();
  const int error = engine->start();
  if (error == 0) return engine;
  why_not = std::strerror(error);
  return nullptr;
}

}  // namespace stallcast

#else

namespace stallcast {

std::unique_ptr<ReadEngine> make_uring_engine(std::string& why_not) {
  why_not = "this build is without liburing";
  return nullptr;
}

}  // namespace stallcast

#endif
