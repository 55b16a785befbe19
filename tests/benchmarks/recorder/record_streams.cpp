// Records what models ask of the event queue: stallcast_record_streams DIR SCENARIO.json writes DIR/MODEL.events for
// M/M/1, the loader pipeline at 1, 64 and 512 ranks, and the scenario.
#include <cstdio>
#include <filesystem>
#include <string>

#include "core/catalogue/catalogue.h"
#include "core/run/simulate.h"
#include "core/scenario/resolve/resolve.h"
#include "core/scenario/resolve/scenario_file.h"
#include "tests/benchmarks/event_stream.h"
#include "tests/benchmarks/loader_model.h"
#include "tests/benchmarks/mm1_model.h"

namespace stallcast::benchmarks {
namespace {

void keep(const std::filesystem::path& path) {
  const EventStream stream = longest_stream.take();
  write_stream(path, stream);
  std::printf("%s: %zu operations\n", path.c_str(), stream.size());
}

void record_mm1(const std::filesystem::path& path) {
  {
    Mm1 queue;
    run_mm1(queue, 1'000'000);
  }
  keep(path);
}

void record_loader(const std::filesystem::path& path, std::int64_t ranks) {
  {
    LoaderPipeline pipeline(ranks, loader_steps(ranks), kLongStepS);
    run_loader(pipeline);
  }
  keep(path);
}

void record_scenario(const std::filesystem::path& path, const std::filesystem::path& scenario) {
  const auto catalogue = load_catalogue(std::filesystem::path(STALLCAST_SOURCE_DIR) / "models");
  const auto file = load_scenario(scenario);
  (void)simulate(resolve(file.value.value(), catalogue.value.value()).value.value().scenario);
  keep(path);
}

}  // namespace
}  // namespace stallcast::benchmarks

int main(int argc, char** argv) {
  using namespace stallcast::benchmarks;
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s DIR SCENARIO.json\n", argv[0]);
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  record_mm1(folder / "mm1.events");
  for (const std::int64_t ranks : {1, 64, 512})
    record_loader(folder / ("loader_" + std::to_string(ranks) + ".events"), ranks);
  record_scenario(folder / "headline.events", argv[2]);
  return 0;
}
