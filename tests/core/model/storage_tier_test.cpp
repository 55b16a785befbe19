// Reads and writes through the tier's limits, each worked out by hand. Bandwidth is a fluid: within 2 ns of exact.
#include "core/model/storage/storage_tier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/core/model/model_run.h"

namespace stallcast {
namespace {

constexpr double kMegabyte = 1e6;

// A read as the loader makes it: admitted, first byte, bytes.
Process reader(Simulator& sim, StorageTier& tier, std::int64_t node, double latency_s, double size, SimTime* done) {
  co_await sim.delay(tier.admit_read(node, size) - sim.now());
  co_await sim.delay(to_ns(latency_s));
  if (tier.takes_turns()) co_await tier.move_in_turns(node, size);
  if (tier.shares_bandwidth()) co_await tier.move(node, size);
  *done = sim.now();
}

Process opener(Simulator& sim, StorageTier& tier, double latency_s, SimTime* done) {
  co_await sim.delay(tier.admit_open(0) - sim.now());
  co_await sim.delay(to_ns(latency_s));
  *done = sim.now();
}

Process writer(Simulator& sim, StorageTier& tier, std::int64_t node, double size, SimTime* done) {
  co_await tier.write(node, size);
  *done = sim.now();
}

struct Read {
  std::int64_t node;
  double size;
};

// All reads start at 0; when each is done.
std::vector<SimTime> read_together(const Scenario& s, const std::vector<Read>& reads, double latency_s = 0.0) {
  Simulator sim;
  StorageTier tier(sim, s);
  std::vector<SimTime> done(reads.size(), -1);
  for (std::size_t i = 0; i < reads.size(); ++i)
    sim.spawn(reader(sim, tier, reads[i].node, latency_s, reads[i].size, &done[i]));
  sim.run();
  return done;
}

void expect_done(const std::vector<SimTime>& done, const std::vector<SimTime>& expected_ms) {
  ASSERT_EQ(done.size(), expected_ms.size());
  for (std::size_t i = 0; i < done.size(); ++i)
    EXPECT_NEAR(static_cast<double>(done[i]), static_cast<double>(expected_ms[i] * kMs), 2.0) << "read " << i;
}

Scenario nodes(std::int64_t count) {
  Scenario s = bare_job(1);
  s.cluster.nodes = count;
  return s;
}

TEST(StorageTier, WithoutLimitsOnlyTheFirstByteTakesTime) {
  EXPECT_EQ(read_together(nodes(1), {{0, kMegabyte}}, 0.005)[0], 5 * kMs);
  EXPECT_EQ(read_together(nodes(1), {{0, kMegabyte}})[0], 0);
}

// 5 ms to the first byte, then 1 MB at 100 MB/s. Streams do not disturb one another.
TEST(StorageTier, AStreamAddsItsBytesToTheLatency) {
  Scenario s = nodes(1);
  s.storage.stream_bandwidth = bytes_per_second(100e6);
  expect_done(read_together(s, {{0, kMegabyte}, {0, 2 * kMegabyte}}, 0.005), {15, 25});
}

// Two reads of node 0 share its 100 MB/s, the one of node 1 has its own; likewise the 50 MB/s of a slower NIC.
TEST(StorageTier, TheClientCapIsSharedByANode) {
  Scenario s = nodes(2);
  s.storage.client_read_bandwidth = bytes_per_second(100e6);
  const std::vector<Read> reads = {{0, kMegabyte}, {0, kMegabyte}, {1, kMegabyte}};
  expect_done(read_together(s, reads), {20, 20, 10});
  s.cluster.nic_bandwidth = bytes_per_second(50e6);  // the smaller of the two counts
  expect_done(read_together(s, reads), {40, 40, 20});
}

// 100 MB/s among all; with a fifth gone to neighbours, 80 MB/s.
TEST(StorageTier, TheTierCapIsSharedByAllNodes) {
  Scenario s = nodes(2);
  s.storage.read_bandwidth = bytes_per_second(100e6);
  expect_done(read_together(s, {{0, kMegabyte}, {1, kMegabyte}}), {20, 20});
  s.storage.noise = 0.2;
  expect_done(read_together(s, {{0, kMegabyte}, {1, kMegabyte}}), {25, 25});
}

// 33.3 MB/s each would be fair, but node 0 may take no more than 60 for its two: 30, 30, and 40 for node 1, which is
// done at 25 ms. Node 0 goes on at 30 each, its client being full: 1 MB / 30 MB/s.
TEST(StorageTier, WhatOneNodeCannotTakeIsLeftToTheOthers) {
  Scenario s = nodes(2);
  s.storage.read_bandwidth = bytes_per_second(100e6);
  s.storage.client_read_bandwidth = bytes_per_second(60e6);
  const auto done = read_together(s, {{0, kMegabyte}, {0, kMegabyte}, {1, kMegabyte}});
  EXPECT_NEAR(static_cast<double>(done[2]), 25e6, 2.0);
  EXPECT_NEAR(static_cast<double>(done[0]), 1e9 / 30.0, 2.0);
}

// A device in each node, not behind its NIC: each node has its 100 MB/s.
TEST(StorageTier, DevicesInNodesAreIndependent) {
  Scenario s = nodes(2);
  s.storage.scope = TierScope::kPerNode;
  s.storage.read_bandwidth = bytes_per_second(100e6);
  s.cluster.nic_bandwidth = bytes_per_second(1e6);
  expect_done(read_together(s, {{0, kMegabyte}, {0, kMegabyte}, {1, kMegabyte}}), {20, 20, 10});
}

// Half duplex: a read and a write of 1 MB share 100 MB/s; else each has its own.
TEST(StorageTier, HalfDuplexSharesReadsAndWrites) {
  for (const bool duplex : {true, false}) {
    Scenario s = nodes(1);
    s.storage.duplex = duplex;
    s.storage.read_bandwidth = bytes_per_second(100e6);
    s.storage.write_bandwidth = bytes_per_second(50e6);
    Simulator sim;
    StorageTier tier(sim, s);
    SimTime read = 0, write = 0;
    sim.spawn(reader(sim, tier, 0, 0.0, kMegabyte, &read));
    sim.spawn(writer(sim, tier, 0, kMegabyte, &write));
    sim.run();
    expect_done({read, write}, duplex ? std::vector<SimTime>{10, 20} : std::vector<SimTime>{20, 20});
    EXPECT_EQ(tier.read_bytes(), kMegabyte);
    EXPECT_EQ(tier.written_bytes(), kMegabyte);
  }
}

// Requests at 100/s: a read of 4 requests of 250 kB occupies 40 ms of them; the third read is admitted at 80 ms.
TEST(StorageTier, RequestsAreAdmittedAtTheirRate) {
  Scenario s = nodes(1);
  s.dataset.request_size = bytes(250e3);
  s.storage.read_iops = per_second(100);
  expect_done(read_together(s, {{0, kMegabyte}, {0, kMegabyte}, {0, kMegabyte}}, 0.005), {5, 45, 85});
  s.dataset.request_size = bytes(0);  // a whole read is one request
  expect_done(read_together(s, {{0, kMegabyte}, {0, kMegabyte}, {0, kMegabyte}}, 0.005), {5, 15, 25});
}

// 50 opens/s: one at once, then one every 20 ms; each takes 3 ms of latency.
TEST(StorageTier, OpensAreAdmittedAtTheMetadataRate) {
  Scenario s = nodes(1);
  s.storage.metadata_rate = per_second(50);
  Simulator sim;
  StorageTier tier(sim, s);
  std::vector<SimTime> done(3);
  for (SimTime& one : done) sim.spawn(opener(sim, tier, 0.003, &one));
  sim.run();
  expect_done(done, {3, 23, 43});
}

// Turns of 1 ms at 100 MB/s are 100 kB. Two readers of 300 kB: A B A B A B, done at 5 and 6 ms. A third of 50 kB that
// comes with them has one turn of half a millisecond: A B C A B A B, done at 5.5, 6.5 and 2.5 ms.
TEST(StorageTier, AQuantumServesReadersInTurns) {
  Scenario s = nodes(1);
  s.storage.read_bandwidth = bytes_per_second(100e6);
  s.storage.service_quantum = milliseconds(1);
  expect_done(read_together(s, {{0, 300e3}, {0, 300e3}}), {5, 6});
  const auto done = read_together(s, {{0, 300e3}, {0, 300e3}, {0, 50e3}});
  EXPECT_EQ(done, (std::vector<SimTime>{5'500'000, 6'500'000, 2'500'000}));
}

TEST(StorageTier, NamesTheCapThatBinds) {
  Scenario s = nodes(1);
  const auto limit = [](const Scenario& scenario) {
    Simulator sim;
    StorageTier tier(sim, scenario);
    SimTime done = 0;
    sim.spawn(reader(sim, tier, 0, 0.0, kMegabyte, &done));
    sim.run();
    return tier.read_limit(0);
  };
  s.storage.read_bandwidth = bytes_per_second(300e6);
  EXPECT_EQ(limit(s), LostTime::kTierBandwidth);
  s.cluster.nic_bandwidth = bytes_per_second(200e6);
  EXPECT_EQ(limit(s), LostTime::kClientCap);
  s.storage.stream_bandwidth = bytes_per_second(100e6);
  EXPECT_EQ(limit(s), LostTime::kStreamCap);
}

// ------------------------------------------------------------------------------------ what a sample reads, by layout

// One rank that loads inside next(), steps of 10 ms.
Scenario serial(DatasetLayout layout, Shuffle shuffle) {
  Scenario s = bare_job(4);
  s.loader.num_workers = 0;
  s.dataset.layout = layout;
  s.dataset.shuffle = shuffle;
  s.dataset.samples_per_shard = 4;
  s.dataset.sample_size = Distribution::constant(kMegabyte);
  return s;
}

// 2 ms to open, 3 to the first byte, 10 of bytes, 10 of compute.
TEST(StorageLayout, AFilePerSampleIsOpenedAndRead) {
  Scenario s = serial(DatasetLayout::kFilePerSample, Shuffle::kGlobal);
  s.storage.open_latency = Distribution::constant(0.002);
  s.storage.latency = Distribution::constant(0.003);
  s.storage.stream_bandwidth = bytes_per_second(100e6);
  expect_done(run_model(s).end_ns, {25, 50, 75, 100});
}

// Requests at 50/s, 5 ms to the first byte, 10 ms of bytes on the stream, 1 ms of compute. Step 0 ends at 16; sample 1
// is admitted at 20 and there at 35; sample 2 at 40. Each wait has its own cause.
TEST(StorageLayout, WaitingIsToldFromMoving) {
  Scenario s = serial(DatasetLayout::kRecords, Shuffle::kGlobal);
  s.workload.step_time = Distribution::constant(0.001);
  s.storage.read_iops = per_second(50);
  s.storage.latency = Distribution::constant(0.005);
  s.storage.stream_bandwidth = bytes_per_second(100e6);
  const ModelRun run = run_model(s);
  expect_done(run.end_ns, {16, 36, 56, 76});
  const auto& lost = run.log.lost_s[1];
  EXPECT_NEAR(lost[static_cast<std::size_t>(LostTime::kRequestRate)], 0.004, 1e-8);
  EXPECT_NEAR(lost[static_cast<std::size_t>(LostTime::kStorageLatency)], 0.005, 1e-8);
  EXPECT_NEAR(lost[static_cast<std::size_t>(LostTime::kStreamCap)], 0.010, 1e-8);
}

// A random sample of a row group of 4 reads the group: 4 MB at 100 MB/s. In file order it reads its own 1 MB.
TEST(StorageLayout, ARandomSampleReadsItsRowGroup) {
  Scenario s = serial(DatasetLayout::kColumnar, Shuffle::kGlobal);
  s.storage.stream_bandwidth = bytes_per_second(100e6);
  ModelRun run = run_model(s);
  expect_done(run.end_ns, {50, 100, 150, 200});
  EXPECT_DOUBLE_EQ(run.read_bytes, 16e6);
  s.dataset.shuffle = Shuffle::kNone;
  run = run_model(s);
  expect_done(run.end_ns, {20, 40, 60, 80});
  EXPECT_DOUBLE_EQ(run.read_bytes, 4e6);
}

// 1 MB at a random place in requests of 300 kB. By read() all four go at once: 3 ms to the first byte, 10 of bytes, 10
// of compute. By page faults each waits for the one before, and comes whole: 4 * 3 ms, 12 of bytes, 10 of compute. In
// file order there is a read-ahead, and the map changes nothing.
TEST(StorageLayout, AMapWithoutReadAheadIsReadPageByPage) {
  Scenario s = serial(DatasetLayout::kRecords, Shuffle::kGlobal);
  s.dataset.request_size = bytes(300e3);
  s.storage.latency = Distribution::constant(0.003);
  s.storage.stream_bandwidth = bytes_per_second(100e6);
  ModelRun run = run_model(s);
  expect_done(run.end_ns, {23, 46, 69, 92});
  EXPECT_DOUBLE_EQ(run.requests, 16.0);
  EXPECT_DOUBLE_EQ(run.read_bytes, 4e6);
  s.dataset.page_by_page = true;
  run = run_model(s);
  expect_done(run.end_ns, {34, 68, 102, 136});
  EXPECT_DOUBLE_EQ(run.requests, 16.0);
  EXPECT_DOUBLE_EQ(run.read_bytes, 4.8e6);
  Scenario in_order = serial(DatasetLayout::kShards, Shuffle::kNone);
  in_order.dataset.request_size = bytes(300e3);
  in_order.storage.latency = Distribution::constant(0.003);
  const std::vector<SimTime> read = run_model(in_order).end_ns;
  in_order.dataset.page_by_page = true;
  EXPECT_EQ(run_model(in_order).end_ns, read);
}

// A wait of 28 page faults is the sum of 28 draws: its mean that of the latency, its deviation a sqrt(28)th in each.
TEST(StorageLayout, PageFaultsWaitAsLongAsTheirLatenciesTogether) {
  constexpr double kLatency = 0.001, kFaults = 28.0;
  constexpr std::int64_t kSteps = 400;
  Scenario s = serial(DatasetLayout::kRecords, Shuffle::kGlobal);
  s.run.steps_per_epoch = kSteps;
  s.workload.step_time = Distribution::constant(0.0);
  s.dataset.sample_size = Distribution::constant(28 * 4096.0);
  s.dataset.request_size = bytes(4096);
  s.dataset.page_by_page = true;
  s.storage.latency = Distribution::lognormal(kLatency, 1.0);
  const ModelRun run = run_model(s);
  const double all = to_seconds(run.end_ns.back());
  const double expected = kSteps * kFaults * kLatency;
  const double deviation = kLatency * std::sqrt(std::exp(1.0) - 1.0) * std::sqrt(kSteps * kFaults);
  EXPECT_NEAR(all, expected, 4.0 * deviation);
}

// Requests of 3 MB hold three samples: a wait of 30 ms at samples 0 and 3. Requests of 400 kB: 3, then 2 with the 200
// kB left, 3 and 2: 90 + 10, 60 + 10, ...
TEST(StorageLayout, SequentialReadsGoAheadByRequests) {
  Scenario s = serial(DatasetLayout::kShards, Shuffle::kNone);
  s.storage.latency = Distribution::constant(0.03);
  s.dataset.request_size = bytes(3e6);
  ModelRun run = run_model(s);
  expect_done(run.end_ns, {40, 50, 60, 100});
  EXPECT_DOUBLE_EQ(run.read_bytes, 6e6);
  EXPECT_DOUBLE_EQ(run.requests, 2.0);
  s.dataset.request_size = bytes(400e3);
  run = run_model(s);
  expect_done(run.end_ns, {100, 170, 270, 340});
  EXPECT_DOUBLE_EQ(run.requests, 10.0);
}

// What is read ahead ends with its shard: shards of 4 MB in requests of 3 MB are two requests each, with workers and
// without.
TEST(StorageLayout, ReadingAheadEndsWithTheShard) {
  for (const std::int64_t workers : {0, 1}) {
    Scenario s = serial(DatasetLayout::kShards, Shuffle::kShard);
    s.loader.style = LoaderStyle::kIterable;
    s.loader.num_workers = workers;
    s.dataset.shards_per_rank = 3;
    s.dataset.request_size = bytes(3e6);
    EXPECT_DOUBLE_EQ(run_model(s).requests, 6.0) << workers << " workers";
  }
}

// 10 requests/s: two nodes' reads wait 100 ms for one another at a shared tier, and not where each has a device of its
// own.
TEST(StorageTier, ADeviceInEveryNodeHasRequestsOfItsOwn) {
  Scenario s = nodes(2);
  s.storage.read_iops = per_second(10);
  expect_done(read_together(s, {{0, 1.0}, {1, 1.0}}), {0, 100});
  s.storage.scope = TierScope::kPerNode;
  expect_done(read_together(s, {{0, 1.0}, {1, 1.0}, {1, 1.0}}), {0, 0, 100});
}

}  // namespace
}  // namespace stallcast
