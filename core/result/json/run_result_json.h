// A run's result as JSON: plain numbers in base units, keys in a fixed order, so that same numbers are same bytes.
#pragma once

#include <nlohmann/json.hpp>

#include "core/result/bound.h"
#include "core/result/run_result.h"

namespace stallcast {

// {"mean", "ci95_low", "ci95_high"}
nlohmann::ordered_json estimate_to_json(const Estimate& estimate);

// {"gpu_utilization", "binding_resource", "samples_per_s", "tied_resources"}
nlohmann::ordered_json bound_to_json(const Bound& bound);

// {cause: fraction} of every cause, zero or not, in the order of LostTime.
nlohmann::ordered_json lost_time_to_json(const RunResult& result);

// [{"name", "epochs", "gpu_utilization", "samples_per_s", "served_fraction": {level: fraction}, "time_s"}], in order.
nlohmann::ordered_json regimes_to_json(const RunResult& result);

// [{"phase", "regime", "times", "steps", "simulated_steps", "wall_s", "compute_gpu_s", "busy_core_s",
//   "lost_gpu_s": {cause: GPU-s}}]:
// the account that every figure is a sum over, in the order in which it comes.
nlohmann::ordered_json phases_to_json(const RunResult& result);

// {"method", "listing_s", "copy_s", "limit", "bytes", "files"}; null when nothing is staged.
nlohmann::ordered_json staging_to_json(const StagingResult& staging);

// Every member of RunTotals by its name.
nlohmann::ordered_json totals_to_json(const RunTotals& totals);

// null when no input is uncertain, else {"draws", "draws_wanted", "simulation_alone": {"gpu_utilization"},
// "samples_per_s", "time_to_train_s" (null without a length of the run), "goodput_fraction", "inputs": [{"input",
// "low_factor", "high_factor", "utilization_share", "throughput_share"}]}. Estimates; report adds "cost".
nlohmann::ordered_json input_spread_to_json(const InputSpread& spread);

// Everything the run measured, keyed as `simulate --format json` promises; no bound, scenario or cost (report adds
// them). `wall_s` is real time and the only key that differs between two runs of one scenario and seed.
nlohmann::ordered_json run_result_to_json(const RunResult& result);

}  // namespace stallcast
