#include "core/probe/probe_files.h"

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

#include "core/diagnostics/finding.h"
#include "core/probe/result/probe_json.h"
#include "core/units/binary_multiples.h"
#include "tests/core/probe/probe_folder.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ProbeOptions small_limits(double mebibytes = 32.0) {
  ProbeOptions options;
  options.seconds = 2.0;
  options.bytes = mebibytes * kMiB;
  options.max_in_flight = 16;
  return options;
}

class ProbeFiles : public ProbeFolder {
 protected:
  void SetUp() override {
    ProbeFolder::SetUp();
    if (file_system_of(folder_).in_memory) GTEST_SKIP() << "the working directory is in memory";
  }

  // The kernel's own count of what `reading` fetches within `options`, and what the probe says of itself.
  static void expect_within(const std::filesystem::path& target, const ProbeOptions& options,
                            const FileReading& reading) {
    const auto before = process_fetched_bytes();
    const ProbeResult result = probe_files(target, options, reading);
    const auto after = process_fetched_bytes();
    if (!before || !after) GTEST_SKIP() << "the kernel does not count reads";
    EXPECT_LE(*after - *before, options.bytes);
    EXPECT_LE(result.bytes, options.bytes);
    EXPECT_GT(*after - *before, 0.25 * options.bytes) << "the counter did not see the reads";
    EXPECT_GT(result.points.size(), 4u);
  }

