// The loader pipeline at sample fidelity in SimGrid. Arguments: ranks, steps, a step in ms.
//
// Each rank has kWorkers workers and one trainer. A worker makes every kWorkers-th batch: per sample it waits for the
// first byte, shares the disk with all other workers, then shares the CPU's cores. Trainers take batches in order, one
// from each worker in turn, compute, and meet at a barrier after every step.
#include <cstdint>
#include <random>
#include <simgrid/s4u.hpp>
#include <vector>

#include "peer_report.h"

namespace sg = simgrid::s4u;

namespace {

constexpr int kWorkers = 8;
constexpr int kPrefetch = 2;  // batches per worker made ahead
constexpr int kBatch = 32;    // samples
constexpr int kCores = 32;
constexpr double kLatencyS = 0.5e-3;  // mean, exponential
constexpr double kSampleBytes = 150e3;
constexpr double kDiskBytesPerS = 2e9;
constexpr double kDecodeS = 1e-3;  // on one core alone

struct Rank {
  std::vector<sg::SemaphorePtr> ready;  // per worker: batches made and not taken
  std::vector<sg::SemaphorePtr> room;   // per worker: batches it may still make ahead
  std::mt19937_64 random;
};

// Worker `worker` makes batches worker, worker + kWorkers, ... below `steps`.
void work(Rank& rank, int worker, int steps, const sg::Disk& disk) {
  std::exponential_distribution<double> latency(1.0 / kLatencyS);
  for (int batch = worker; batch < steps; batch += kWorkers) {
    rank.room[worker]->acquire();
    for (int sample = 0; sample < kBatch; ++sample) {
      sg::this_actor::sleep_for(latency(rank.random));
      disk.read(static_cast<sg_size_t>(kSampleBytes));
      sg::this_actor::execute(kDecodeS);
    }
    rank.ready[worker]->release();
  }
}

void train(Rank& rank, int steps, double step_s, sg::Barrier& barrier) {
  for (int step = 0; step < steps; ++step) {
    rank.ready[step % kWorkers]->acquire();
    rank.room[step % kWorkers]->release();
    sg::this_actor::sleep_for(step_s);
    barrier.wait();
  }
}

}  // namespace

int main(int argc, char** argv) {
  sg::Engine engine(&argc, argv);
  const auto ranks = static_cast<int>(stallcast::peers::argument(argc, argv, 1));
  const auto steps = static_cast<int>(stallcast::peers::argument(argc, argv, 2));
  const double step_s = 1e-3 * static_cast<double>(stallcast::peers::argument(argc, argv, 3));

  sg::NetZone* zone = sg::create_full_zone("zone");
  sg::Host* host = zone->create_host("node", 1.0)->set_core_count(kCores);
  sg::Disk* disk = host->create_disk("disk", kDiskBytesPerS, kDiskBytesPerS);
  host->seal();
  zone->seal();

  std::vector<Rank> all(static_cast<std::size_t>(ranks));
  const sg::BarrierPtr barrier = sg::Barrier::create(static_cast<unsigned>(ranks));
  for (int r = 0; r < ranks; ++r) {
    Rank& rank = all[static_cast<std::size_t>(r)];
    rank.random.seed(static_cast<std::uint64_t>(r) + 1);
    for (int worker = 0; worker < kWorkers; ++worker) {
      rank.ready.push_back(sg::Semaphore::create(0));
      rank.room.push_back(sg::Semaphore::create(kPrefetch));
      sg::Actor::create("worker", host, [&rank, worker, steps, disk] { work(rank, worker, steps, *disk); });
    }
    sg::Actor::create("trainer", host, [&rank, steps, step_s, &barrier] { train(rank, steps, step_s, *barrier); });
  }

  const stallcast::peers::Stopwatch watch;
  engine.run();
  const auto samples = static_cast<std::int64_t>(ranks) * steps * kBatch;
  stallcast::peers::print_measurement(samples, watch.elapsed_s(), sg::Engine::get_clock());
  return 0;
}
