// Fills in what a person left open, from the catalogue records that the scenario names.
#pragma once

#include "core/catalogue/catalogue.h"
#include "core/diagnostics/finding.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {

// The scenario with every value that `file` does not give taken from its records, and the origin of each value:
// machine from cluster.instance; step time, sample sizes and layout from workload.name, by the instance's GPU;
// bandwidth, latency and limits from storage.tier at the provisioned capacity; the loader's own costs from the loader
// record of the workload, or PyTorch's. What is given always wins, value by value.
//
// **Model** loader cost per batch = base + per_sample * batch_size + batch_size * tensor_size / rate. A tier that every
// node has takes the instance's local bandwidth. A barrier time is filled in only for several ranks.
// Fields taken from facts with an interval go to run.uncertain with it (a lognormal latency with that of its mean or
// median, a computed rate as rates_at says), for a single training job whose person gives no run.uncertain; an empty
// one is given too. Jobs beside it (file.concurrent_jobs) are resolved too, on the first one's storage: /storage and
// /server_cache are taken from it.
// **Errors** findings: a job beside it that gives another storage, or a storage in every node, which nobody shares;
// names that are not in the catalogue, with the nearest; a capacity that cannot be bought, with
// the nearest sizes; a workload without a step time for this GPU; everything check_scenario() finds. There is a value
// only when none of them is an error.
Loaded<ResolvedScenario> resolve(const ScenarioFile& file, const Catalogue& catalogue);

}  // namespace stallcast
