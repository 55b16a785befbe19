#include "core/plan/emit/loader_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/plan/evaluate/evaluation.h"
#include "tests/core/plan/base_file.h"
#include "tests/core/plan/run_tool.h"

namespace stallcast {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Scenario loader_of(LoaderStyle style, const std::string& framework, DatasetLayout layout) {
  Scenario s;
  s.cluster.nodes = 2;
  s.cluster.gpus_per_node = 8;
  s.workload.batch_size = 7;
  s.loader.style = style;
  s.loader.framework = framework;
  s.loader.num_workers = 3;
  s.loader.prefetch_factor = 5;
  s.dataset.layout = layout;
  s.dataset.samples_per_shard = 100;
  return s;
}

// Every argument of the scenario's loader, in the order of DataLoader's signature.
TEST(LoaderArguments, OfAMapStyleDataLoader) {
  Scenario s = loader_of(LoaderStyle::kMap, "pytorch", DatasetLayout::kFilePerSample);
  s.loader.pin_memory = true;
  s.loader.persistent_workers = true;
  s.loader.start_method = StartMethod::kSpawn;
  EXPECT_THAT(loader_arguments(s), ElementsAre("dataset", "batch_size=7", "sampler=sampler", "num_workers=3",
                                               "pin_memory=True", "drop_last=True", "multiprocessing_context=\"spawn\"",
                                               "prefetch_factor=5", "persistent_workers=True"));
  const LoaderScript script = loader_script(s);
  EXPECT_EQ(script.library, "PyTorch");
  EXPECT_THAT(script.calls.front().arguments, Contains("shuffle=True"));
  s.loader.in_order = false;
  EXPECT_THAT(loader_arguments(s), Contains("in_order=False"));
  EXPECT_THAT(loader_script(s).notes, Contains(HasSubstr("torch 2.6")));
}

// DataLoader raises ValueError for each of these without worker processes.
TEST(LoaderArguments, WithoutWorkersThereIsNothingForThem) {
  Scenario s = loader_of(LoaderStyle::kMap, "pytorch", DatasetLayout::kFilePerSample);
  s.cluster.nodes = s.cluster.gpus_per_node = 1;
  s.loader.num_workers = 0;
  s.loader.in_order = false;
  s.dataset.shuffle = Shuffle::kNone;
  EXPECT_THAT(loader_arguments(s), ElementsAre("dataset", "batch_size=7", "shuffle=False", "num_workers=0",
                                               "pin_memory=False", "drop_last=True"));
}

// An IterableDataset takes neither shuffle nor sampler.
TEST(LoaderArguments, OfAnIterableDataset) {
  Scenario s = loader_of(LoaderStyle::kIterable, "pytorch", DatasetLayout::kShards);
  s.dataset.shuffle = Shuffle::kBuffer;
  s.dataset.shuffle_buffer = 1000;
  EXPECT_THAT(loader_arguments(s), Not(Contains(StartsWith("shuffle="))));
  EXPECT_THAT(loader_arguments(s), Not(Contains(StartsWith("sampler="))));
  EXPECT_THAT(loader_script(s).notes, Contains(HasSubstr("1000")));
}

TEST(LoaderArguments, OfWebDatasetBatchesAreMadeInTheWorker) {
  Scenario s = loader_of(LoaderStyle::kIterable, "webdataset", DatasetLayout::kShards);
  s.dataset.shuffle = Shuffle::kBuffer;
  s.dataset.shuffle_buffer = 1000;
  s.dataset.shuffle_initial = 100;
  const std::string source = loader_source(loader_script(s));
  EXPECT_THAT(source, HasSubstr("dataset.shuffle(\n    1000,\n    initial=100,\n)"));
  EXPECT_THAT(source, HasSubstr("dataset.batched(\n    7,\n    partial=False,\n)"));
  EXPECT_THAT(loader_arguments(s), Contains("batch_size=None"));
}

// The threads of the pool decode; interleave reads by streams of its own.
TEST(LoaderArguments, OfTfData) {
  Scenario s = loader_of(LoaderStyle::kThreads, "tf_data", DatasetLayout::kShards);
  s.dataset.shuffle = Shuffle::kShard;
  s.loader.interleave = 16;
  s.loader.in_order = false;
  const std::vector<std::string> arguments = loader_arguments(s);
  EXPECT_THAT(arguments, Contains("cycle_length=16"));
  EXPECT_THAT(arguments, Contains("num_parallel_calls=16"));
  EXPECT_THAT(arguments, Contains("num_parallel_calls=3"));
  EXPECT_THAT(arguments, Contains("buffer_size=5"));
  EXPECT_THAT(arguments, Contains("deterministic=False"));
}

TEST(LoaderArguments, OfDali) {
  Scenario s = loader_of(LoaderStyle::kThreads, "", DatasetLayout::kFilePerSample);
  s.loader.decode_on = DecodeDevice::kGpu;
  const LoaderScript script = loader_script(s);
  EXPECT_EQ(script.library, "DALI");
  EXPECT_THAT(loader_arguments(s), Contains("num_threads=3"));
  EXPECT_THAT(loader_arguments(s), Contains("prefetch_queue_depth=5"));
  EXPECT_THAT(script.notes, Contains(HasSubstr("mixed")));
}

TEST(LoaderArguments, OfEveryShippedScenarioArePython) {
  if (!tool_exists("python3")) GTEST_SKIP() << "python3 is not installed";
  std::string all;
  int scenarios = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(STALLCAST_SOURCE_DIR) + "/scenarios")) {
    if (entry.path().extension() != ".json") continue;
    const Loaded<ResolvedScenario> resolved = resolve_at(*load_scenario(entry.path()).value, {}, shipped_catalogue());
    ASSERT_TRUE(resolved.ok()) << entry.path();
    all += loader_source(loader_script(resolved.value->scenario));
    ++scenarios;
  }
  EXPECT_GT(scenarios, 20);
  const ToolResult read =
      run_tool("python3 -c 'import ast, sys; ast.parse(open(sys.argv[1], encoding=\"utf-8\").read())'", all);
  EXPECT_TRUE(read.accepted) << read.output << all;
}

}  // namespace
}  // namespace stallcast
