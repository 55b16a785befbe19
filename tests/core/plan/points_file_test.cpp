#include "core/plan/sweep/points_file.h"

#include <gmock/gmock.h>

#include <thread>

#include "tests/core/plan/sweep_fixture.h"

namespace stallcast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string line_of(std::int64_t index, const std::string& status = "ok") {
  return nlohmann::ordered_json{{"index", index}, {"/x", 0.1 * static_cast<double>(index)}, {"status", status}}.dump();
}

class PointsFileTest : public SweepTest {
 protected:
  void SetUp() override {
    SweepTest::SetUp();
    header_.identity = {{"program_version", "1.2.3"}, {"points", 5}, {"fields", {"/x"}}};
    header_.command = {"stallcast", "sweep", "a.json"};
    path_ = folder_ / points_file_name(header_.shard);
  }
  std::unique_ptr<PointsFile> open() const {
    Loaded<std::unique_ptr<PointsFile>> file = PointsFile::open(folder_, header_);
    EXPECT_TRUE(file.ok()) << (file.findings.empty() ? "" : render_finding(file.findings.list()[0]));
    return file.ok() ? std::move(*file.value) : nullptr;
  }
  // The findings of a file that must be refused and left alone.
  std::vector<Finding> refused() const {
    const std::string before = content(path_);
    const auto file = PointsFile::open(folder_, header_);
    EXPECT_FALSE(file.ok());
    EXPECT_EQ(content(path_), before);
    return file.findings.list();
  }
  // A file with the points 0, 1, ... n - 1.
  std::string file_of(std::int64_t n) const {
    const auto file = open();
    for (std::int64_t i = 0; i < n; ++i) file->append(line_of(i));
    return content(path_);
  }
  PointsHeader header_;
  std::filesystem::path path_;
};

TEST_F(PointsFileTest, GivesBackWhatWasAdded) {
  EXPECT_EQ(open()->had_points(), 0);
  {
    const auto file = open();
    file->append(line_of(3));
    file->append(line_of(0, "invalid"));
  }
  const auto file = open();
  EXPECT_EQ(file->had_points(), 2);
  EXPECT_EQ(file->had_failed(), 1);
  std::vector<bool> had;
  for (std::int64_t i = 0; i < 5; ++i) had.push_back(file->had(i));
  EXPECT_THAT(had, ElementsAre(true, false, false, true, false));
}

// Killed while any byte was written: each point whose line is whole is there, and going on gives the same file.
TEST_F(PointsFileTest, ATornLineIsComputedAgainWhereverItIsTorn) {
  const std::string whole = file_of(2);
  const std::size_t first = whole.find('\n') + 1, second = whole.find('\n', first) + 1;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write(path_, whole.substr(0, size));
    const auto file = open();
    ASSERT_TRUE(file) << size;
    const std::int64_t had = size < second ? 0 : 1;
    ASSERT_EQ(file->had_points(), had) << size;
    for (std::int64_t i = had; i < 2; ++i) file->append(line_of(i));
    ASSERT_EQ(content(path_), whole) << size;
  }
}

TEST_F(PointsFileTest, ALastLineThatIsNoPointIsDroppedToo) {
  const std::string whole = file_of(1);
  write(path_, whole + std::string(300, '\0') + "\n");
  EXPECT_EQ(open()->had_points(), 1);
  EXPECT_EQ(content(path_), whole);
}

TEST_F(PointsFileTest, ADamagedLineBeforeTheLastIsNamed) {
  const std::string whole = file_of(3);
  const std::size_t first = whole.find('\n') + 1, second = whole.find('\n', first) + 1;
  write(path_, whole.substr(0, first) + "{}\n" + whole.substr(second));
  const auto findings = refused();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(
      render_finding(findings[0]),
      path_.string() +
          ": error[damaged_points]:\n  got line 2: not a point; allowed one point of this shard in each line, each "
          "once; remove line 2, whose point is then computed again (nothing was changed in it)");
  write(path_, whole + whole.substr(second));
  EXPECT_THAT(refused().at(0).got, HasSubstr("line 5: point 1 once more"));
  for (const char* index : {"5", "-1", "18446744073709551615", "1.5", "\"1\"", "null"}) {
    write(path_, whole + "{\"index\":" + index + ",\"status\":\"ok\"}\n" + line_of(4) + "\n");
    EXPECT_THAT(refused().at(0).got, HasSubstr("line 5: ")) << index;
  }
}

// A first line that speaks of 2^62 points takes no memory for them.
TEST_F(PointsFileTest, TakesWhatTheFileHoldsHoweverManyPointsItSpeaksOf) {
  header_.identity["points"] = std::int64_t{1} << 62;
  const std::int64_t last = (std::int64_t{1} << 62) - 1;
  open()->append(line_of(last));
  const auto file = open();
  ASSERT_TRUE(file);
  EXPECT_EQ(file->had_points(), 1);
  EXPECT_TRUE(file->had(last));
  EXPECT_FALSE(file->had(0));
}

