// Manual pages say what the command line offers.
#include "cli/shell/manual_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/cli/cli_fixture.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

// program [--level N] (run SCENARIO [-o,--output FILE:{a,b}] | hidden)
std::vector<ManualPage> small_pages() {
  CLI::App app("Does things.", "program");
  app.footer("Examples:\n  program run one.json\n  program stop\n\nExit codes: 0 fine,\n.5 is none");
  std::string text;
  int number = 0;
  app.add_option("--level", number, "How much")->type_name("N")->check(CLI::Range(1, 9))->capture_default_str();
  CLI::App* const run = app.add_subcommand("run", "Run a thing");
  run->add_option("-o,--output", text, "Where to")->type_name("FILE")->check(CLI::IsMember({"a", "b"}));
  run->add_option("SCENARIO", text, "What to run")->required();
  app.add_subcommand("hidden", "Not for everybody")->group("");
  return manual_pages(app, "1.2", "2026-11-22");
}

TEST(ManualPage, OnePerCommandThatHelpShows) {
  const auto pages = small_pages();
  ASSERT_THAT(pages, SizeIs(2));
  EXPECT_EQ(pages[0].name, "program");
  EXPECT_EQ(pages[1].name, "program-run");
  EXPECT_THAT(pages[0].text, Not(HasSubstr("hidden")));
}

TEST(ManualPage, SaysWhatAnOptionTakes) {
  const auto pages = small_pages();
  EXPECT_THAT(pages[0].text,
              HasSubstr("\\fB\\-\\-level\\fR \\fIN\\fR\nHow much. Allowed: INT in [1 \\- 9]. Default: 0.\n"));
  EXPECT_THAT(pages[1].text, HasSubstr("\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIFILE\\fR\nWhere to. One of: a, b.\n"));
}

TEST(ManualPage, ArgumentsComeFirst) {
  EXPECT_THAT(small_pages()[1].text,
              HasSubstr("\\fBprogram run\\fR [\\fIOPTIONS\\fR] \\fISCENARIO\\fR\n.SH DESCRIPTION\nRun a thing.\n"
                        ".SH OPTIONS\n.TP\n\\fISCENARIO\\fR\nWhat to run.\n"));
}

TEST(ManualPage, FooterIsSectionsWithTheExamplesOfTheCommand) {
  const auto pages = small_pages();
  EXPECT_THAT(pages[0].text,
              HasSubstr(".SH EXAMPLES\n.nf\n  program run one.json\n.fi\n.PP\n.nf\n  program stop\n.fi\n"));
  EXPECT_THAT(pages[1].text, HasSubstr(".SH EXAMPLES\n.nf\n  program run one.json\n.fi\n.SH EXIT CODES\n"));
  // A line that begins with a dot would be a request.
  EXPECT_THAT(pages[1].text, HasSubstr(".SH EXIT CODES\n0 fine,\n\\&.5 is none\n.SH SEE ALSO\n\\fBprogram\\fR(1)\n"));
}

TEST_F(Cli, ManWritesThePagesOfEveryCommandDatedAsTheSource) {
  std::filesystem::create_directories(path("pages"));
  ASSERT_EQ(setenv("SOURCE_DATE_EPOCH", "86400", 1), 0);
  const Outcome made = run({"man", path("pages")});
  ASSERT_EQ(unsetenv("SOURCE_DATE_EPOCH"), 0);
  ASSERT_EQ(made.code, 0) << made.err;
  std::ifstream page(path("pages/stallcast-simulate.1"));
  const std::string text{std::istreambuf_iterator<char>(page), std::istreambuf_iterator<char>()};
  EXPECT_THAT(text, HasSubstr(".TH STALLCAST-SIMULATE 1 1970-01-02 \"stallcast "));
  EXPECT_THAT(text, HasSubstr("\\fB\\-\\-fail\\-if\\fR \\fICONDITION\\fR\n"));
  EXPECT_EQ(run({"man", path("nowhere")}).code, 3);
  EXPECT_THAT(run({"--help"}).out, Not(HasSubstr("  man ")));
}

}  // namespace
}  // namespace stallcast
