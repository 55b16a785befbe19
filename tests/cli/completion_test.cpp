// The bash script is run by bash; the others are held to what they must offer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/run_cli.h"

namespace stallcast {
namespace {

using ::testing::Eq;
using ::testing::HasSubstr;

std::string script_for(const char* shell) {
  const char* argv[] = {"stallcast", "completions", shell};
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(run_cli(3, argv, out, err), 0) << err.str();
  return out.str();
}

// What bash offers for `words` (the last one is being typed), joined by spaces.
std::string bash_offers(const std::string& words) {
  const std::filesystem::path script =
      std::filesystem::temp_directory_path() / ("stallcast_completion_" + std::to_string(::getpid()));
  std::ofstream(script) << script_for("bash") << "COMP_WORDS=(" << words << "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
                        << "_stallcast\necho \"${COMPREPLY[*]}\"\n";
  FILE* pipe = ::popen(("bash --norc " + script.string() + " 2>&1").c_str(), "r");
  std::string out;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) out += static_cast<char>(c);
  EXPECT_EQ(::pclose(pipe), 0) << out;
  std::filesystem::remove(script);
  return out.substr(0, out.find('\n'));
}

TEST(Completion, BashOffersCommands) {
  EXPECT_THAT(bash_offers("stallcast s"), Eq("simulate sensitivity sweep size schema"));
  EXPECT_THAT(bash_offers("stallcast catalogue ''"), Eq("list show check import"));
  EXPECT_THAT(bash_offers("stallcast completions ''"), Eq("bash zsh fish"));
}

TEST(Completion, BashOffersOptionsAndTheirWords) {
  EXPECT_THAT(bash_offers("stallcast simulate --se"), Eq("--set --seed"));
  EXPECT_THAT(bash_offers("stallcast simulate job.json --format ''"), Eq("table json csv"));
  EXPECT_THAT(bash_offers("stallcast explain job.json --jo"), Eq("--journal"));
}

TEST(Completion, ZshHasAFunctionPerCommand) {
  const std::string script = script_for("zsh");
  EXPECT_EQ(script.rfind("#compdef stallcast\n", 0), 0u);
  EXPECT_THAT(script, HasSubstr("_stallcast_simulate() {"));
  EXPECT_THAT(script, HasSubstr("_stallcast_catalogue_show() {"));
  EXPECT_THAT(script, HasSubstr("(table json csv)"));
}

TEST(Completion, FishHasALinePerOption) {
  const std::string script = script_for("fish");
  EXPECT_THAT(
      script,
      HasSubstr(
          "complete -c stallcast -f -n 'not __fish_seen_subcommand_from new examples explain-field simulate explain"));
  EXPECT_THAT(script, HasSubstr("-l format -x -a 'table json csv'"));
}

}  // namespace
}  // namespace stallcast
