#include <gmock/gmock.h>

#include <filesystem>

#include "tests/cli/cli_fixture.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;

TEST_F(Cli, EmitWritesAFolderOnceAndNotOverIt) {
  const std::string job = file("job.json", kSmallJob);
  const Outcome first = run({"emit", job, "-o", path("out")});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.out, "");
  for (const char* const name : {"loader.py", "dlio.yaml", "read.fio", "benchmark.md"})
    EXPECT_TRUE(std::filesystem::exists(path("out") + "/" + name)) << name;
  const Outcome second = run({"emit", job, "-o", path("out")});
  EXPECT_EQ(second.code, 2);
  EXPECT_THAT(second.err, HasSubstr("file_exists"));
  EXPECT_THAT(second.err, HasSubstr("--force"));
  EXPECT_EQ(run({"emit", job, "-o", path("out"), "--force"}).code, 0);
}

TEST_F(Cli, EmitWritesOneFileWhereThereIsOne) {
  const std::string job = file("job.json", kSmallJob);
  EXPECT_EQ(run({"emit", job, "--for", "pytorch", "-o", path("my_loader.py")}).code, 0);
  EXPECT_TRUE(std::filesystem::is_regular_file(path("my_loader.py")));
  EXPECT_THAT(run({"emit", job, "--for", "pytorch"}).out, HasSubstr("num_workers=2"));
  EXPECT_THAT(run({"emit", job, "--for", "pytorch", "--set", "loader.num_workers=5"}).out, HasSubstr("num_workers=5"));
}

TEST_F(Cli, EmitSaysWhyThereIsNothing) {
  const std::string job = file("job.json", kSmallJob);
  for (const char* const target : {"gcloud", "aws", "azure", "terraform", "checkpoint", "tfdata"}) {
    const Outcome outcome = run({"emit", job, "--for", target});
    EXPECT_EQ(outcome.code, 2) << target;
    EXPECT_THAT(outcome.err, HasSubstr("nothing_to_emit")) << target;
    EXPECT_EQ(outcome.out, "");
  }
  EXPECT_EQ(run({"emit", job, "--for", "pytroch"}).code, 2);
  EXPECT_EQ(run({"emit", path("missing.json")}).code, 3);
}

}  // namespace
}  // namespace stallcast
