#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/cli_fixture.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(Cli, ReportWritesOneFileAndNothingElse) {
  const Outcome outcome = run({"report", job(), "-o", path("report.json")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, IsEmpty());
  const auto data = nlohmann::json::parse(content(path("report.json")));
  EXPECT_FALSE(data["options"].empty());
  EXPECT_THAT(data["reproduction"]["command"].get<std::string>(), HasSubstr("stallcast report "));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 2);  // the job and its report
}

TEST_F(Cli, ReportTakesItsFormatFromTheNameOfTheFile) {
  EXPECT_EQ(run({"report", job(), "-o", path("r.html")}).code, 0);
  EXPECT_THAT(content(path("r.html")), HasSubstr("<html"));
  EXPECT_EQ(run({"report", job(), "-o", path("r.md")}).code, 0);
  EXPECT_TRUE(std::filesystem::is_directory(path("r_files")));
  for (const char* const name : {"r.docx", "r.slide"}) {  // a slide is asked for by --format, and is a PDF
    const Outcome outcome = run({"report", job(), "-o", path(name)});
    EXPECT_EQ(outcome.code, 2) << name;
    EXPECT_THAT(outcome.err, HasSubstr("unknown_format")) << name;
  }
  EXPECT_EQ(run({"report", job(), "-o", path("r"), "--format", "json"}).code, 0);
}

TEST_F(Cli, ReportLeavesWhatIsThereAloneWithoutForce) {
  const std::string there = file("report.json", "precious");
  const Outcome outcome = run({"report", job(), "-o", there});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("file_exists"));
  EXPECT_EQ(content(there), "precious");
  EXPECT_EQ(run({"report", job(), "-o", there, "--force"}).code, 0);
  EXPECT_THAT(content(there), HasSubstr("options"));
}

TEST_F(Cli, ReportRefusesPicturesThatAreThereWithoutForce) {
  const std::string picture = file("r_files/mine.svg", "precious");
  EXPECT_EQ(run({"report", job(), "-o", path("r.md")}).code, 2);
  EXPECT_EQ(content(picture), "precious");
  EXPECT_FALSE(std::filesystem::exists(path("r.md")));
}

TEST_F(Cli, ReportIntoNowhereSaysSoBeforeItComputes) {
  const Outcome outcome = run({"report", job(), "-o", path("no/such/r.json")});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("there is no directory"));
}

// /dev/full takes no byte: one message, and no bug of ours.
TEST_F(Cli, ReportOntoAFullDiskIsTheWorldsTrouble) {
  const Outcome outcome = run({"report", job(), "-o", "/dev/full", "--format", "json"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("/dev/full"));
}

TEST_F(Cli, ReportOfAQuestionAndOfSeveral) {
  const Outcome missed =
      run({"report", job(), "--vary", "loader.num_workers=1,2", "--min-utilization", "0.999", "-o", path("a.json")});
  EXPECT_EQ(missed.code, 4) << missed.err;
  EXPECT_FALSE(nlohmann::json::parse(content(path("a.json")))["options"][0]["keeps_targets"].get<bool>());
  EXPECT_EQ(run({"report", job(), job(), "-o", path("b.json")}).code, 0);
  const Outcome both = run({"report", job(), job(), "--vary", "loader.num_workers=1,2", "-o", path("c.json")});
  EXPECT_EQ(both.code, 2);
  EXPECT_THAT(both.err, HasSubstr("one_scenario"));
}

TEST_F(Cli, ReportThatIsStoppedWritesNothing) {
  std::stop_source stop;
  stop.request_stop();
  const Outcome outcome = run({"report", job(), "-o", path("r.json")}, stop.get_token());
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("was not written"));
  EXPECT_FALSE(std::filesystem::exists(path("r.json")));
}

}  // namespace
}  // namespace stallcast
