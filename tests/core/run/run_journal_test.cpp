#include "core/timeline/run_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "core/result/program_version.h"
#include "core/timeline/replications.h"
#include "tests/core/result/timelines.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const JournalIdentity kIdentity = {"6f1c", 7, "1.2.3"};

// A simulated run whose numbers need all their digits.
SimulatedRun numbered(std::int64_t n) {
  SimulatedRun run = runs::run();
  run.wall_s = 1e6 / (3.0 + static_cast<double>(n));
  run.computed_gpu_s = 0.1 * static_cast<double>(n);
  return run;
}

bool same(const SimulatedRun& a, const SimulatedRun& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

class RunJournalTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("stallcast_journal_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) +
               std::to_string(::getpid()));
    fs::create_directories(folder_);
    path_ = folder_ / "run.journal";
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::unique_ptr<RunJournal> open(const JournalIdentity& identity = kIdentity) const {
    Loaded<std::unique_ptr<RunJournal>> opened = RunJournal::open(path_, identity);
    EXPECT_TRUE(opened.ok()) << (opened.findings.empty() ? "" : render_finding(opened.findings.list().front()));
    return opened.ok() ? std::move(*opened.value) : nullptr;
  }
  // The findings of a file that must be refused and left alone.
  std::vector<Finding> refused(const JournalIdentity& identity = kIdentity) const {
    const std::string before = content();
    const auto opened = RunJournal::open(path_, identity);
    EXPECT_FALSE(opened.ok());
    EXPECT_FALSE(opened.value);
    EXPECT_EQ(content(), before);
    return opened.findings.list();
  }
  void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }
  std::string content() const {
    std::ostringstream text;
    text << std::ifstream(path_, std::ios::binary).rdbuf();
    return text.str();
  }
  // A journal of simulated runs 0, 1, ... n - 1.
  std::string journal_of(std::int64_t n) const {
    const auto journal = open();
    for (std::int64_t i = 0; i < n; ++i) journal->append(i, numbered(i));
    return content();
  }

  fs::path folder_, path_;
};

TEST_F(RunJournalTest, GivesBackWhatWasAdded) {
  EXPECT_TRUE(open()->finished().empty());
  {
    const auto journal = open();
    journal->append(12, numbered(12));
    journal->append(0, numbered(0));
    EXPECT_EQ(journal->finished().size(), 2u);
  }
  const auto finished = open()->finished();
  ASSERT_EQ(finished.size(), 2u);
  EXPECT_TRUE(same(finished.at(12), numbered(12)));
  EXPECT_TRUE(same(finished.at(0), numbered(0)));
}

TEST_F(RunJournalTest, ANumberIsKeptOnce) {
  const auto journal = open();
  journal->append(3, numbered(3));
  const std::string once = content();
  journal->append(3, numbered(4));
  EXPECT_EQ(content(), once);
  EXPECT_TRUE(same(journal->finished().at(3), numbered(3)));
}

// Killed while any byte of the first line or the last was written: every run whose line is whole is there, and
// going on gives the same file.
TEST_F(RunJournalTest, ATornLineIsDroppedWhereverItIsTorn) {
  const std::string whole = journal_of(2);
  const std::size_t first = whole.find('\n') + 1, second = whole.find('\n', first) + 1;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    if (size == first) size = second;
    write(whole.substr(0, size));
    const auto journal = open();
    ASSERT_TRUE(journal) << size;
    ASSERT_EQ(journal->finished().size(), size < second ? 0u : 1u) << size;
    journal->append(0, numbered(0));
    journal->append(1, numbered(1));
    ASSERT_EQ(content(), whole) << size;
  }
}

TEST_F(RunJournalTest, ALastLineThatIsNoRunIsDroppedToo) {
  const std::string whole = journal_of(1);
  write(whole + std::string(300, '\0') + "\n");
  EXPECT_EQ(open()->finished().size(), 1u);
  EXPECT_EQ(content(), whole);
}

