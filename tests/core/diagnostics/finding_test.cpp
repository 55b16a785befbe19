#include "core/diagnostics/finding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/diagnostics/invariant.h"

namespace stallcast {
namespace {

TEST(Finding, SaysWhereWhatAllowedAndFix) {
  const Finding f{Severity::kError, "out_of_range",       "a.json", "/cache/hit_fraction", "95",
                  "0 to 1",         "did you mean 0.95?", ""};
  EXPECT_EQ(render_finding(f),
            "a.json: error[out_of_range] at /cache/hit_fraction:\n"
            "  got 95; allowed 0 to 1; did you mean 0.95?");
}

TEST(Finding, LeavesOutWhatIsEmpty) {
  EXPECT_EQ(render_finding({Severity::kWarning, "stale", "", "", "", "", "", ""}), "warning[stale]");
  EXPECT_EQ(render_finding({Severity::kWarning, "stale", "a", "", "", "", "", "it is old"}),
            "a: warning[stale]:\n  it is old");
  EXPECT_EQ(render_finding({Severity::kError, "x", "a", "/b", "1", "", "", "odd"}),
            "a: error[x] at /b:\n  got 1 (odd)");
}

TEST(Finding, NeitherWritesToTheTerminalNorFloodsIt) {
  const Finding f{Severity::kError, "x", "a", "", "\x1b[2J" + std::string(100000, 'y'), "", "", ""};
  const std::string text = render_finding(f);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("\\x1b[2Jyyy"), std::string::npos);
  EXPECT_LT(text.size(), 300U);
}

// U+009B begins a command to a terminal as ESC [ does; the other parts may name what stands in a file, too.
TEST(Finding, NoPartWritesToTheTerminal) {
  const std::string hostile =
      "a\x1b[2J\xc2\x9b"
      "2J\n";
  const std::string text =
      render_finding({Severity::kError, "x", hostile, hostile, hostile, hostile, hostile, hostile});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos);
  EXPECT_NE(text.find("allowed a\\x1b[2J\\xc2\\x9b2J\\x0a"), std::string::npos) << text;
  // Letters that begin with the same byte or hold the other stay: a no-break space, U+00C2, U+20AC.
  EXPECT_EQ(render_finding({Severity::kError, "x", "\u00a0\u00c2\u20ac", "", "", "", "", ""}),
            "\u00a0\u00c2\u20ac: error[x]");
}

TEST(Findings, WarningsAreNotErrors) {
  Findings findings;
  EXPECT_TRUE(findings.empty());
  findings.add({Severity::kWarning, "w", "", "", "", "", "", ""});
  EXPECT_FALSE(findings.has_errors());
  Loaded<int> loaded{1, findings};
  EXPECT_TRUE(loaded.ok());
  loaded.findings.add({Severity::kError, "e", "", "", "", "", "", ""});
  EXPECT_FALSE(loaded.ok());
  EXPECT_FALSE((Loaded<int>{}).ok());
}

TEST(NearestWord, FindsLikelySlipsOnly) {
  const std::vector<std::string> words = {"num_workers", "prefetch_factor", "batch_size", "layout", "mode"};
  EXPECT_EQ(nearest_word("num_worker", words), "num_workers");
  EXPECT_EQ(nearest_word("nwm_workers", words), "num_workers");
  EXPECT_EQ(nearest_word("numWorkers", words), "num_workers");
  EXPECT_EQ(nearest_word("workers", words), "num_workers");
  EXPECT_EQ(nearest_word("prefecth-factor", words), "prefetch_factor");
  EXPECT_EQ(nearest_word("batch", words), "batch_size");
  EXPECT_EQ(nearest_word("persistent_2", {"persistent_1_200", "persistent_2_125"}), "persistent_2_125");
  EXPECT_EQ(nearest_word("zebra", words), "");
  EXPECT_EQ(nearest_word("x", words), "");
  EXPECT_EQ(nearest_word("", words), "");
  EXPECT_EQ(nearest_word(std::string(1000000, 'm'), words), "");
}

TEST(Invariant, ThrowsWithThePlace) {
  invariant(true, "fine");
  try {
    invariant(false, "left 3 > right 2");
    FAIL();
  } catch (const InvariantError& error) {
    EXPECT_NE(std::string(error.what()).find("finding_test.cpp"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("left 3 > right 2"), std::string::npos);
  }
}

// All of few names, in their order; of many those that may have been meant, those that hold the word first.
TEST(NameList, ListsFewNamesOrNearOnes) {
  EXPECT_EQ(name_list("x", {"b", "a"}, "catalogue list"), "b, a");
  std::vector<std::string> many;
  for (int i = 0; i < 20; ++i) many.push_back("name_" + std::to_string(i));
  many.push_back("local_nvme");
  many.push_back("nvme_of");
  EXPECT_EQ(name_list("nvme", many, "catalogue list"), "nvme_of, local_nvme, or one of 20 others (catalogue list)");
  EXPECT_EQ(name_list("nmae_7", many, "catalogue list").substr(0, 8), "name_7, ");
  EXPECT_EQ(name_list("parallelstore", many, "catalogue list"), "one of 22 (catalogue list)");
  EXPECT_EQ(name_list("", many, "catalogue list"), "one of 22 (catalogue list)");
}

TEST(NameList, ListsAllThatNothingElseShows) {
  std::vector<std::string> many;
  for (int i = 0; i < 12; ++i) many.push_back(std::to_string(i));
  EXPECT_EQ(name_list("x", many), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11");
}

TEST(PlainLetters, AreLettersAndDigitsInLowerCase) { EXPECT_EQ(plain_letters("Llama-3.1 70B"), "llama3170b"); }

}  // namespace
}  // namespace stallcast
