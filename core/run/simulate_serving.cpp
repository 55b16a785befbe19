#include "core/run/simulate_serving.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "core/model/represented.h"
#include "core/model/serving_model.h"

namespace stallcast {

namespace {

// Streams that are simulated at most: each makes at least 16 reads.
constexpr std::int64_t kMostStreams = 12'000;
constexpr std::int64_t kFewerStreams = 10;  // streams and reads of a load that is only compared with others as coarse

}  // namespace

ServingResult simulate_serving(const Scenario& scenario, const RunOptions& options) {
  const auto began = std::chrono::steady_clock::now();
  const std::int64_t hosts = scenario.cluster.nodes;
  const std::int64_t coarser = options.coarse ? kFewerStreams : 1;
  const std::int64_t most = std::max(kFewestHosts, kMostStreams / coarser / scenario.serving.streams);
  const std::int64_t simulated = options.exact ? hosts : std::min(hosts, most);
  Scenario alike = represented(scenario, {simulated, hosts});
  alike.storage.service_quantum = {};  // turns are a fluid at the scale of a load
  const std::uint64_t seed = options.seed.value_or(static_cast<std::uint64_t>(scenario.run.seed));
  Simulator sim;
  SharedStorage storage(sim, alike);
  ServingOptions how;
  how.even_starts = simulated < hosts;
  how.stop = options.stop;
  how.most_reads /= static_cast<double>(coarser);
  if (options.exact) how.most_reads = std::numeric_limits<double>::infinity();
  ServingModel model(storage, alike, seed, how);
  model.start([] {});
  sim.run();
  ServingResult out = model.result();
  const double stands_for = static_cast<double>(hosts) / static_cast<double>(simulated);
  out.seed = seed;
  out.stopped = options.stop.stop_requested();
  out.hosts = hosts;
  out.read_bytes *= stands_for;
  out.bytes_per_s *= stands_for;
  out.requests *= stands_for;
  out.refused_requests *= stands_for;
  const ServingBound bound = serving_bound(scenario);
  out.bound_s = bound.time_s;
  out.bound_resource = bound.resource;
  out.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return out;
}

RunResult as_run(const Scenario& s, const ServingResult& result) {
  RunResult run;
  run.seed = result.seed;
  run.simulated_s = run.time_to_train_s = result.last_ready_s;
  run.lost_fraction = result.time_fraction;
  run.read_bytes = run.wanted_bytes = result.read_bytes;
  run.storage_busy_fraction = result.storage_busy_fraction;
  run.converged = result.complete;
  run.stopped = result.stopped;
  run.events = result.events;
  run.wall_s = result.wall_s;
  run.totals.training_s = result.last_ready_s;
  run.totals.lost_gpu_s = result.last_ready_s * static_cast<double>(s.ranks());
  run.totals.read_bytes = result.read_bytes;
  run.totals.read_requests = result.requests;
  run.totals.refused_requests = result.refused_requests;
  return run;
}

}  // namespace stallcast
