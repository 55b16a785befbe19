#include "core/plan/space/box.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/core/plan/base_file.h"

namespace stallcast {
namespace {

const char* const kJob = R"({"cluster": {"instance": "a3-highgpu-8g"}, "workload": {"name": "unet3d"},
                             "storage": {"tier": "parallelstore", "capacity": "12 TiB"}})";

Space space_of(const std::vector<std::string>& texts) {
  const ScenarioFile base = scenario_file(kJob);
  return *make_space(base, variables(base, texts), {}, shipped_catalogue()).value;
}

// Every point of `box` is its top or in one of its parts, down to single points.
void take_apart(const BoxedSpace& boxes, const Box& box, std::multiset<std::int64_t>& seen) {
  seen.insert(boxes.top_index(box));
  std::int64_t rest = 0;
  for (const Box& part : boxes.without_top(box)) {
    rest += part.size();
    take_apart(boxes, part, seen);
  }
  EXPECT_EQ(rest, box.size() - 1);
}

TEST(Box, RootsAndPartsHoldEveryPointOnce) {
  const Space space = space_of({"checkpoint.interval_steps=100,500", "loader.num_workers=8,0,1,4",
                                "storage.tier=parallelstore,gcs_standard,filestore_zonal",
                                "storage.capacity=10 TiB..24 TiB", "loader.prefetch_factor=2,1"});
  const BoxedSpace boxes(space);
  // 2 cadences; workers 0 and 1 to 8 apart; 3 tiers; prefetch one segment.
  EXPECT_EQ(boxes.root_count(), 2 * 2 * 3);
  std::multiset<std::int64_t> seen;
  for (std::int64_t r = 0; r < boxes.root_count(); ++r) take_apart(boxes, boxes.root(r), seen);
  EXPECT_EQ(std::ssize(seen), space.size());
  EXPECT_EQ(std::set<std::int64_t>(seen.begin(), seen.end()).size(), seen.size());
}

TEST(Box, ATopHasTheMostOfEveryKnob) {
  const Space space = space_of({"loader.num_workers=8,1,16", "storage.capacity=16 TiB,100 TiB,12 TiB"});
  const BoxedSpace boxes(space);
  ASSERT_EQ(boxes.root_count(), 1);
  const Box box = boxes.root(0);
  EXPECT_EQ(point_text(space.point(boxes.top_index(box))), "/loader/num_workers=16 /storage/capacity=100 TiB");
  EXPECT_EQ(point_text(space.point(boxes.bottom_index(box))), "/loader/num_workers=1 /storage/capacity=12 TiB");
  const auto [low, high] = boxes.halves(box, 1);
  EXPECT_EQ(low.size() + high.size(), box.size());
  EXPECT_EQ(point_text(space.point(boxes.top_index(low))), "/loader/num_workers=16 /storage/capacity=16 TiB");
  EXPECT_EQ(high.size(), 3);
}

}  // namespace
}  // namespace stallcast
