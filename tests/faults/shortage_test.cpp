// Too little memory, no more threads, files that shrink while they are read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>

#include "tests/faults/folder_state.h"
#include "tests/faults/program_run.h"
#include "tests/faults/subjects.h"

namespace stallcast::faults {
namespace {

using testing::AnyOf;
using testing::Eq;
using testing::HasSubstr;

class Shortage : public testing::TestWithParam<std::string> {
 protected:
  Shortage() { write_inputs(folder_.path()); }
  Folder folder_;
};

// From the least with which it starts at all to the least with which it ends well.
TEST_P(Shortage, OfMemoryIsSaid) {
  constexpr long kMiB = 1L << 20;
  const auto with = [&](std::vector<std::string> words, long bytes) {
    const Folder folder;
    write_inputs(folder.path());
    for (const auto& before : subject(GetParam()).first) run_program({before, folder.path()});
    return run_program({.words = std::move(words), .folder = folder.path(), .address_space = bytes});
  };
  long bytes = 16 * kMiB;
  while (with({"--version"}, bytes).code != 0) bytes += kMiB;
  int refused = 0, fine = 0;
  for (; fine < 2; bytes += 2 * kMiB) {
    ASSERT_LT(bytes, 4096 * kMiB);
    const Ended ended = with(subject(GetParam()).words, bytes);
    ASSERT_THAT(ended.code, AnyOf(Eq(0), Eq(3))) << "with " << bytes / kMiB << " MiB: signal " << ended.signal << "\n"
                                                 << ended.err;
    fine = ended.code == 0 ? fine + 1 : 0;
    if (ended.code == 0) continue;
    ++refused;
    EXPECT_THAT(ended.err, AnyOf(HasSubstr("stallcast: out of memory\n"), HasSubstr("memory"),
                                 HasSubstr("Resource temporarily unavailable")));
  }
  EXPECT_GT(refused, 0);
}

// Work that can be done by fewer is.
TEST_P(Shortage, OfThreadsIsBorneOrSaid) {
  int at = 1;
  for (;; ++at) {
    const Folder folder;
    write_inputs(folder.path());
    for (const auto& before : subject(GetParam()).first) run_program({before, folder.path()});
    const Fault fault = {.calls = "thread", .at = at, .error = EAGAIN, .count = 1000};
    const Ended ended = run_program({subject(GetParam()).words, folder.path(), fault});
    if (ended.met.empty()) break;
    ASSERT_THAT(ended.code, AnyOf(Eq(0), Eq(3))) << "signal " << ended.signal << "\n" << ended.err;
    EXPECT_TRUE(ended.code == 0 || ended.err.find("Resource temporarily unavailable") != std::string::npos)
        << ended.err;
  }
  EXPECT_GT(at, 1);
}

INSTANTIATE_TEST_SUITE_P(In, Shortage, testing::Values("simulate", "sweep", "report_md", "size", "calibrate", "probe"),
                         [](const auto& given) { return given.param; });

// As with a quota: writes beyond it fail, and send a signal that ends most programs (SIGXFSZ).
TEST(FileSize, ThatIsLimitedIsSaidAndLeavesNoHalfFile) {
  const Folder folder;
  write_inputs(folder.path());
  const FolderState before = state_of(folder.path());
  const std::string shell = "cd " + folder.path().string() +
                            " && ulimit -f 1 && \"" STALLCAST_PROGRAM
                            "\" simulate job.json --format json -o out.json 2>&1 | grep -q \"out.json: cannot be "
                            "written: File too large\"; exit $((PIPESTATUS[0] * 10 + PIPESTATUS[1]))";
  EXPECT_EQ(WEXITSTATUS(std::system(("bash -c '" + shell + "'").c_str())), 30);
  EXPECT_EQ(state_of(folder.path()), before);
}

// A memory map of a file that becomes shorter ends a process with SIGBUS.
TEST(Mapped, APointsFileThatShrinksIsNamed) {
  const Subject& merge = subject("merge");
  int at = 1;
  for (;; ++at) {
    const Folder folder;
    write_inputs(folder.path());
    for (const auto& words : merge.first) ASSERT_EQ(run_program({words, folder.path()}).code, 0);
    const Ended ended = run_program({merge.words, folder.path(), {.calls = "cut", .at = at}});
    if (ended.met.empty()) break;
    EXPECT_EQ(ended.code, 3) << ended.signal;
    EXPECT_THAT(ended.err, HasSubstr("of-2.jsonl: cannot be read: it became shorter while it was in use"));
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "sweep/results.csv"));
  }
  EXPECT_GT(at, 2);
}

}  // namespace
}  // namespace stallcast::faults