TEST_F(PointsFileTest, AFirstLineOfMorePointsThanASpaceHasIsNoSweeps) {
  const std::string whole = file_of(0);
  const std::string points = "\"points\":5";
  const std::size_t at = whole.find(points);
  ASSERT_NE(at, std::string::npos);
  for (const char* value : {"9223372036854775807", "-1", "5.5", "\"5\"", "null"}) {
    std::string other = whole;
    write(path_, other.replace(at, points.size(), std::string("\"points\":") + value));
    EXPECT_EQ(refused().at(0).code, "not_a_sweep") << value;
  }
}

// Results are JSON, which has none.
TEST_F(PointsFileTest, ACommentIsDamage) {
  const std::string whole = file_of(1);
  write(path_, whole + "{\"index\":1,\"status\":\"ok\"} // mine\n" + line_of(2) + "\n");
  EXPECT_THAT(refused().at(0).got, HasSubstr("line 3: not a point"));
}

TEST_F(PointsFileTest, APointOfAnotherShardIsDamage) {
  header_.shard = {1, 2};
  path_ = folder_ / points_file_name(header_.shard);
  const std::string whole = file_of(0);
  const std::int64_t other = Shard{2, 2}.point(0);
  write(path_, whole + line_of(other) + "\n" + line_of(header_.shard.point(1)) + "\n");
  EXPECT_THAT(refused().at(0).got, HasSubstr("is not of this shard"));
}

TEST_F(PointsFileTest, AnotherSweepsPointsAreLeftAlone) {
  file_of(1);
  header_.identity["program_version"] = "1.2.4";
  header_.identity["points"] = 6;
  const auto findings = refused();
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].code, "other_sweep");
  EXPECT_EQ(findings[0].pointer + " " + findings[0].got + " " + findings[0].allowed,
            "/program_version \"1.2.3\" \"1.2.4\", as in this sweep");
  EXPECT_EQ(findings[1].pointer + " " + findings[1].got, "/points 5");
  // Another shard of another sweep does not fit beside it either.
  header_.shard = {1, 2};
  EXPECT_EQ(refused().size(), 2u);
  EXPECT_FALSE(std::filesystem::exists(folder_ / points_file_name(header_.shard)));
}

// How a sweep is called, and on how many machines, does not make it another.
TEST_F(PointsFileTest, TheCommandIsNotCompared) {
  file_of(1);
  header_.command = {"stallcast", "sweep", "/elsewhere/a.json"};
  EXPECT_EQ(open()->had_points(), 1);
}

TEST_F(PointsFileTest, WhatIsNoSweepIsLeftAlone) {
  for (const std::string text :
       {"hello", "{\"name\": \"a scenario\"}\n", "\n", "[]\n", "1,2\n3,4\n", "null\n",
        "{\"kind\":\"stallcast sweep\"}\n", "{\"kind\":\"stallcast sweep\",\"format_version\":2}\n",
        "{\"kind\":\"stallcast sweep\",\"format_version\":1}\n",
        "{\"kind\":\"stallcast sweep\",\"format_version\":\"1\"}\n", "{\"kind\":\"another\""}) {
    write(path_, text);
    const auto findings = refused();
    ASSERT_EQ(findings.size(), 1u) << text;
    EXPECT_EQ(findings[0].code, "not_a_sweep") << text;
  }
}

TEST_F(PointsFileTest, ThreadsMayAddAtOnce) {
  header_.identity["points"] = 400;
  {
    const auto file = open();
    std::vector<std::jthread> threads;
    for (std::int64_t t = 0; t < 8; ++t)
      threads.emplace_back([&file, t] {
        for (std::int64_t i = 0; i < 50; ++i) file->append(line_of(t * 50 + i));
      });
  }
  EXPECT_EQ(open()->had_points(), 400);
}

TEST_F(PointsFileTest, OneProcessWritesAtATime) {
  const auto file = open();
  try {
    (void)PointsFile::open(folder_, header_);
    ADD_FAILURE();
  } catch (const WorldError& error) {
    EXPECT_THAT(error.what(), HasSubstr("another stallcast is writing them"));
  }
}

TEST_F(PointsFileTest, WhatCannotBeADirectoryIsTroubleOfTheWorld) {
  write(at("file"), "");
  EXPECT_THROW((void)PointsFile::open(at("file"), header_), std::runtime_error);
  std::filesystem::create_directories(path_);
  EXPECT_THROW((void)PointsFile::open(folder_, header_), WorldError);
}

}  // namespace
}  // namespace stallcast
