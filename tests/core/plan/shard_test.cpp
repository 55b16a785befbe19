#include "core/plan/sweep/shard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace stallcast {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Lt;

// Whatever the numbers of points and shards, each point has one shard and one position in it.
TEST(Shard, EveryPointBelongsToExactlyOne) {
  for (std::int64_t points = 0; points <= 40; ++points) {
    for (std::int64_t count = 1; count <= 11; ++count) {
      std::set<std::int64_t> seen;
      for (std::int64_t number = 1; number <= count; ++number) {
        const Shard shard{number, count};
        for (std::int64_t position = 0; position < shard.size(points); ++position) {
          const std::int64_t index = shard.point(position);
          ASSERT_TRUE(index >= 0 && index < points) << points << " " << shard_text(shard);
          ASSERT_TRUE(seen.insert(index).second) << index << " twice";
          ASSERT_EQ(shard.position(index), position);
        }
      }
      ASSERT_EQ(static_cast<std::int64_t>(seen.size()), points);
      for (std::int64_t index = 0; index < points; ++index) {
        int owners = 0;
        for (std::int64_t number = 1; number <= count; ++number)
          owners += Shard{number, count}.position(index).has_value() ? 1 : 0;
        ASSERT_EQ(owners, 1);
        ASSERT_TRUE(Shard::of(index, count).position(index).has_value());
      }
    }
  }
}

TEST(Shard, TheWholeIsInOrder) {
  for (std::int64_t index : {0, 1, 7, 1000}) EXPECT_EQ((Shard{1, 1}.point(index)), index);
}

// The fastest axis has `values` values: value = index mod values. Dealt one by one without a shift, each of 8 shards of
// 8 values would get one of them only. 4000 draws of one of n <= 16 values: each comes m = 4000 / n >= 250 times, with
// a standard deviation below sqrt(m); five of them are 5 / sqrt(m) < 0.32 of m.
TEST(Shard, EachGetsEveryValueOfTheFastestAxisAlike) {
  constexpr std::int64_t kDraws = 4000;
  for (const std::int64_t count : {2, 3, 4, 8, 16}) {
    for (const std::int64_t values : {2, 4, 5, 8, 16}) {
      for (std::int64_t number = 1; number <= count; ++number) {
        std::vector<std::int64_t> times(static_cast<std::size_t>(values), 0);
        for (std::int64_t position = 0; position < kDraws; ++position)
          ++times[static_cast<std::size_t>(Shard{number, count}.point(position) % values)];
        const std::int64_t fair = kDraws / values;
        EXPECT_THAT(times, Each(AllOf(Gt(fair * 2 / 3), Lt(fair * 4 / 3)))) << number << "/" << count << ", " << values;
      }
    }
  }
}

TEST(Shard, IsReadAsWritten) {
  for (const Shard shard : {Shard{1, 1}, Shard{3, 8}, Shard{kMaxShards, kMaxShards}})
    EXPECT_EQ(*parse_shard(shard_text(shard)).value, shard);
  for (const char* text : {"", "3", "0/8", "9/8", "-1/8", "3/0", "3/8/9", "a/b", "3/", "/8", " 3/8", "3/8 ",
                           "1/1000001", "3/99999999999999999999", "+3/8"}) {
    const Loaded<Shard> read = parse_shard(text);
    EXPECT_FALSE(read.value) << text;
    ASSERT_EQ(read.findings.list().size(), 1u) << text;
    EXPECT_EQ(read.findings.list()[0].code, "bad_shard");
    EXPECT_EQ(read.findings.list()[0].got, text);
  }
}

Loaded<std::optional<ScheduledShard>> among(const std::map<std::string, std::string>& variables) {
  return shard_from_environment([&variables](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

std::string said(const std::map<std::string, std::string>& variables) {
  const auto scheduled = among(variables);
  if (!scheduled.value) return "error";
  if (!*scheduled.value) return "none";
  return shard_text((*scheduled.value)->shard) + " " + (*scheduled.value)->said_by;
}

TEST(Shard, IsSaidBySlurm) {
  const auto task = [](const char* id, const char* count, const char* min, const char* step) {
    return said({{"SLURM_ARRAY_TASK_ID", id},
                 {"SLURM_ARRAY_TASK_COUNT", count},
                 {"SLURM_ARRAY_TASK_MIN", min},
                 {"SLURM_ARRAY_TASK_STEP", step}});
  };
  EXPECT_EQ(task("5", "8", "1", "1"), "5/8 SLURM_ARRAY_TASK_ID=5");
  EXPECT_EQ(task("0", "4", "0", "1"), "1/4 SLURM_ARRAY_TASK_ID=0");
  EXPECT_EQ(task("20", "3", "10", "5"), "3/3 SLURM_ARRAY_TASK_ID=20");  // --array=10-20:5
  EXPECT_EQ(task("21", "3", "10", "5"), "error");
  EXPECT_EQ(task("7", "2", "3", "1"), "error");  // --array=3,7: no way to tell the second from the fifth
  EXPECT_EQ(task("x", "2", "1", "1"), "error");
  EXPECT_EQ(task("1", "2", "1", "0"), "error");
  EXPECT_EQ(said({{"SLURM_ARRAY_TASK_ID", "1"}}), "error");
}

TEST(Shard, IsSaidByKubernetes) {
  EXPECT_EQ(said({{"JOB_COMPLETION_INDEX", "0"}, {"STALLCAST_SHARDS", "8"}}), "1/8 JOB_COMPLETION_INDEX=0");
  EXPECT_EQ(said({{"JOB_COMPLETION_INDEX", "7"}, {"STALLCAST_SHARDS", "8"}}), "8/8 JOB_COMPLETION_INDEX=7");
  EXPECT_EQ(said({{"JOB_COMPLETION_INDEX", "8"}, {"STALLCAST_SHARDS", "8"}}), "error");
  EXPECT_EQ(said({{"JOB_COMPLETION_INDEX", "9223372036854775807"}, {"STALLCAST_SHARDS", "8"}}), "error");
  const auto without = among({{"JOB_COMPLETION_INDEX", "0"}});
  EXPECT_FALSE(without.value);
  EXPECT_THAT(without.findings.list().at(0).got, HasSubstr("STALLCAST_SHARDS not set"));
  EXPECT_EQ(said({{"STALLCAST_SHARDS", "8"}}), "none");
  EXPECT_EQ(said({}), "none");
}

}  // namespace
}  // namespace stallcast
