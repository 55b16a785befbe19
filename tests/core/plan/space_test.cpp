#include "core/plan/space/space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/plan/evaluate/evaluation.h"
#include "tests/core/plan/base_file.h"

namespace stallcast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const char* const kOnParallelstore = R"({"cluster": {"instance": "a3-highgpu-8g"}, "workload": {"name": "unet3d"},
                                         "storage": {"tier": "parallelstore", "capacity": "12 TiB"}})";

Loaded<Space> space_of(const std::vector<std::string>& texts, const DesignSpec& design = {}) {
  const ScenarioFile base = scenario_file(kOnParallelstore);
  return make_space(base, variables(base, texts), design, shipped_catalogue());
}

std::vector<std::string> texts_of(const Space& space) {
  std::vector<std::string> texts;
  for (std::int64_t i = 0; i < space.size(); ++i) texts.push_back(point_text(space.point(i)));
  return texts;
}

TEST(Space, NumbersEveryCombinationTheLastFastest) {
  const Space space = *space_of({"loader.num_workers=4,8", "loader.prefetch_factor=1..3"}).value;
  EXPECT_EQ(space.size(), 6);
  EXPECT_EQ(point_text(space.point(0)), "/loader/num_workers=4 /loader/prefetch_factor=1");
  EXPECT_EQ(point_text(space.point(1)), "/loader/num_workers=4 /loader/prefetch_factor=2");
  EXPECT_EQ(point_text(space.point(3)), "/loader/num_workers=8 /loader/prefetch_factor=1");
  for (std::int64_t i = 0; i < space.size(); ++i) EXPECT_EQ(space.index_of(space.choices_at(i)), i);
}

TEST(Space, EveryTierHasTheSizesItIsSoldIn) {
  // Parallelstore is sold in multiples of 4 TiB from 12 to 100, Cloud Storage by what it holds.
  const Space space = *space_of({"storage.tier=parallelstore,gcs_standard", "storage.capacity=10 TiB..24 TiB"}).value;
  EXPECT_THAT(texts_of(space), ElementsAre("/storage/tier=parallelstore /storage/capacity=12 TiB",
                                           "/storage/tier=parallelstore /storage/capacity=16 TiB",
                                           "/storage/tier=parallelstore /storage/capacity=20 TiB",
                                           "/storage/tier=parallelstore /storage/capacity=24 TiB",
                                           "/storage/tier=gcs_standard /storage/capacity="));
}

TEST(Space, ListedSizesThatATierIsNotSoldInAreLeftOut) {
  const Space space =
      *space_of({"storage.capacity=12 TiB,13 TiB,1200 GiB", "storage.tier=parallelstore,fsx_lustre_scratch_2"}).value;
  EXPECT_THAT(texts_of(space), ElementsAre("/storage/tier=parallelstore /storage/capacity=12 TiB",
                                           "/storage/tier=fsx_lustre_scratch_2 /storage/capacity=1200 GiB"));
}

TEST(Space, ValidIsEverySize) {
  EXPECT_EQ(space_of({"storage.capacity=valid"}).value->size(), 23);  // (100 - 12) / 4 + 1
  EXPECT_EQ(code_of(space_of({"storage.tier=fsx_lustre_scratch_2", "storage.capacity=valid"}).findings),
            "sizes_without_end");
}

TEST(Space, ValidSizesMayKeepADistance) {
  // 96 TiB twice is more than there is; the largest is always among them.
  EXPECT_THAT(texts_of(*space_of({"storage.capacity=valid:x2"}).value),
              ElementsAre("/storage/capacity=12 TiB", "/storage/capacity=24 TiB", "/storage/capacity=48 TiB",
                          "/storage/capacity=96 TiB", "/storage/capacity=100 TiB"));
  // 1200 GiB and multiples of 2400 GiB, without an end: up to a thousand times the smallest.
  EXPECT_EQ(space_of({"storage.tier=fsx_lustre_scratch_2", "storage.capacity=valid:x10"}).value->size(), 4);
  const ScenarioFile base = scenario_file(kOnParallelstore);
  EXPECT_EQ(code_of(parse_variable("storage.capacity=valid:x1", base).findings), "bad_step");
  EXPECT_EQ(code_of(parse_variable("storage.capacity=valid:xten", base).findings), "bad_step");
  EXPECT_EQ(code_of(parse_variable("storage.capacity=valid:1.2", base).findings), "bad_step");
}

