#include "core/plan/sweep/merge.h"

#include <gmock/gmock.h>

#include "tests/core/plan/sweep_fixture.h"

namespace stallcast {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace fs = std::filesystem;

class MergeTest : public SweepTest {
 protected:
  static SmallSweep small() {
    return SmallSweep::of({"loader.num_workers=1,2,4", "loader.prefetch_factor=2,4", "cost.node_price=$1/h,$2/h"});
  }
  // All shards of `count`, each into the directory that `of` says.
  void shards(std::int64_t count, const std::function<std::string(std::int64_t)>& of) const {
    for (std::int64_t number = count; number >= 1; --number)
      sweep(small(), at(of(number)), {number, count}, 1 + static_cast<unsigned>(number % 2));
  }
  std::string whole() const {
    sweep(small(), at("whole"));
    return results({at("whole")});
  }
  static std::vector<Finding> findings(const std::vector<fs::path>& directories) {
    return merge_points(directories).findings.list();
  }
};

TEST_F(MergeTest, ShardsInOneDirectoryAreTheWholeSweep) {
  const std::string expected = whole();
  ASSERT_FALSE(expected.empty());
  for (const std::int64_t count : {2, 3, 5, 12, 13}) {  // 13: the last has nothing to do
    const std::string directory = "in" + std::to_string(count);
    shards(count, [&](std::int64_t) { return directory; });
    EXPECT_EQ(results({at(directory)}), expected) << count;
  }
}

TEST_F(MergeTest, ShardsInDirectoriesOfTheirOwnAreTheWholeSweep) {
  const std::string expected = whole();
  shards(3, [](std::int64_t number) { return "shard" + std::to_string(number); });
  EXPECT_EQ(results({at("shard2"), at("shard1"), at("shard3")}), expected);
}

// The first half of a sweep done as one of two shards, the rest as two of four: all points are there.
TEST_F(MergeTest, PointsCountHoweverTheSweepWasCut) {
  const std::string expected = whole();
  sweep(small(), at("mixed"), {1, 2});
  for (std::int64_t number = 1; number <= 4; ++number) sweep(small(), at("mixed"), {number, 4});
  EXPECT_EQ(results({at("mixed")}), expected);
}

TEST_F(MergeTest, AMissingShardIsNamedWithItsCommand) {
  shards(4, [](std::int64_t) { return "four"; });
  fs::remove(at("four") / "points-3-of-4.jsonl");
  const auto missing = findings({at("four")});
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_EQ(missing[0].code, "missing_points");
  EXPECT_EQ(missing[0].file, at("four/points-3-of-4.jsonl"));
  EXPECT_EQ(missing[0].got, "3 of the 3 points of shard 3/4 missing");
  EXPECT_EQ(missing[0].fix, "run stallcast sweep 'my job.json' --shard 3/4 -o " + at("four").string());
}

TEST_F(MergeTest, AnUnfinishedShardIsNamedToo) {
  shards(4, [](std::int64_t) { return "four"; });
  const fs::path path = at("four") / "points-2-of-4.jsonl";
  const std::string text = content(path);
  write(path, text.substr(0, text.size() - 10));  // a torn last line
  const auto missing = findings({at("four")});
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_EQ(missing[0].got, "1 of the 3 points of shard 2/4 missing");
  write(path, text.substr(0, 40));  // killed in its first line
  EXPECT_EQ(findings({at("four")}).at(0).got, "3 of the 3 points of shard 2/4 missing");
  sweep(small(), at("four"), {2, 4});
  EXPECT_THAT(findings({at("four")}), IsEmpty());
}

TEST_F(MergeTest, OtherSweepsAreNotMerged) {
  sweep(small(), at("a"), {1, 2});
  SmallSweep other = small();
  other.header.identity["program_version"] = "0.0.1";
  other.header.identity["scenario_hash"] = "1234";
  sweep(other, at("b"), {2, 2});
  const auto found = findings({at("a"), at("b")});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].code, "other_sweep");
  EXPECT_EQ(found[0].file, at("b/points-2-of-2.jsonl"));
  EXPECT_EQ(found[0].pointer + " " + found[0].got, "/program_version \"0.0.1\"");
  EXPECT_THAT(found[0].allowed, HasSubstr("as in " + at("a/points-1-of-2.jsonl").string()));
  EXPECT_EQ(found[1].pointer, "/scenario_hash");
}

TEST_F(MergeTest, APointWithTwoResultsIsRefused) {
  sweep(small(), at("a"));
  sweep(small(), at("b"));
  const fs::path path = at("b") / "points-1-of-1.jsonl";
  std::string text = content(path);
  text.replace(text.find("\"converged\":true"), 16, "\"converged\":null");
  write(path, text);
  const auto found = findings({at("a"), at("b")});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].code, "contradicting_points");
}

TEST_F(MergeTest, NothingToMergeIsSaid) {
  fs::create_directories(at("empty"));
  const auto found = findings({at("empty"), at("none")});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].code + " " + found[0].got, "nothing_to_merge no file of points");
  EXPECT_EQ(found[1].got, "no such directory");
  write(at("torn/points-1-of-1.jsonl"), "{\"kind\":\"stal");
  EXPECT_EQ(findings({at("torn")}).at(0).code, "nothing_to_merge");
}

// Of a thousand shards nobody reads a thousand findings.
TEST_F(MergeTest, ManyMissingShardsAreCounted) {
  const SmallSweep many = SmallSweep::of({"loader.num_workers=1..100"});
  sweep(many, at("a"), {1, 50});
  const auto found = findings({at("a")});
  ASSERT_EQ(found.size(), 21u);
  EXPECT_EQ(found.back().got, "29 more shards of 50 that are not finished");
}

}  // namespace
}  // namespace stallcast
