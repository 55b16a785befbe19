// Folders that go away while a command runs, file systems that are read-only or full.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "tests/faults/folder_state.h"
#include "tests/faults/program_run.h"
#include "tests/faults/subjects.h"

namespace stallcast::faults {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::vector<std::string> kSweep = {"sweep",  "job.json",
                                         "--vary", "loader.num_workers=1..16",
                                         "--vary", "loader.prefetch_factor=1..40",
                                         "--yes",  "--threads",
                                         "1",      "-o",
                                         "sweep"};

class Vanishing : public testing::Test {
 protected:
  Vanishing() { write_inputs(folder_.path()); }

  // Runs the command, and `then` once `is_time` says so.
  Ended run_and(const std::vector<std::string>& words, const std::function<bool()>& is_time,
                const std::function<void()>& then) {
    const Folder aside;
    const Started started = start_program({words, folder_.path()}, aside.path());
    wait_until(started, is_time);
    ::kill(started.pid, SIGSTOP);
    then();
    ::kill(started.pid, SIGCONT);
    return end_of(started);
  }
  std::string content(const std::string& name) const { return content_of(folder_.path() / name); }
  bool has_points() const { return content("sweep/points-1-of-1.jsonl").size() > 1000; }

  Folder folder_;
};

TEST_F(Vanishing, AFolderOfASweepIsMissedAtOnce) {
  const Ended ended = run_and(
      kSweep, [&] { return has_points(); }, [&] { fs::remove_all(folder_.path() / "sweep"); });
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("stallcast: sweep/points-1-of-1.jsonl: the points cannot be written: "));
  EXPECT_FALSE(fs::exists(folder_.path() / "sweep"));
}

TEST_F(Vanishing, AScenarioIsNeededOnlyOnce) {
  const Ended ended = run_and(
      kSweep, [&] { return has_points(); }, [&] { fs::remove(folder_.path() / "job.json"); });
  EXPECT_EQ(ended.code, 0) << ended.err;
}

TEST_F(Vanishing, AFolderOfResultsIsMissedAtTheEnd) {
  std::ofstream(folder_.path() / "endless.json") << R"({"workload": {"step_time": "10 ms"},
    "dataset": {"sample_size": "1 kB"}, "run": {"whole_run": true, "steps_per_epoch": 9000000}})";
  fs::create_directory(folder_.path() / "results");
  const Folder aside;
  const Started started =
      start_program({{"simulate", "endless.json", "-o", "results/out.txt"}, folder_.path()}, aside.path());
  wait_until_it_watches_for_signals(started);
  fs::remove_all(folder_.path() / "results");
  ::kill(started.pid, SIGTERM);
  const Ended ended = end_of(started);
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, testing::AnyOf(HasSubstr("results/out.txt: cannot be created: No such file or directory"),
                                        HasSubstr("results/out.txt: there is no directory results")));
}

TEST_F(Vanishing, AFolderThatIsProbedLeavesWhatWasMeasured) {
  const std::vector<std::string> words = {"probe", "data", "--time", "1 s", "--bytes", "64 MiB", "-o", "out.json"};
  const auto begun = std::chrono::steady_clock::now();
  const Ended ended = run_and(
      words, [&] { return std::chrono::steady_clock::now() - begun > std::chrono::milliseconds(300); },
      [&] { fs::remove_all(folder_.path() / "data"); });
  EXPECT_EQ(ended.signal, 0);
  EXPECT_THAT(ended.code, testing::AnyOf(testing::Eq(0), testing::Eq(3))) << ended.err;
  EXPECT_EQ(fs::exists(folder_.path() / "out.json"), ended.code == 0);
}

TEST_F(Vanishing, TheFolderWhereItRunsIsNotNeeded) {
  const fs::path gone = folder_.path() / "gone";
  fs::create_directory(gone);
  const std::string shell = "cd " + gone.string() + " && rmdir " + gone.string() +
                            " && " STALLCAST_PROGRAM " simulate " + (folder_.path() / "job.json").string() +
                            " > /dev/null 2>&1";
  EXPECT_EQ(WEXITSTATUS(std::system(shell.c_str())), 0);
}

// Runs `script` with file systems of its own; 99 where that is not allowed.
int in_own_mounts(const std::string& script) {
  const bool is_root = ::geteuid() == 0;
  const std::string unshare = std::string("unshare ") + (is_root ? "-m" : "-rm") + " --propagation private ";
  if (std::system((unshare + "mount -t tmpfs none /mnt 2>/dev/null").c_str()) != 0) return 99;
  const int status = std::system((unshare + "bash -c '" + script + "'").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

class Mounted : public testing::TestWithParam<std::string> {
 protected:
  Mounted() {
    write_inputs(folder_.path());
    for (const auto& words : subject(GetParam()).first) run_program({words, folder_.path()});
  }
  std::string command() const {
    std::string text = "\"" STALLCAST_PROGRAM "\"";
    for (const std::string& word : subject(GetParam()).words) text += " \"" + word + "\"";
    return text;
  }
  Folder folder_, aside_;
};

TEST_P(Mounted, ReadOnlyIsSaid) {
  const FolderState before = state_of(folder_.path());
  const std::string place = folder_.path().string(), err = (aside_.path() / "err").string();
  const int code = in_own_mounts("mount --bind " + place + " " + place + " && mount -o remount,ro,bind " + place +
                                 " && cd " + place + " && " + command() + " > /dev/null 2> " + err);
  if (code == 99) GTEST_SKIP() << "mounts of its own are not allowed here";
  EXPECT_EQ(code, 3);
  EXPECT_THAT(content_of(err), HasSubstr("Read-only file system"));
  EXPECT_EQ(state_of(folder_.path()), before);
}

// From no room at all, page by page, until it fits.
TEST_P(Mounted, FullIsSaidAndLeavesNoHalfFile) {
  const std::string place = folder_.path().string(), aside = aside_.path().string();
  int full = 0;
  for (int pages = 1; pages <= 512; pages += 1 + pages / 8) {
    // Inputs are links, so that all of the room is for results; what is left is looked at from inside.
    const int code = in_own_mounts(
        "mount -t tmpfs -o nr_blocks=" + std::to_string(pages) + ",mode=777 none /mnt && cd /mnt && for f in " + place +
        "/*; do [ -d $f ] && [ ${f##*/} = sweep ] && cp -r $f . || ln -s $f .; done; " + command() +
        " > /dev/null 2> " + aside + "/err; code=$?; find . -name \"*.tmp\" -o -name \".stallcast*\" > " + aside +
        "/left; exit $code");
    if (code == 99) GTEST_SKIP() << "mounts of its own are not allowed here";
    EXPECT_EQ(content_of(aside + "/left"), "");
    ASSERT_THAT(code, testing::AnyOf(testing::Eq(0), testing::Eq(3))) << content_of(aside + "/err");
    if (code == 0) {
      EXPECT_GT(full, 0);
      return;
    }
    ++full;
    EXPECT_THAT(content_of(aside + "/err"), HasSubstr("No space left on device"));
  }
  ADD_FAILURE() << "512 pages are not enough";
}

INSTANTIATE_TEST_SUITE_P(For, Mounted, testing::Values("simulate", "sweep", "emit", "report_md", "prices", "probe"),
                         [](const auto& given) { return given.param; });

}  // namespace
}  // namespace stallcast::faults
