// Traces of the PyTorch profiler: made by hand so that every part of a step is known, and a real one beside what the
// training loop measured by its own clock.
#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "core/calibrate/read/read_trace.h"
#include "core/units/distribution.h"
#include "tests/core/calibrate/reader_fixture.h"

namespace stallcast {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsNull;
using ::testing::NotNull;
using ::testing::SizeIs;

class TraceReader : public ReaderTest {
 protected:
  // Microseconds from 1700000000 s after 1970, as Kineto writes them: 16 digits and a fraction.
  static std::string event(const std::string& category, const std::string& name, double begin, double end,
                           const std::string& more = "") {
    return fmt::format(R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": 1, "tid": 2, "ts": 170000{:014.3f},
      "dur": {:.3f}{}}},)",
                       category, name, begin, end - begin, more);
  }
  static std::string step(int number, double begin, double end) {
    return event("user_annotation", "ProfilerStep#" + std::to_string(number), begin, end);
  }
  static std::string wait(double begin, double end) {
    return event("user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", begin, end);
  }
  static std::string kernel(double begin, double end, const std::string& name = "volta_sgemm_128x64_nn") {
    return event("kernel", name, begin, end);
  }
  static std::string copy(double begin, double end, const std::string& bytes) {
    return event("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", begin, end, ", \"args\": {\"bytes\": " + bytes + "}");
  }
  static std::string document(const std::string& events) {
    return R"({"schemaVersion": 1, "deviceProperties": [{"id": 0}], "distributedInfo": {"rank": 0}, "traceEvents": [)" +
           events + R"({"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "python"}}], "traceName": "a"})";
  }
  // Step 1, 10 ms: the loader is awaited 0-3 and a kernel hides 0.5 of it; a copy 3-3.5 is hidden from 3.4 on; kernels
  // to 9; the all-reduce 8.5-9.6 is hidden up to 9. Left for computing: 10 - 2.5 - 0.4 - 0.6 = 6.5 ms.
  // Step 2, 8.0005 ms: awaited for 2, so 6.0005 ms.
  static std::string two_steps() {
    return step(1, 0, 10000) + wait(0, 3000) + kernel(2000, 2500) + copy(3000, 3500, "5000000") + kernel(3400, 9000) +
           kernel(8500, 9600, "ncclDevKernel_AllReduce_Sum_f32_RING_LL") +
           event("gpu_user_annotation", "ProfilerStep#1", 2000, 9000) + step(2, 10000, 18000.5) + wait(10000, 12000) +
           kernel(12000.25, 18000.25) + event("cpu_op", "aten::mm", 12000, 12100) +
           event("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", 17000, 17100) +
           R"({"ph": "s", "id": 5, "cat": "ac2g", "name": "ac2g", "ts": 1, "pid": 1, "tid": 1},)";
  }
};

TEST_F(TraceReader, ExplainsEveryPartOfAStep) {
  write("trace", document(two_steps()));
  const auto events = read_trace_events(file("trace"), false);
  ASSERT_TRUE(events.ok()) << rendered(events.findings);
  const auto steps = steps_of(*events.value);
  ASSERT_THAT(steps, SizeIs(2));
  EXPECT_THAT(steps[0].wall_s, DoubleNear(10e-3, 1e-12));
  EXPECT_THAT(steps[0].wait_s, DoubleNear(3e-3, 1e-12));
  EXPECT_THAT(steps[0].idle_wait_s, DoubleNear(2.5e-3, 1e-12));
  EXPECT_THAT(steps[0].copy_s, DoubleNear(0.5e-3, 1e-12));
  EXPECT_THAT(steps[0].exposed_copy_s, DoubleNear(0.4e-3, 1e-12));
  EXPECT_THAT(steps[0].exposed_comm_s, DoubleNear(0.6e-3, 1e-12));
  EXPECT_THAT(steps[0].compute_s(), DoubleNear(6.5e-3, 1e-12));
  EXPECT_THAT(steps[0].gpu_busy_s, DoubleNear(6.7e-3, 1e-12));  // 2-2.5 and 3.4-9.6
  EXPECT_THAT(steps[1].compute_s(), DoubleNear(6.0005e-3, 1e-12));
  EXPECT_THAT(steps[1].gpu_busy_s, DoubleNear(6e-3, 1e-12));
}

