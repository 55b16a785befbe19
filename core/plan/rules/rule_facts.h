// What rules ask about a job: figures of its run, and figures of its scenario, by name.
#pragma once

#include <map>
#include <string>

#include "core/catalogue/catalogue.h"
#include "core/plan/evaluate/evaluation.h"
#include "core/scenario/resolve/resolved_scenario.h"

namespace stallcast {

// Numbers that conditions compare, and texts that settings take ("{cores_per_gpu}").
struct RuleFacts {
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> texts;
};

// Lost GPU time whose cause is the storage: first byte, stream, client, tier and requests. **Range** 0..1
double lost_to_storage(const RunResult& result);

// Numbers, in base units; what is not known is left out:
// - every name of kpi_table(), its mean
// - lost_time_fraction.CAUSE, and of several together: lost_time_fraction.waiting_for_samples (first byte, stream,
//   decode, order), .from_storage (first byte, stream, client, tier, requests), .per_file (first byte, requests) and
//   .checkpoint_and_rework (a slow write stops training, or what is saved is old when something fails)
// - facts.workers (loader workers per GPU), facts.workers_per_core (of a node), facts.epochs, facts.mean_sample_bytes,
//   facts.nodes, facts.object_store (1 where the tier is one), facts.checkpoint_streams (of each writer),
//   facts.async_stop_known (1 where the link to the GPUs or the software says for how long an asynchronous checkpoint
//   stops training), facts.checkpoint_interval_s (of training from one checkpoint to the next),
//   facts.dataset_over_local_storage (bytes of the dataset over NVMe of all nodes), facts.interruptions and
//   facts.expected_data_losses (per run, mean over simulated runs), facts.can_shrink (1 where a smaller capacity is
//   sold)
// Texts: cores_per_gpu, double_prefetch, samples_per_shard (of 100 MB), smaller_capacity.
RuleFacts rule_facts(const ResolvedScenario& resolved, const Evaluation& evaluation, const Catalogue& catalogue);

}  // namespace stallcast
