// stallcast attach, where there is nothing to learn.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/cli/cli_fixture.h"

namespace stallcast {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(Cli, AttachSaysThatThereIsNoSuchProcess) {
  const Outcome outcome = run({"attach", "4194304"});  // one more than the kernel gives out
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, HasSubstr("there is no process 4194304. Where the job runs in a container"));
}

TEST_F(Cli, AttachAnswersWrongOptionsBeforeItWatches) {
  const Outcome outcome = run({"attach", "1", "--time", "1", "--observed", "it_per=3"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("--time: error[missing_unit]"), HasSubstr("did you mean \"it_per_s\"?")));
  const Outcome other = run({"attach", "1", "--observed", "it_per_s=3@loader.num_workers=4"});
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("error[another_setting]"));
}

// A process that only sleeps; another program, for a fork of this one would look like its worker.
TEST_F(Cli, AttachSaysThatAProcessLoadsNothing) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::execlp("sleep", "sleep", "60", nullptr);
    ::_exit(1);
  }
  ::usleep(200000);  // until it is that program
  const Outcome outcome = run({"attach", std::to_string(child), "--time", "2 s"});
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.out, HasSubstr("no loader workers"));
  EXPECT_THAT(outcome.err, HasSubstr("error[loads_no_data]"));
}

TEST_F(Cli, AttachSaysThatTheProcessEndedAtOnce) {
  const auto before = ::signal(SIGCHLD, SIG_IGN);  // so that nothing is left of it
  const pid_t child = ::fork();
  if (child == 0) {
    ::execlp("sleep", "sleep", "0.5", nullptr);
    ::_exit(1);
  }
  ::usleep(200000);
  const Outcome outcome = run({"attach", std::to_string(child)});
  ::signal(SIGCHLD, before);
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("nothing was learned"));
}

TEST_F(Cli, ExplainGoesToATargetAndRefusesWhatIsNone) {
  const Outcome outcome = run({"explain", job(), "--inputs", "point", "--to", "99%"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("The shortest way to a GPU utilization of 99.0 %"));
  const Outcome refused = run({"explain", job(), "--to", "90"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--to: error"));
}

}  // namespace
}  // namespace stallcast