TEST_F(TraceReader, MakesAStepTimeABandwidthAndOutcomes) {
  const Measurements measured = read_text(document(two_steps()));
  EXPECT_EQ(measured.tool, "kineto");
  ASSERT_THAT(field(measured, "/workload/step_time"), NotNull());
  EXPECT_THAT(std::get<Distribution>(field(measured, "/workload/step_time")->value).quantiles,
              ElementsAre(DoubleNear(6.0005e-3, 1e-12), DoubleNear(6.5e-3, 1e-12)));
  EXPECT_EQ(std::get<std::int64_t>(field(measured, "/workload/step_time_form")->value), 0);
  // 5 MB in 0.5 ms.
  EXPECT_THAT(std::get<double>(field(measured, "/cluster/host_to_device_bandwidth")->value), DoubleNear(10e9, 1.0));
  EXPECT_THAT(observation(measured, "step_wall_s")->value, DoubleNear(9.00025e-3, 1e-12));
  EXPECT_THAT(observation(measured, "data_wait_s")->value, DoubleNear(2.5e-3, 1e-12));
  EXPECT_THAT(observation(measured, "gpu_busy_fraction")->value, DoubleNear(12.7 / 18.0005, 1e-9));
  EXPECT_THAT(observation(measured, "gpu_utilization")->value, DoubleNear(12.5005 / 18.0005, 1e-9));
  EXPECT_THAT(observation(measured, "host_to_device_s")->value, DoubleNear(0.25e-3, 1e-12));
  EXPECT_THAT(observation(measured, "communication_s")->value, DoubleNear(0.3e-3, 1e-12));
  for (const FieldMeasurement& one : measured.fields) {
    const Field* known = find_field(one.pointer);
    ASSERT_THAT(known, NotNull()) << one.pointer;
    EXPECT_EQ(one.value.index(), known->get(Scenario()).index()) << one.pointer;
  }
}

TEST_F(TraceReader, IntervalIsThatOfTheMean) {
  // Compute times 4, 5, 6 ms: deviation 1, mean 5, so exp(1.645 / 5 / sqrt 3).
  const Measurements measured = read_text(document(step(1, 0, 5000) + wait(0, 1000) + step(2, 5000, 11000) +
                                                   wait(5000, 6000) + step(3, 11000, 18000) + wait(11000, 12000)));
  const FieldMeasurement* time = field(measured, "/workload/step_time");
  ASSERT_THAT(time, NotNull());
  EXPECT_THAT(time->high_factor, DoubleNear(std::exp(1.645 / 5 / std::sqrt(3.0)), 1e-9));
  EXPECT_THAT(time->low_factor * time->high_factor, DoubleNear(1.0, 1e-12));
}

TEST_F(TraceReader, KeepsTheMeanOfManySteps) {
  std::string events;
  for (int i = 0; i < 1000; ++i)
    events += step(i, i * 2000.0, i * 2000.0 + 1000 + i) + wait(i * 2000.0, i * 2000.0 + 1);
  const Measurements measured = read_text(document(events));
  const auto& distribution = std::get<Distribution>(field(measured, "/workload/step_time")->value);
  EXPECT_THAT(distribution.quantiles, SizeIs(100));
  EXPECT_THAT(mean_of(distribution), DoubleNear((1000 + 499.5 - 1) * 1e-6, 1e-12));  // 1000 + i - 1, i = 0 to 999
}

TEST_F(TraceReader, StepsOfSeveralBatchesAreDividedAndEdgesLeftOut) {
  // Two batches a step; the third step begins an epoch, with a third call.
  const Measurements measured = read_text(document(
      step(1, 0, 10000) + wait(0, 1000) + wait(5000, 6000) + step(2, 10000, 20000) + wait(10000, 11000) +
      wait(15000, 16000) + step(3, 20000, 40000) + wait(20000, 21000) + wait(22000, 23000) + wait(25000, 26000)));
  const FieldMeasurement* time = field(measured, "/workload/step_time");
  EXPECT_THAT(std::get<Distribution>(time->value).quantiles,
              ElementsAre(DoubleNear(4e-3, 1e-12), DoubleNear(4e-3, 1e-12)));
  EXPECT_THAT(time->source, HasSubstr("1 at an epoch's edge left out, 2 batches each"));
}

TEST_F(TraceReader, ReadsAFolderOfRanksCompressedOrNot) {
  write("job/rank0.json", document(two_steps()));
  write_gzip("job/rank1.json.gz", document(step(1, 0, 4000) + wait(0, 1000) + kernel(1000, 4000)));
  write("job/notes.txt", "nothing of use");
  const Measurements measured = read(file("job"));
  EXPECT_THAT(std::get<Distribution>(field(measured, "/workload/step_time")->value).quantiles, SizeIs(3));
  // Waits per step: 2.5 ms and 1 ms; mean 1.75, deviation 1.5 / sqrt 2.
  EXPECT_THAT(observation(measured, "data_wait_s")->value, DoubleNear(1.75e-3, 1e-12));
  EXPECT_THAT(observation(measured, "data_wait_s")->spread, DoubleNear(1.5e-3 / std::sqrt(2.0), 1e-12));
  EXPECT_THAT(observation(measured, "data_wait_s")->source, HasSubstr("3 ProfilerSteps of 2 traces"));
}

