#include "core/model/loader/sample_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>

#include "core/model/training_model.h"
#include "tests/core/model/model_run.h"

namespace stallcast {
namespace {

struct Paced {
  double step_s = 0.0;  // mean from the tenth step on
  double read_bytes = 0.0, requests = 0.0;
  std::uint64_t events = 0;
};

Paced paced(const Scenario& s, Grain grain = {}) {
  TrainingModel model(s, 1, nullptr, nullptr, nullptr, nullptr, nullptr, grain);
  model.run(std::numeric_limits<std::int64_t>::max(), [](std::int64_t) { return true; });
  const std::vector<double>& ends = model.log().end_s;
  return {(ends.back() - ends[9]) / static_cast<double>(ends.size() - 10), model.tier().read_bytes(),
          model.tier().requests(), model.simulator().events()};
}

// Eight ranks with four workers each, which wait for each request and share what moves the bytes.
Scenario shared_job() {
  Scenario s = bare_job(120);
  s.cluster.gpus_per_node = 8;
  s.loader.num_workers = 4;
  s.loader.prefetch_factor = 2;
  s.workload.step_time = Distribution::constant(0.02);
  s.storage.read_bandwidth = bytes_per_second(4e9);
  s.storage.latency = Distribution::constant(0.001);
  return s;
}

// 160 requests of 128 KiB are a step's, in ten samples of 16 or in one of 160: the bytes, the requests and the pace are
// the same, and the events are a tenth. Bandwidth for the 168 MB of all ranks takes 42 ms, one stream's requests 160
// ms.
TEST(SampleReader, ManyRequestsOfASampleCountAsManySamplesOfFew) {
  Scenario few = shared_job();
  few.dataset.layout = DatasetLayout::kShards;
  few.dataset.shuffle = Shuffle::kNone;
  few.dataset.request_size = bytes(131072.0);
  for (const double gigabytes_per_s : {2.5, 4.0, 8.0, 100.0}) {
    few.storage.read_bandwidth = bytes_per_second(gigabytes_per_s * 1e9);
    few.workload.batch_size = 10;
    few.dataset.sample_size = Distribution::constant(16 * 131072.0);
    Scenario many = few;
    many.workload.batch_size = 1;
    many.dataset.sample_size = Distribution::constant(160 * 131072.0);
    const Paced a = paced(few), b = paced(many), each = paced(many, kFinestGrain);
    EXPECT_NEAR(b.step_s, a.step_s, 0.01 * a.step_s) << gigabytes_per_s;
    EXPECT_DOUBLE_EQ(b.read_bytes, a.read_bytes) << gigabytes_per_s;
    EXPECT_DOUBLE_EQ(b.requests, a.requests) << gigabytes_per_s;
    EXPECT_LT(b.events, a.events / 4) << gigabytes_per_s;
    EXPECT_NEAR(each.step_s, b.step_s, 0.01 * b.step_s) << gigabytes_per_s;
    EXPECT_DOUBLE_EQ(each.requests, b.requests) << gigabytes_per_s;
    EXPECT_GT(each.events, 4 * b.events) << gigabytes_per_s;
  }
}

// 256 samples one by one, or in 16 loads of 16: limited by latency, by bandwidth, by request rate, by cores and by
// none of them.
TEST(SampleReader, ABatchInFewLoadsTakesAsLongAsSampleBySample) {
  Scenario base = shared_job();
  base.workload.batch_size = 256;
  base.dataset.layout = DatasetLayout::kFilePerSample;
  base.dataset.sample_size = Distribution::constant(1e5);
  base.dataset.decode_time = Distribution::lognormal(1e-3, 0.5);
  base.storage.latency = Distribution::lognormal(2e-3, 0.8);
  base.storage.open_latency = Distribution::constant(5e-4);
  base.cluster.cores_per_node = 48.0;
  base.storage.read_bandwidth = bytes_per_second(100e9);
  Scenario bandwidth = base, iops = base, metadata = base, cores = base, none = base;
  bandwidth.storage.read_bandwidth = bytes_per_second(0.5e9);
  iops.storage.read_iops = per_second(5000.0);
  metadata.storage.metadata_rate = per_second(5000.0);
  cores.cluster.cores_per_node = 6.0;
  none.workload.step_time = Distribution::constant(0.5);
  none.loader.num_workers = 16;
  for (const Scenario& s : {base, bandwidth, iops, metadata, cores, none}) {
    const Paced fine = paced(s), coarse = paced(s, kCoarseGrain);
    EXPECT_NEAR(coarse.step_s, fine.step_s, 0.02 * fine.step_s);
    EXPECT_DOUBLE_EQ(coarse.read_bytes, fine.read_bytes);
    EXPECT_DOUBLE_EQ(coarse.requests, fine.requests);
    EXPECT_LT(coarse.events, fine.events / 4);
  }
}

// The sum of 16 draws by one draw: its mean over many is 16 means, its standard deviation 4 of one.
TEST(SampleReader, SamplesTogetherHaveTheMeanAndTheVarianceOfTheirSum) {
  Scenario s = bare_job(1);
  s.dataset.sample_size = Distribution::lognormal(1e5, 0.7);
  s.dataset.decode_time = Distribution::lognormal(2e-3, 1.0);
  const Draws draws(s, 1, nullptr, kCoarseGrain);
  constexpr std::int64_t kCount = 16, kSums = 20000;
  EXPECT_EQ(draws.samples_of_load(kCoarseGrain.loads_of_batch * kCount), kCount);
  EXPECT_EQ(draws.samples_of_load(2 * kCoarseGrain.loads_of_batch + 1), 3);
  for (const std::int64_t pairs : {4, 7, 16, 32}) EXPECT_EQ(draws.samples_of_load(pairs), 2);
  EXPECT_EQ(draws.samples_of_load(3), 1);
  const auto recorded = std::make_shared<const ReplayedDraws>(ReplayedDraws{{ReplayedDraws::Rank{}}});
  EXPECT_EQ(Draws(s, 1, recorded, kCoarseGrain).samples_of_load(64), 1);
  double size = 0.0, square = 0.0, decode = 0.0;
  for (std::int64_t i = 0; i < kSums; ++i) {
    const SampleDraw sum = draws.samples(0, static_cast<std::uint64_t>(i * kCount), kCount);
    EXPECT_GT(sum.size_bytes, 0.0);
    size += sum.size_bytes;
    square += sum.size_bytes * sum.size_bytes;
    decode += sum.decode_s;
  }
  const double mean = size / kSums, sd = std::sqrt(square / kSums - mean * mean);
  const double one = 1e5 * std::sqrt(std::expm1(0.49));
  EXPECT_NEAR(mean, kCount * 1e5, 5.0 * 4.0 * one / std::sqrt(kSums));
  EXPECT_NEAR(sd, 4.0 * one, 0.1 * 4.0 * one);
  EXPECT_NEAR(decode / kSums, kCount * 2e-3, 0.02 * kCount * 2e-3);
}

}  // namespace
}  // namespace stallcast