TEST_F(RunJournalTest, ADamagedLineBeforeTheLastIsNamed) {
  const std::string whole = journal_of(3);
  const std::size_t first = whole.find('\n') + 1, second = whole.find('\n', first) + 1;
  write(whole.substr(0, first) + "{}\n" + whole.substr(second));
  const auto findings = refused();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(render_finding(findings[0]),
            path_.string() +
                ": error[damaged_journal]:\n  got line 2: not a simulated run; allowed one simulated run in each line, "
                "each replication once; remove line 2; that run is then simulated again (nothing was changed in it)");
  write(whole + whole.substr(second));
  EXPECT_THAT(refused().at(0).got, HasSubstr("line 5: replication 1 once more"));
}

// Read as a signed number, 2^64 - 1 would be a replication before the first.
TEST_F(RunJournalTest, ANumberBeyondAllReplicationsIsNoRun) {
  const std::string whole = journal_of(2);
  const std::string number = "\"replication\":0";
  std::string damaged_line = whole;
  damaged_line.replace(damaged_line.find(number), number.size(), "\"replication\":18446744073709551615");
  write(damaged_line);
  EXPECT_THAT(refused().at(0).got, HasSubstr("line 2: not a simulated run"));
}

TEST_F(RunJournalTest, AnotherRunsJournalIsLeftAlone) {
  journal_of(1);
  const auto wrong = [&](const JournalIdentity& identity) {
    const auto findings = refused(identity);
    EXPECT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings.at(0).code, "other_run");
    return findings.at(0).pointer + " " + findings.at(0).got;
  };
  EXPECT_EQ(wrong({"0000", 7, "1.2.3"}), "/scenario_hash \"6f1c\"");
  EXPECT_EQ(wrong({"6f1c", 8, "1.2.3"}), "/seed 7");
  EXPECT_EQ(wrong({"6f1c", 7, "1.2.4"}), "/program_version \"1.2.3\"");
  EXPECT_EQ(refused({"0000", 8, "1.2.3"}).size(), 2u);
}

TEST_F(RunJournalTest, WhatIsNoJournalIsLeftAlone) {
  for (const std::string text : {"hello", "{\"name\": \"a scenario\"}\n", "\n", "[]\n", "1,2\n3,4\n",
                                 "{\"stallcast_journal\":2}\n", "{\"stallcast_journal\"x", "null\n"}) {
    write(text);
    const auto findings = refused();
    ASSERT_EQ(findings.size(), 1u) << text;
    EXPECT_EQ(findings[0].code, "not_a_journal") << text;
  }
  write(std::string(300000, 'x') + "\n");
  EXPECT_EQ(refused().at(0).code, "not_a_journal");
}

TEST_F(RunJournalTest, ALongTailIsNotTakenForATornLine) {
  write(journal_of(1) + std::string(300000, ' ') + "\n" + "more\n");
  EXPECT_THAT(refused().at(0).got, HasSubstr("line 3"));
}

TEST_F(RunJournalTest, ThreadsMayAddAtOnce) {
  constexpr std::int64_t kThreads = 8, kEach = 50;
  {
    const auto journal = open();
    std::vector<std::jthread> threads;
    for (std::int64_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&journal, t] {
        for (std::int64_t i = 0; i < kEach; ++i) journal->append(t * kEach + i, numbered(t * kEach + i));
      });
    }
  }
  const auto finished = open()->finished();
  ASSERT_EQ(finished.size(), static_cast<std::size_t>(kThreads * kEach));
  for (const auto& [replication, run] : finished) EXPECT_TRUE(same(run, numbered(replication))) << replication;
}

