// example SCENARIO: simulates a scenario file and prints the GPU utilization with its interval.
#include <fmt/format.h>

#include <iostream>
#include <optional>
#include <utility>

#include "core/catalogue/catalogue.h"
#include "core/run/simulate.h"
#include "core/scenario/resolve/resolve.h"
#include "core/scenario/resolve/scenario_file.h"

using namespace stallcast;

namespace {

// The value, or nothing after every finding was printed.
template <class T>
std::optional<T> checked(Loaded<T> loaded) {
  for (const Finding& finding : loaded.findings.list()) std::cerr << render_finding(finding) << "\n";
  return loaded.ok() ? std::move(loaded.value) : std::nullopt;
}

int predict(const char* path) {
  const std::optional<Catalogue> catalogue = checked(load_catalogue(MODELS_DIR));
  const std::optional<ScenarioFile> file = checked(load_scenario(path));
  if (!catalogue || !file) return 2;
  const std::optional<ResolvedScenario> job = checked(resolve(*file, *catalogue));
  if (!job) return 2;
  const Estimate busy = simulate(job->scenario).gpu_utilization;
  std::cout << fmt::format("GPU utilization {:.1f} %, 95 % interval {:.1f} to {:.1f} %\n", 100 * busy.mean,
                           100 * busy.ci95_low, 100 * busy.ci95_high);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: example SCENARIO\n";
    return 2;
  }
  try {
    return predict(argv[1]);
  } catch (const WorldError& error) {  // a file that cannot be read
    std::cerr << error.what() << "\n";
    return 3;
  }
}
