// What becomes of results on standard output when it cannot be written, and when its reader goes away.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "tests/faults/folder_state.h"
#include "tests/faults/program_run.h"
#include "tests/faults/subjects.h"

namespace stallcast::faults {
namespace {

using testing::HasSubstr;

const std::vector<std::vector<std::string>>& commands() {
  static const std::vector<std::vector<std::string>> all = {
      {"--help"},
      {"--version"},
      {"sweep", "--help"},
      {"schema"},
      {"completions", "bash"},
      {"catalogue", "list"},
      {"catalogue", "show", "tier/parallelstore"},
      {"catalogue", "check"},
      {"catalogue", "import", "prices.json", "-o", "overlay"},
      {"simulate", "job.json"},
      {"simulate", "job.json", "--format", "json"},
      {"explain", "job.json"},
      {"compare", "job.json", "job.json"},
      {"sensitivity", "job.json"},
      {"size", "job.json", "--min-utilization", "0.1", "--vary", "loader.num_workers=1,2"},
      {"sweep", "job.json", "--vary", "loader.num_workers=1,2", "-o", "sweep", "--emit", "slurm"},
      {"emit", "job.json"},
      {"report", "job.json", "-o", "-", "--format", "html"},
      {"report", "job.json", "-o", "-", "--format", "md"},
      {"validate", "measured.jsonl"},
      {"import", "dlio", "workload.yaml"},
      {"calibrate", "job.json", "--probe", "probe.json"},
      {"calibrate", "job.json", "--probe", "probe.json", "-o", "out.json"},
      {"probe", "data", "--time", "200 ms", "--bytes", "4 MiB"},
  };
  return all;
}

class StandardOutput : public testing::TestWithParam<std::size_t> {
 protected:
  StandardOutput() { write_inputs(folder_.path()); }
  const std::vector<std::string>& words() const { return commands()[GetParam()]; }
  Folder folder_;
};

TEST_P(StandardOutput, OnAFullDeviceIsTrouble) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full";
  const Ended ended = run_program({.words = words(), .folder = folder_.path(), .out_to = "/dev/full"});
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("stallcast: standard output: cannot be written: No space left on device\n"));
}

TEST_P(StandardOutput, ThatIsClosedIsTrouble) {
  const Ended ended = run_program({.words = words(), .folder = folder_.path(), .out_to = "closed"});
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("stallcast: standard output: cannot be written: Bad file descriptor\n"));
}

TEST_P(StandardOutput, IsWrittenThroughInterruptionsAndInParts) {
  const auto out_of = [&](const Fault& fault) {
    const Folder out, folder;
    write_inputs(folder.path());
    Invocation invocation = {.words = words(), .folder = folder.path(), .fault = fault};
    invocation.out_to = (out.path() / "out").string();
    invocation.environment["FAULT_PATHS"] = out.path().string();
    const Ended ended = run_program(invocation);
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(ended.met.empty(), fault.calls.empty());
    return without_times(content_of(out.path() / "out"));
  };
  const std::string whole = out_of({});
  if (words().front() == "probe") return;  // measures
  EXPECT_EQ(out_of({.calls = "write", .at = 1, .error = EINTR}), whole);
  EXPECT_EQ(out_of({.calls = "write", .at = 1, .shorten = true, .count = 5}), whole);
}

TEST_P(StandardOutput, WhoseReaderWentAwayIsNoError) {
  const Ended ended = run_program({.words = words(), .folder = folder_.path(), .out_to = "no reader"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.signal, 0);
  EXPECT_THAT(ended.err, testing::Not(HasSubstr("standard output")));
}

std::string name_of_command(const testing::TestParamInfo<std::size_t>& info) {
  std::string name;
  for (const char c : commands()[info.param].front() + "_" + std::to_string(info.param))
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') name += c;
  return name;
}
INSTANTIATE_TEST_SUITE_P(Of, StandardOutput, testing::Range<std::size_t>(0, commands().size()), name_of_command);

// Files that were asked for are there even when the report on standard output is lost.
TEST(StandardOutputAlone, LosesNoFiles) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full";
  const Folder folder;
  write_inputs(folder.path());
  const std::vector<std::string> words = {"simulate", "job.json", "--trace", "trace.json"};
  EXPECT_EQ(run_program({.words = words, .folder = folder.path(), .out_to = "/dev/full"}).code, 3);
  EXPECT_THAT(content_of(folder.path() / "trace.json"), testing::EndsWith("\n"));
}

}  // namespace
}  // namespace stallcast::faults