  static std::string error_of(const std::filesystem::path& target) {
    try {
      probe_files(target, small_limits());
    } catch (const WorldError& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(ProbeFiles, ReadsNoMoreThanAllowed) { expect_within(file("f", 32 << 20), small_limits(), {}); }

TEST_F(ProbeFiles, ThreadsReadNoMoreThanAllowed) {
  FileReading threads;
  threads.io_uring = false;
  expect_within(file("f", 32 << 20), small_limits(), threads);
}

TEST_F(ProbeFiles, BufferedReadsAndWhatTheKernelReadsAheadAreWithinTheLimit) {
  FileReading buffered;
  buffered.direct = false;
  expect_within(file("f", 32 << 20), small_limits(), buffered);
}

TEST_F(ProbeFiles, FilesOfADirectoryAreWithinTheLimit) {
  for (int i = 0; i < 200; ++i) file("d" + std::to_string(i % 7) + "/f" + std::to_string(i), 50000 + 1000 * i);
  expect_within(folder_, small_limits(), {});
}

TEST_F(ProbeFiles, ADirectoryHasPointsOfEveryKind) {
  for (int i = 0; i < 100; ++i) file("f" + std::to_string(i), 70000);
  const ProbeResult result = probe_files(folder_, small_limits());
  EXPECT_EQ(result.target_kind, ProbeTarget::kDirectory);
  EXPECT_EQ(result.files_seen, 100);
  EXPECT_EQ(result.files_bytes, 7e6);
  for (const AccessPattern pattern : {AccessPattern::kRandom, AccessPattern::kWholeFile, AccessPattern::kOpen,
                                      AccessPattern::kStat, AccessPattern::kList}) {
    EXPECT_TRUE(std::any_of(result.points.begin(), result.points.end(), [&](const ReadPoint& point) {
      return point.pattern == pattern && point.requests > 0;
    })) << access_pattern_name(pattern);
  }
  for (const ReadPoint& point : result.points) {
    const double mean = point.pattern == AccessPattern::kWholeFile ? 70000 : point.request_bytes;
    EXPECT_NEAR(point.bytes / point.requests, mean, 1e-6) << access_pattern_name(point.pattern);
  }
}

// Files in order through the page cache, as loaders read them, beside reads that pass it by; what the kernel reads
// ahead counts. Where the page cache keeps what it was told to forget, there is a note instead.
TEST_F(ProbeFiles, StreamsGoThroughThePageCacheWithinTheLimit) {
  for (int i = 0; i < 4; ++i) file("f" + std::to_string(i), 16 << 20);
  ProbeOptions options = small_limits(600.0);
  options.seconds = 5.0;
  const auto before = process_fetched_bytes();
  const ProbeResult result = probe_files(folder_, options);
  const auto after = process_fetched_bytes();
  if (before && after) {
    EXPECT_LE(*after - *before, options.bytes);
  }
  EXPECT_LE(result.bytes, options.bytes);
  bool is_told = false;
  for (const std::string& note : result.notes) is_told = is_told || note.starts_with("what streams through");
  double streams = 0.0;
  for (const ReadPoint& point : result.points) {
    if (point.pattern != AccessPattern::kStream) continue;
    streams += 1.0;
    EXPECT_FALSE(point.direct);
    EXPECT_EQ(point.engine, "pread");
    EXPECT_EQ(point.request_bytes, 131072.0);
  }
  EXPECT_EQ(streams == 0.0, is_told);
}

// 100 bytes hold no block: whole files alone are left, each of 100 bytes.
// Every point of requests that ends up in the result was told as last measured; opens, names and attributes are not.
TEST_F(ProbeFiles, TellsEachPointAsItIsMeasured) {
  ProbeOptions options = small_limits();
  std::vector<ReadPoint> told;
  options.measured = [&told](const ReadPoint& point) { told.push_back(point); };
  const ProbeResult result = probe_files(file("f", 32 << 20), options);
  ASSERT_GT(result.points.size(), 4u);
  for (const ReadPoint& point : result.points) {
    const auto last = std::find_if(told.rbegin(), told.rend(), [&](const ReadPoint& other) {
      return other.pattern == point.pattern && other.request_bytes == point.request_bytes &&
             other.in_flight == point.in_flight;
    });
    ASSERT_NE(last, told.rend());
    EXPECT_EQ(last->requests, point.requests);
    EXPECT_EQ(last->bytes, point.bytes);
  }
}

TEST_F(ProbeFiles, FilesSmallerThanABlock) {
  for (int i = 0; i < 20; ++i) file("f" + std::to_string(i), 100);
  const ProbeResult result = probe_files(folder_, small_limits());
  for (const ReadPoint& point : result.points) {
    EXPECT_NE(point.pattern, AccessPattern::kRandom);
    if (point.pattern == AccessPattern::kWholeFile) {
      EXPECT_NEAR(point.bytes / point.requests, 100, 1e-9);
    }
  }
}

TEST_F(ProbeFiles, SmallLimitsGiveSomethingAndAreGraded) {
  ProbeOptions options = small_limits(4.0);
  options.seconds = 1.0;
  const ProbeResult result = probe_files(file("f", 16 << 20), options);
  EXPECT_GE(result.points.size(), 3u);
  EXPECT_TRUE(has_flaw(result, "one_request_size")) << all_of(result.flaws);  // 256 of 64 KiB would be 16 MiB
}

// --- strange targets ------------------------------------------------------------------------------------------------

TEST_F(ProbeFiles, NothingToRead) {
  EXPECT_THAT(error_of(folder_), HasSubstr("holds no file that can be read"));
  file("empty", 0);
  EXPECT_THAT(error_of(folder_), HasSubstr("left out 1 empty files"));
  EXPECT_THAT(error_of(folder_ / "missing"), HasSubstr("No such file"));
  EXPECT_THAT(error_of("/dev/zero"), HasSubstr("neither a file nor a directory"));
}

TEST_F(ProbeFiles, LoopsPipesAndDevicesBesideData) {
  file("data", 1 << 20);
  std::filesystem::create_directory_symlink(folder_, folder_ / "loop");
  std::filesystem::create_symlink("/dev/zero", folder_ / "zero");
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  const ProbeResult result = probe_files(folder_, small_limits(8.0));
  EXPECT_EQ(result.files_seen, 1);
  EXPECT_GT(result.points.size(), 2u);
  EXPECT_THAT(all_of(result.notes), HasSubstr("symbolic links to directories"));
  EXPECT_THAT(all_of(result.notes), HasSubstr("pipes, sockets or devices"));
}

// Whoever may read everything becomes another user for the time of the probe.
class AnotherUser {
 public:
  AnotherUser() {
    if (::geteuid() == 0) changed_ = ::seteuid(65534) == 0;
  }
  AnotherUser(const AnotherUser&) = delete;
  AnotherUser& operator=(const AnotherUser&) = delete;
  ~AnotherUser() {
    if (changed_ && ::seteuid(0) != 0) std::abort();
  }

 private:
  bool changed_ = false;
};

TEST_F(ProbeFiles, UnreadableFilesAreNotedAndIfThereAreNoOthersSaid) {
  for (std::filesystem::path up = folder_; up.has_relative_path(); up = up.parent_path()) {
    struct stat status {};
    if (::stat(up.c_str(), &status) != 0 || (status.st_mode & 0005) != 0005)
      GTEST_SKIP() << up << " is closed to others";
  }
  const std::filesystem::path secret = file("secret", 1 << 20);
  ::chmod(secret.c_str(), 0000);
  const AnotherUser other;
  if (::access(secret.c_str(), R_OK) == 0 && ::geteuid() == 0) GTEST_SKIP() << "this user may read everything";
  EXPECT_THAT(error_of(folder_), HasSubstr("Permission denied; there is no file that can be read"));
}

TEST_F(ProbeFiles, AnUnreadableFileBesideOthersIsNoted) {
  for (std::filesystem::path up = folder_; up.has_relative_path(); up = up.parent_path()) {
    struct stat status {};
    if (::stat(up.c_str(), &status) != 0 || (status.st_mode & 0005) != 0005)
      GTEST_SKIP() << up << " is closed to others";
  }
  ::chmod(file("secret", 1 << 20).c_str(), 0000);
  file("open", 2 << 20);
  const AnotherUser other;
  const ProbeResult result = probe_files(folder_, small_limits(8.0));
  EXPECT_THAT(all_of(result.notes), HasSubstr("left out 1 files that could not be opened, such as"));
  EXPECT_GT(result.points.size(), 2u);
}

TEST_F(ProbeFiles, AFileThatShrinksWhileItIsReadIsNoted) {
  const std::filesystem::path path = file("f", 32 << 20);
  int calls = 0;
  ProbeOptions options = small_limits();
  options.progress = [&](const ProbeProgress&) {
    if (++calls == 6) std::filesystem::resize_file(path, 8192);
  };
  const ProbeResult result = probe_files(path, options);
  EXPECT_THAT(all_of(result.notes), HasSubstr("files changed while they were read"));
}

TEST_F(ProbeFiles, AFileThatShrinksAndGrowsAtAnyMoment) {
  const std::filesystem::path path = file("f", 16 << 20);
  std::jthread other([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::filesystem::resize_file(path, 0);
      std::filesystem::resize_file(path, 16 << 20);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  for (const bool io_uring : {true, false}) {
    FileReading reading;
    reading.io_uring = io_uring;
    try {
      const ProbeResult result = probe_files(path, small_limits(8.0), reading);
      EXPECT_LE(result.bytes, 8.0 * kMiB);
    } catch (const WorldError& error) {  // it was empty at the wrong moment
      EXPECT_THAT(error.what(), HasSubstr("is empty"));
    }
  }
}

TEST_F(ProbeFiles, FilesThatVanishAreNoted) {
  for (int i = 0; i < 40; ++i) file("f" + std::to_string(i), 50000);
  int calls = 0;
  ProbeOptions options = small_limits();
  options.progress = [&](const ProbeProgress&) {
    if (++calls != 5) return;
    for (int i = 0; i < 20; ++i) std::filesystem::remove(folder_ / ("f" + std::to_string(i)));
  };
  const ProbeResult result = probe_files(folder_, options);
  EXPECT_THAT(all_of(result.notes), HasSubstr("files changed while they were read"));
  EXPECT_FALSE(has_flaw(result, "errors")) << all_of(result.flaws);
}

// --- being stopped --------------------------------------------------------------------------------------------------

TEST_F(ProbeFiles, AStopKeepsWhatWasMeasured) {
  const std::filesystem::path path = file("f", 32 << 20);
  std::stop_source source;
  int calls = 0;
  ProbeOptions options = small_limits();
  options.stop = source.get_token();
  options.progress = [&](const ProbeProgress&) {
    if (++calls == 6) source.request_stop();
  };
  const ProbeResult result = probe_files(path, options);
  EXPECT_TRUE(result.interrupted);
  EXPECT_GE(result.points.size(), 1u);
  EXPECT_LE(result.points.size(), 5u);
  const Loaded<ProbeResult> back = probe_from_json(probe_to_json(result, "test"), "probe.json");
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back.value->points.size(), result.points.size());
}

TEST_F(ProbeFiles, AStopFromAnotherThreadAtAnyMoment) {
  const std::filesystem::path path = file("f", 32 << 20);
  for (int wait_ms = 0; wait_ms < 60; wait_ms += 12) {
    std::stop_source source;
    ProbeOptions options = small_limits();
    options.stop = source.get_token();
    const std::jthread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
      source.request_stop();
    });
    const ProbeResult result = probe_files(path, options);
    EXPECT_TRUE(probe_from_json(probe_to_json(result, "test"), "probe.json").ok());
  }
}

TEST_F(ProbeFiles, AStopBeforeTheStartMeasuresNothing) {
  std::stop_source source;
  source.request_stop();
  ProbeOptions options = small_limits();
  options.stop = source.get_token();
  const std::filesystem::path path = file("d/f", 1 << 20);
  for (const std::filesystem::path& target : {path, folder_}) {
    const ProbeResult result = probe_files(target, options);
    EXPECT_TRUE(result.interrupted);
    EXPECT_TRUE(result.points.empty());
  }
}

// --- what does not work everywhere ----------------------------------------------------------------------------------

TEST_F(ProbeFiles, WithoutIoUringThreadsRead) {
  FileReading threads;
  threads.io_uring = false;
  const ProbeResult result = probe_files(file("f", 8 << 20), small_limits(8.0), threads);
  for (const ReadPoint& point : result.points) EXPECT_EQ(point.engine, "pread");
}

TEST(ProbeMemory, FilesInMemoryAreRefused) {
  const std::filesystem::path folder = "/dev/shm/stallcast_probe_" + std::to_string(::getpid());
  std::error_code error;
  std::filesystem::create_directory(folder, error);
  if (error || !file_system_of(folder).in_memory) GTEST_SKIP() << "no file system in memory at /dev/shm";
  std::ofstream(folder / "f") << std::string(8 << 20, 'x');
  const ProbeResult result = probe_files(folder / "f", small_limits(8.0));
  std::filesystem::remove_all(folder);
  EXPECT_THAT(all_of(result.notes), HasSubstr("keeps its files in memory"));
  EXPECT_EQ(flaw_of(result, "page_cache").weight, ProbeFlaw::Weight::kRefuse) << all_of(result.flaws);
  for (const ReadPoint& point : result.points) EXPECT_FALSE(point.direct);
}

// --- bad probes -----------------------------------------------------------------------------------------------------

TEST_F(ProbeFiles, AWarmPageCacheIsFound) {
  const std::filesystem::path path = file("f", 16 << 20);  // just written, so it is in the page cache
  FileReading cached;
  cached.direct = false;
  cached.forget_cached = false;
  const ProbeResult result = probe_files(path, small_limits(), cached);
  EXPECT_EQ(flaw_of(result, "page_cache").weight, ProbeFlaw::Weight::kRefuse) << all_of(result.flaws);
  EXPECT_TRUE(result.refused());
}

TEST_F(ProbeFiles, DirectReadsOfAWarmFileComeFromTheDisk) {
  const std::filesystem::path path = file("f", 16 << 20);
  const ProbeResult result = probe_files(path, small_limits());
  if (!result.points.front().direct) GTEST_SKIP() << "no direct reads here";
  EXPECT_FALSE(has_flaw(result, "page_cache")) << all_of(result.flaws);
}

// Pages that somebody holds stay in the cache however often it is told to forget them.
TEST_F(ProbeFiles, PagesHeldByOthersAreFound) {
  const std::filesystem::path path = file("f", 8 << 20);
  const int descriptor = ::open(path.c_str(), O_RDONLY);
  void* const held = ::mmap(nullptr, 8 << 20, PROT_READ, MAP_SHARED, descriptor, 0);
  ::close(descriptor);
  ASSERT_NE(held, MAP_FAILED);
  // Not mlock(): sanitizers make that do nothing.
  if (::syscall(SYS_mlock, held, std::size_t{8} << 20) != 0) GTEST_SKIP() << "8 MiB cannot be locked";
  FileReading buffered;
  buffered.direct = false;
  const ProbeResult result = probe_files(path, small_limits(), buffered);
  ::munmap(held, 8 << 20);
  EXPECT_TRUE(has_flaw(result, "page_cache")) << all_of(result.flaws);
  EXPECT_GT(result.cached_share, 0.9);
}

// Reads at whatever rate the disk has until `credits` bytes are read, then at `rate_bytes_per_s`.
std::function<void(std::uint64_t)> token_bucket(double credits, double rate_bytes_per_s) {
  struct Bucket {
    std::mutex mutex;
    double credits;
    std::chrono::steady_clock::time_point free_at{};
  };
  const auto bucket = std::make_shared<Bucket>();
  bucket->credits = credits;
  return [bucket, rate_bytes_per_s](std::uint64_t bytes) {
    std::chrono::steady_clock::time_point until;
    {
      const std::lock_guard<std::mutex> lock(bucket->mutex);
      bucket->credits -= static_cast<double>(bytes);
      if (bucket->credits >= 0.0) return;
      bucket->free_at =
          std::max(bucket->free_at, std::chrono::steady_clock::now()) +
          std::chrono::nanoseconds(static_cast<std::int64_t>(1e9 * static_cast<double>(bytes) / rate_bytes_per_s));
      until = bucket->free_at;
    }
    std::this_thread::sleep_until(until);
  };
}

// A disk of 100 MB/s and more until half of the probe is read, then of 8 MB/s.
TEST_F(ProbeFiles, CreditsThatRunOutAreFound) {
  FileReading limited;
  limited.before_read = token_bucket(16.0 * kMiB, 8e6);
  ProbeOptions options = small_limits();
  options.seconds = 4.0;
  const ProbeResult result = probe_files(file("f", 32 << 20), options, limited);
  EXPECT_THAT(flaw_of(result, "rate_drifts").text, HasSubstr("rates fell by")) << all_of(result.flaws);
}

// Others who take the storage for a third of the time, two dozen requests on end: each of them waits a millisecond
// then.
TEST_F(ProbeFiles, OthersWhoComeAndGoAreNoise) {
  FileReading disturbed;
  const auto requests = std::make_shared<std::atomic<std::uint64_t>>(0);
  disturbed.before_read = [requests](std::uint64_t) {
    const std::uint64_t stretch = (*requests)++ / 24;
    if ((stretch * 0x9E3779B97F4A7C15ULL >> 32) % 3 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  ProbeOptions options = small_limits();
  options.seconds = 4.0;
  const ProbeResult result = probe_files(file("f", 32 << 20), options, disturbed);
  EXPECT_TRUE(has_flaw(result, "noisy")) << all_of(result.flaws);
  EXPECT_GT(result.widen(), 2.0);
}

// Whatever the disk takes, 2 ms are added to each request.
TEST_F(ProbeFiles, ADelayIsInTheLatency) {
  FileReading slow;
  slow.before_read = [](std::uint64_t) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
  const ProbeResult result = probe_files(file("f", 16 << 20), small_limits(), slow);
  ASSERT_FALSE(result.points.empty());
  for (const ReadPoint& point : result.points) {
    EXPECT_GE(point.latency.min_s, 0.002);
    // One at a time completes at most t / 2 ms in a time t, and one more that was under way.
    EXPECT_LE(point.requests, point.in_flight * (point.seconds / 0.002 + 1.0));
  }
}

TEST_F(ProbeFiles, OnePointIsMeasuredAlone) {
  PointWanted wanted;
  wanted.block_bytes = 65536;
  wanted.in_flight = 4;
  wanted.seconds = 0.1;
  const ReadPoint point = measure_point(file("f", 16 << 20), wanted);
  EXPECT_EQ(point.request_bytes, 65536);
  EXPECT_NEAR(point.bytes, 65536 * point.requests, 1e-6);
  EXPECT_GT(point.requests, 4);
  EXPECT_GT(point.latency.quantile(0.5), 0.0);
  // Little's law: latencies add up to the time that 4 were in flight, but for the 4 cut at either end, each by its
  // whole length at most.
  EXPECT_NEAR(point.latency.mean_s * point.requests / point.seconds, 4.0,
              4.0 * 2.0 * point.latency.max_s / point.seconds + 0.4);
}

}  // namespace
}  // namespace stallcast
