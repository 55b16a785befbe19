// The core disciplines against a measurement made without any loader: processes that wait and compute in turns.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/engine/core_pool.h"
#include "core/engine/random_stream.h"

namespace stallcast {
namespace {

struct Work {
  double wall_s = 0.0;
  double rounds = 0.0;
};

// Forever: wait `wait_s` give or take 30 %, then compute `cpu_s`.
Process sharer(Simulator& sim, CorePool& cores, std::uint64_t who, double wait_s, double cpu_s, Work& work) {
  RandomStream random(1, DrawPurpose::kTest, who);
  CorePool::LastCore last;
  for (;;) {
    co_await sim.delay(to_ns(wait_s * (0.7 + 0.6 * random.uniform())));
    const SimTime begin = sim.now();
    co_await cores.run(cpu_s, last);
    work.wall_s += to_seconds(sim.now() - begin);
    work.rounds += 1.0;
  }
}

double work_wall_s(const nlohmann::json& row, CoreDiscipline discipline) {
  Simulator sim;
  CorePool cores(sim, 2.0, discipline, to_ns(1.4e-3));
  Work work;
  for (std::uint64_t who = 0; who < row.at("n").get<std::uint64_t>(); ++who)
    sim.spawn(sharer(sim, cores, who, row.at("wait_s"), row.at("cpu_s"), work));
  sim.run(to_ns(200.0));
  return work.wall_s / work.rounds;
}

// `work_wall_s` of machine.json, two cores, 40 to 76 % busy, within a quarter each; one common queue is 7 to 9 % too
// quick in four of the six, and on the mean further off.
TEST(CoreSharing, AQueuePerCoreIsNearerToTheMeasuredKernelThanOneQueue) {
  std::ifstream in(std::filesystem::path(STALLCAST_SOURCE_DIR) / "tests/validation/dataloader/machine.json");
  const nlohmann::json machine = nlohmann::json::parse(in);
  double per_core = 0.0, one_queue = 0.0;
  for (const nlohmann::json& row : machine.at("core_sharing")) {
    const double measured = row.at("work_wall_s");
    const double a = work_wall_s(row, CoreDiscipline::kQueuePerCore) / measured - 1.0;
    const double b = work_wall_s(row, CoreDiscipline::kOneQueue) / measured - 1.0;
    RecordProperty("n" + row.at("n").dump() + "_wait_" + row.at("wait_s").dump(),
                   std::to_string(a) + " " + std::to_string(b));
    EXPECT_LT(std::abs(a), 0.25) << row;
    per_core += std::abs(a);
    one_queue += std::abs(b);
  }
  EXPECT_LT(per_core, one_queue);
}

}  // namespace
}  // namespace stallcast