TEST_F(TraceReader, TakesNoStepTimeThatItCannotKnow) {
  EXPECT_THAT(codes(document(step(1, 0, 10000) + kernel(0, 9000))), ElementsAre("warning no_loader"));
  const std::string ahead = document(step(1, 0, 10000) + wait(0, 1000) + kernel(1000, 30000));
  EXPECT_THAT(codes(ahead), ElementsAre("warning host_ahead"));
  const Measurements measured = read_text(ahead);
  EXPECT_THAT(measured.fields, IsEmpty());
  EXPECT_THAT(observation(measured, "data_wait_s"), NotNull());
}

TEST_F(TraceReader, NamesWhatIsMissingOrWrong) {
  EXPECT_THAT(codes(document(kernel(0, 5))), ElementsAre("error missing_key"));
  std::string negative = document(step(1, 5, 10));
  negative.replace(negative.find("\"dur\": 5"), 8, "\"dur\":-5");
  EXPECT_THAT(message(negative), HasSubstr("/traceEvents/0/dur"));
  std::string lost = document(step(1, 5, 10));
  lost.replace(lost.find("\"dur\""), 5, "\"len\"");
  EXPECT_THAT(codes(lost), ElementsAre("error missing_key"));
  std::string large = document(step(1, 5, 10));
  large.replace(large.find("\"dur\": 5.000"), 12, "\"dur\": 1e300");
  EXPECT_THAT(codes(large), ElementsAre("error out_of_range"));
  const std::string whole = document(two_steps());
  EXPECT_THAT(codes(whole.substr(0, whole.size() / 2)), ElementsAre("error invalid_json"));
}

TEST_F(TraceReader, RefusesDamagedAndSwellingArchives) {
  std::string events;
  for (int i = 0; i < 2000; ++i) events += step(i, i * 1000.0, i * 1000.0 + 900);
  write_gzip("whole.json.gz", document(events));
  std::ifstream in(file("whole.json.gz"), std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  const std::string packed = bytes.str();
  write("half.json.gz", packed.substr(0, packed.size() / 2));
  EXPECT_THAT(codes_of(file("half.json.gz")), ElementsAre("error damaged_gzip"));
  std::string broken = packed;
  for (std::size_t i = packed.size() / 2; i < packed.size() / 2 + 50; ++i) broken[i] = static_cast<char>(~broken[i]);
  write("broken.json.gz", broken);
  EXPECT_THAT(codes_of(file("broken.json.gz")), ElementsAre("error damaged_gzip"));
  // 80 MiB of spaces in some 80 kB.
  write_gzip("bomb.json.gz", "{\"traceEvents\": [" + std::string(std::size_t{80} << 20, ' ') + "]}");
  EXPECT_THAT(codes_of(file("bomb.json.gz")), ElementsAre("error too_large"));
}

// Debian's PyTorch 1.13, CPU only, without Kineto: 64 samples of 2 ms each read inside next() (no workers), batches of
// 4, then a small model and a sleep of 5 ms. The loop itself clocked steps 2 to 9, which are ProfilerStep#1 to #8
// there: 28.3736 ms in next() and 10.9146 ms for the rest, on average. The profiler's own work around an event comes on
// top.
TEST_F(TraceReader, AgreesWithTheClockOfARealLoop) {
  const Measurements measured =
      read(std::string(STALLCAST_SOURCE_DIR) + "/tests/core/calibrate/data/torch_1_13_inline_loader.json.gz");
  EXPECT_THAT(observation(measured, "data_wait_s")->value, DoubleNear(28.3736e-3, 0.1e-3));
  const auto& time = std::get<Distribution>(field(measured, "/workload/step_time")->value);
  EXPECT_THAT(time.quantiles, SizeIs(8));
  EXPECT_GT(mean_of(time), 10.9146e-3);
  EXPECT_LT(mean_of(time), 10.9146e-3 + 0.25e-3);
  EXPECT_THAT(observation(measured, "gpu_busy_fraction"), IsNull());
}

}  // namespace
}  // namespace stallcast