// Drawn on several threads, each kept as it ends: a journal of half of them gives the rest, and progress counts each
// once.
TEST_F(RunJournalTest, WhatIsKeptIsNotDrawnAgain) {
  constexpr std::int64_t kCount = 64;
  Scenario s;
  s.checkpoint.mode = CheckpointMode::kSync;
  s.failures.mtti = seconds(500.0);
  TimelineInput in;
  in.steps = 1000.0;
  in.paces = {{1000.0, 1.0, 1.0}};
  in.checkpoint.interval_steps = 50.0;
  RunOptions options;
  options.replications = kCount;
  const std::vector<SimulatedRun> drawn = replicate(s, in, 1, options);
  options.journal = path_.string();
  std::vector<std::int64_t> counts;
  options.progress = [&counts](const Progress& progress) { counts.push_back(progress.runs); };
  for (const std::int64_t first : {kCount / 2, kCount}) {
    options.replications = first;
    const std::vector<SimulatedRun> runs = replicate(s, in, 1, options);
    ASSERT_EQ(runs.size(), static_cast<std::size_t>(first));
    for (std::size_t r = 0; r < runs.size(); ++r) EXPECT_TRUE(same(runs[r], drawn[r])) << r;
  }
  ASSERT_EQ(counts.size(), static_cast<std::size_t>(kCount));
  for (std::size_t i = 0; i < counts.size(); ++i) EXPECT_EQ(counts[i], static_cast<std::int64_t>(i) + 1);
}

std::string trouble_with(const fs::path& path) {
  try {
    (void)RunJournal::open(path, kIdentity);
  } catch (const WorldError& error) {
    return error.what();
  }
  return "";
}

TEST_F(RunJournalTest, WhatCannotBeReadAndWrittenIsTroubleOfTheWorld) {
  EXPECT_THAT(trouble_with(folder_), HasSubstr("cannot be opened: Is a directory"));
  EXPECT_THAT(trouble_with(folder_ / "missing" / "run.journal"), HasSubstr("No such file"));
  EXPECT_THAT(trouble_with("/dev/null"), HasSubstr("not a regular file"));
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(trouble_with(pipe), HasSubstr("not a regular file"));
}

TEST_F(RunJournalTest, OneProcessWritesAtATime) {
  const auto journal = open();
  EXPECT_THAT(trouble_with(path_), HasSubstr("another stallcast is writing it"));
}

// Another name, seed given apart, and more replications are the same simulated runs; anything else is another scenario.
TEST(JournalIdentity, IsOfWhatRunsDependOn) {
  Scenario scenario;
  scenario.run.seed = 5;
  const JournalIdentity identity = journal_identity(scenario, {});
  EXPECT_EQ(identity.seed, 5u);
  EXPECT_EQ(identity.program_version, program_version());
  Scenario same = scenario;
  same.name = "another";
  same.description = "text";
  same.run.replications = 1000;
  RunOptions options;
  options.seed = 9;
  EXPECT_EQ(journal_identity(same, options).scenario_hash, identity.scenario_hash);
  EXPECT_EQ(journal_identity(same, options).seed, 9u);
  Scenario other = scenario;
  other.failures.mtti = seconds(3600.0);
  EXPECT_NE(journal_identity(other, {}).scenario_hash, identity.scenario_hash);
  RunOptions exact;
  exact.exact = true;
  EXPECT_NE(journal_identity(scenario, exact).scenario_hash, identity.scenario_hash);
}

TEST(JournalProblem, SaysWhenThereIsNothingToKeep) {
  Scenario scenario;
  scenario.dataset.samples = 1000;
  EXPECT_THAT(journal_problem(scenario, "a.journal")->fix, HasSubstr("failures.mtti"));
  scenario.failures.mtti = seconds(3600.0);
  EXPECT_FALSE(journal_problem(scenario, "a.journal"));
  Scenario planned = scenario;
  planned.failures = {};
  planned.failures.maintenance_interval = seconds(3600.0);
  EXPECT_TRUE(journal_problem(planned, "a.journal"));  // at fixed times: one run, and nothing random
  scenario.dataset.samples = 0;
  EXPECT_THAT(journal_problem(scenario, "a.journal")->fix, HasSubstr("dataset.samples"));
  scenario.run.steps_per_epoch = 10;
  EXPECT_FALSE(journal_problem(scenario, "a.journal"));
}

}  // namespace
}  // namespace stallcast
