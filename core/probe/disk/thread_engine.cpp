// pread on threads.
#include <cerrno>
#include <random>
#include <utility>

#include "core/diagnostics/file_calls.h"
#include "core/probe/disk/block_positions.h"
#include "core/probe/disk/huge_buffer.h"
#include "core/probe/disk/read_engine.h"
#include "core/probe/disk/thread_team.h"

namespace stallcast {
namespace {

class ThreadEngine : public ReadEngine {
 public:
  explicit ThreadEngine(std::function<void(std::uint64_t)> before_read) : before_read_(std::move(before_read)) {}

  VisitTally run(const Visit& visit, const std::vector<OpenFile>& files, Allowance& allowance) override {
    const std::size_t block = visit.block_bytes;
    std::byte* const buffers = buffer_.at_least(block * static_cast<std::size_t>(visit.in_flight));
    BlockPositions positions(visit, files);
    std::vector<std::mt19937_64> random;
    for (int thread = 0; thread < visit.in_flight; ++thread)
      random.emplace_back(visit.seed + static_cast<std::uint64_t>(thread) * 7919);
    return run_on_threads(visit.in_flight, [&](int thread, double now_s, RequestOutcome& outcome) {
      if (!allowance.take(block, now_s)) return false;
      const auto index = static_cast<std::size_t>(thread);
      if (before_read_) before_read_(block);
      const BlockPositions::Position position = positions.next(random[index], thread);
      const ssize_t got = read_at(position.descriptor, buffers + index * block, block, position.offset);
      if (got < 0) {
        outcome.error = errno;
      } else {
        outcome.bytes = static_cast<std::uint32_t>(got);
        outcome.ended_early = static_cast<std::size_t>(got) < block;
      }
      return true;
    });
  }

  std::string name() const override { return "pread"; }

 private:
  std::function<void(std::uint64_t)> before_read_;
  HugeBuffer buffer_;
};

}  // namespace

std::unique_ptr<ReadEngine> make_thread_engine(std::function<void(std::uint64_t)> before_read) {
  return std::make_unique<ThreadEngine>(std::move(before_read));
}

}  // namespace stallcast