TEST(Space, EveryPointOfTiersAndSizesResolves) {
  const ScenarioFile base = scenario_file(kOnParallelstore);
  const Space space = *space_of({"storage.tier=parallelstore,gcs_standard,filestore_zonal,fsx_lustre_scratch_2",
                                 "storage.capacity=1 TiB..20 TiB"})
                           .value;
  std::set<std::string> keys;
  for (std::int64_t i = 0; i < space.size(); ++i) {
    const Loaded<ResolvedScenario> resolved = resolve_at(base, space.point(i), shipped_catalogue());
    ASSERT_TRUE(resolved.ok()) << point_text(space.point(i));
    keys.insert(point_text(space.point(i)));
  }
  EXPECT_EQ(static_cast<std::int64_t>(keys.size()), space.size());
}

TEST(Space, BillionsOfPointsTakeNoMemory) {
  const Space space =
      *space_of({"loader.num_workers=1..1000", "loader.prefetch_factor=1..1000", "cluster.nodes=1..1000"}).value;
  EXPECT_EQ(space.size(), 1'000'000'000);
  EXPECT_EQ(point_text(space.point(999'999'999)),
            "/loader/num_workers=1000 /loader/prefetch_factor=1000 /cluster/nodes=1000");
}

TEST(Space, ALatinHypercubeTakesEveryPartOnce) {
  const DesignSpec design{Design::kLatinHypercube, 8, 3};
  const Space space = *space_of({"storage.noise=0..0.8", "loader.num_workers=1..4"}, design).value;
  std::multiset<int> noises, workers;
  for (std::int64_t i = 0; i < 8; ++i) {
    const Point point = space.point(i);
    noises.insert(static_cast<int>(10.0 * std::stod(point[0].text)));
    workers.insert(std::stoi(point[1].text));
  }
  EXPECT_THAT(noises, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(workers, ElementsAre(1, 1, 2, 2, 3, 3, 4, 4));
  EXPECT_EQ(texts_of(space), texts_of(*space_of({"storage.noise=0..0.8", "loader.num_workers=1..4"}, design).value));
}

TEST(Space, SobolHalvesEveryRangeInTurn) {
  const Space space = *space_of({"storage.noise=0..0.8"}, {Design::kSobol, 3, 1}).value;
  EXPECT_THAT(texts_of(space), ElementsAre("/storage/noise=0.4", "/storage/noise=0.6", "/storage/noise=0.2"));
}

TEST(Space, SampledTiersAreEquallyLikelyWhateverTheirSizes) {
  const Space space =
      *space_of({"storage.tier=parallelstore,gcs_standard", "storage.capacity=valid"}, {Design::kLatinHypercube, 40, 1})
           .value;
  int buckets = 0;
  for (std::int64_t i = 0; i < 40; ++i) buckets += space.point(i)[0].text == "gcs_standard" ? 1 : 0;
  EXPECT_EQ(buckets, 20);
}

TEST(Space, WrongQuestionsAreRefused) {
  EXPECT_EQ(code_of(space_of({}).findings), "nothing_varies");
  EXPECT_EQ(code_of(space_of({"loader.num_workers=1", "/loader/num_workers=2"}).findings), "varied_twice");
  EXPECT_EQ(code_of(space_of({"storage.noise=0..0.5"}).findings), "range_without_step");
  EXPECT_EQ(code_of(space_of({"storage.tier=paralelstore"}).findings), "unknown_record");
  EXPECT_EQ(code_of(space_of({"storage.tier=parallelstore", "storage.capacity=1 TiB..2 TiB"}).findings),
            "no_valid_size");
  EXPECT_EQ(code_of(space_of({"storage.noise=0..0.5"}, {Design::kSobol, 0, 1}).findings), "no_points");
  std::vector<std::string> much;
  for (const char* field : {"loader.num_workers", "loader.prefetch_factor", "cluster.nodes", "workload.batch_size",
                            "dataset.samples_per_shard"})
    much.push_back(std::string(field) + "=1..1000");
  much.push_back("run.seed=1..99999");
  much.push_back("run.epochs=1..1000");
  EXPECT_THAT(code_of(space_of(much).findings), "too_many_points");
}

}  // namespace
}  // namespace stallcast
