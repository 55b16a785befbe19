#include "core/backtest/loader/real_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <thread>

#include "core/backtest/loader/decode_work.h"
#include "core/diagnostics/finding.h"
#include "tests/core/backtest/temporary_files.h"

namespace stallcast {
namespace {

using testing::HasSubstr;

std::string content_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

LoaderSetting setting(std::int64_t workers, std::int64_t batches) {
  LoaderSetting s;
  s.workload = "test";
  s.workers = workers;
  s.batch_size = 4;
  s.batches = batches;
  s.step_s = 0.0005;
  return s;
}

// Sizes around pages and sectors: a direct read gives whole pages, and the rest of the last must be left out.
TEST(SampleReaderBuffer, ReadsWholeFilesOfAnySize) {
  const std::vector<std::size_t> sizes{1, 511, 512, 4095, 4096, 4097, 100000, 2097152, 2097153};
  const TemporaryFiles directory(sizes);
  const SampleFiles files = find_sample_files(directory.path());
  SampleReaderBuffer buffer(files.largest);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    EXPECT_EQ(content_of(buffer.read(files.files[i])), std::string(sizes[i], static_cast<char>('a' + i)));
}

TEST(SampleReaderBuffer, SaysWhichFileVanishedOrShrank) {
  const TemporaryFiles directory({5000, 5000});
  const SampleFiles files = find_sample_files(directory.path());
  std::filesystem::remove(directory.file(0));
  std::filesystem::resize_file(directory.file(1), 4000);
  SampleReaderBuffer buffer(files.largest);
  const auto message_of = [&](std::size_t i) -> std::string {
    try {
      buffer.read(files.files[i]);
    } catch (const WorldError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message_of(0), directory.file(0).string() + ": No such file or directory");
  EXPECT_EQ(message_of(1), directory.file(1).string() + ": 4000 bytes were read, it had 5000 when the backtest began");
}

TEST(SampleReaderBuffer, DoesNotOpenWhatHasBecomeALink) {
  const TemporaryFiles directory({5000, 5000});
  const SampleFiles files = find_sample_files(directory.path());
  std::filesystem::remove(directory.file(0));
  std::filesystem::create_symlink(directory.file(1), directory.file(0));
  SampleReaderBuffer buffer(files.largest);
  EXPECT_THROW(buffer.read(files.files[0]), WorldError);
}

TEST(DecodeWork, IsCrc32OfSoManyPasses) {
  const std::string text(1000, 'x');
  const auto bytes = std::as_bytes(std::span(text));
  const auto crc = [&](std::uint32_t start, std::size_t size) {
    return static_cast<std::uint32_t>(::crc32_z(start, reinterpret_cast<const Bytef*>(text.data()), size));
  };
  EXPECT_EQ(decode(bytes, 0.0), 0U);
  EXPECT_EQ(decode(bytes, 1.0), crc(0, 1000));
  EXPECT_EQ(decode(bytes, 2.0), crc(crc(0, 1000), 1000));
  EXPECT_EQ(decode(bytes, 1.25), crc(crc(0, 1000), 250));
}

// Time is proportional to passes times bytes: what the prediction rests on. CPU time, so that a busy machine does not
// matter; work is compared by its counted bytes, not by a clock.
TEST(DecodeWork, CostIsPositiveAndMeasuredOnEveryThread) {
  const DecodeCost cost = measure_decode(2, 100000, 0.1);
  EXPECT_GT(cost.s_per_byte, 1e-12);  // faster than 1 TB/s on one core there is none
  EXPECT_LT(cost.s_per_byte, 1e-6);
}

TEST(RealLoader, ConsumesEverySampleOnceWhateverTheWorkers) {
  const TemporaryFiles directory({1000, 2000, 3000, 4000});
  const SampleFiles files = find_sample_files(directory.path());
  for (const std::int64_t workers : {0, 1, 3}) {
    const LoaderRun run = run_real_loader(files, setting(workers, 6));
    EXPECT_TRUE(run.finished);
    EXPECT_EQ(run.samples, 24);
    // Six epochs of 4 files each.
    EXPECT_EQ(run.bytes, 6 * (1000 + 2000 + 3000 + 4000));
    EXPECT_GE(run.steps_s, 6 * 0.0005);  // a sleep is never too short
    EXPECT_GE(run.wall_s, run.steps_s);
    EXPECT_LE(run.utilization(), 1.0);
  }
}

// The kernel's own count of bytes read from devices: direct reads are all counted, whatever the page cache holds (the
// files have just been written). A file system in memory counts none.
TEST(RealLoader, ReadsFromTheDeviceAndNotFromThePageCache) {
  const TemporaryFiles directory(std::vector<std::size_t>(8, 256 * 1024));
  const SampleFiles files = find_sample_files(directory.path());
  SampleReaderBuffer buffer(files.largest);
  buffer.read(files.files[0]);
  if (!buffer.direct()) GTEST_SKIP() << "this file system has no direct reads";
  const LoaderRun run = run_real_loader(files, setting(2, 4));
  if (run.device_bytes == 0.0) GTEST_SKIP() << "this file system does not count bytes read";
  EXPECT_GE(run.device_bytes, run.bytes);
}

TEST(RealLoader, NamesTheFileThatVanished) {
  const TemporaryFiles directory({1000, 2000, 3000, 4000});
  const SampleFiles files = find_sample_files(directory.path());
  std::filesystem::remove(directory.file(2));
  for (const std::int64_t workers : {0, 2}) {
    try {
      run_real_loader(files, setting(workers, 6));
      FAIL() << "a missing file was read";
    } catch (const WorldError& error) {
      EXPECT_THAT(error.what(), HasSubstr(directory.file(2).string()));
    }
  }
}

TEST(RealLoader, StopsDuringAStepAndSaysThatItDidNotFinish) {
  const TemporaryFiles directory({1000, 2000});
  const SampleFiles files = find_sample_files(directory.path());
  std::stop_source source;
  LoaderSetting endless = setting(1, 1000);
  endless.step_s = 3600.0;
  const std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    source.request_stop();
  });
  EXPECT_FALSE(run_real_loader(files, endless, source.get_token()).finished);
}

}  // namespace
}  // namespace stallcast
