#include "core/plan/evaluate/kpi.h"

#include <cmath>

namespace stallcast {
namespace {

using Known = std::optional<Estimate>;

Known exactly(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  return Estimate{value, value, value};
}

Known dollars(const std::optional<Money>& money) {
  if (!money) return std::nullopt;
  return exactly(money->to_double());
}

// The interval of uncertain inputs where there is one.
Known dollars(const std::optional<Money>& money, const std::optional<Estimate>& interval) {
  return interval ? interval : dollars(money);
}

bool has_timeline(const Evaluation& e) { return e.result.timeline.replications > 0; }

Known time_to_train(const Evaluation& e) {
  if (e.result.time_to_train_s <= 0.0 || !e.cost.run_ends) return std::nullopt;
  if (has_timeline(e)) return e.result.timeline.wall_s;
  return exactly(e.result.time_to_train_s);
}

std::vector<Kpi> make_table() {
  using enum Better;
  return {
      {"gpu_utilization", "GPU utilization", Dimension::kFraction, kHigher,
       "computing in steps that were kept over wall time, from the start of the job to its end; of a run without a "
       "length its steady state",
       [](const Evaluation& e) -> Known { return e.result.gpu_utilization; }},
      {"gpu_utilization_steady", "GPU utilization, steady state", Dimension::kFraction, kHigher,
       "the same without preparation, the first start of the loaders, rework and recovery",
       [](const Evaluation& e) -> Known { return e.result.gpu_utilization_steady; }},
      {"useful_gpu_fraction", "Useful share of paid GPU time", Dimension::kFraction, kHigher,
       "computing in steps that were kept, over all GPU time that is paid, spare machines and what is reserved beyond "
       "the run included",
       [](const Evaluation& e) -> Known {
         return e.result.time_to_train_s > 0.0 ? exactly(e.result.useful_gpu_fraction) : std::nullopt;
       }},
      {"samples_per_s", "Samples per second", Dimension::kRate, kHigher,
       "samples of all ranks over the time to train; of a run without a length in its steady state",
       [](const Evaluation& e) { return exactly(e.result.samples_per_s); }, GoesWith::kUtilization},
      {"step_time_s.mean", "Step time, mean", Dimension::kTime, kLower, "from one barrier to the next",
       [](const Evaluation& e) { return exactly(e.result.step_time_s.mean); }},
      {"step_time_s.p99", "Step time, 99th percentile", Dimension::kTime, kLower, "of the same",
       [](const Evaluation& e) { return exactly(e.result.step_time_s.p99); }},
      {"time_to_train_s", "Time to train", Dimension::kTime, kLower,
       "from the start of the job to its end, with staging, the validation pass of each epoch and interruptions",
       time_to_train, GoesWith::kSlowness},
      {"goodput_fraction", "Goodput", Dimension::kFraction, kHigher,
       "computing in steps that were kept, over GPUs times time to train",
       [](const Evaluation& e) -> Known {
         return e.result.time_to_train_s > 0.0 ? exactly(e.result.goodput_fraction) : std::nullopt;
       }},
      {"cost.total_usd", "Total cost", Dimension::kUsd, kLower, "the whole bill of the run",
       [](const Evaluation& e) { return dollars(e.cost.total(), e.cost.total_interval); }, GoesWith::kSlowness},
      {"cost.compute_usd", "Machines", Dimension::kUsd, kLower, "of the bill",
       [](const Evaluation& e) { return dollars(e.cost.category_total(CostCategory::kCompute)); }, GoesWith::kSlowness},
      {"cost.storage_usd", "Storage", Dimension::kUsd, kLower, "of the bill",
       [](const Evaluation& e) { return dollars(e.cost.category_total(CostCategory::kStorage)); }},
      {"cost.requests_usd", "Requests", Dimension::kUsd, kLower, "of the bill",
       [](const Evaluation& e) { return dollars(e.cost.category_total(CostCategory::kRequests)); }},
      {"cost.transfer_usd", "Transfer", Dimension::kUsd, kLower, "of the bill",
       [](const Evaluation& e) { return dollars(e.cost.category_total(CostCategory::kTransfer)); }},
      {"cost.overheads_usd", "Overheads", Dimension::kUsd, kLower, "support, taxes and people's time, of the bill",
       [](const Evaluation& e) { return dollars(e.cost.category_total(CostCategory::kOverheads)); }},
      {"cost.wasted_usd", "Wasted", Dimension::kUsd, kLower, "what the GPUs cost while they were idle",
       [](const Evaluation& e) { return dollars(e.cost.wasted()); }},
      {"cost.usd_per_hour.total_usd", "Cost per hour", Dimension::kUsdPerHour, kLower,
       "machines and storage while the job trains, without requests and transfer",
       [](const Evaluation& e) { return dollars(e.cost.per_hour.total()); }},
      {"effective_usd_per_useful_gpu_hour", "Per useful GPU-hour", Dimension::kUsd, kLower,
       "all dollars over the GPU-hours that computed and were kept",
       [](const Evaluation& e) { return dollars(e.cost.per_useful_gpu_hour, e.cost.price_interval); },
       GoesWith::kSlowness},
      {"host_memory.loader_bytes", "Loader memory per node", Dimension::kBytes, kLower,
       "batches that the loaders of one node keep",
       [](const Evaluation& e) { return exactly(e.result.host_memory.loader); }},
      {"storage_busy_fraction", "Storage busy", Dimension::kFraction, kNeither,
       "bytes moved over what the tier could have moved; 0 when it is unlimited",
       [](const Evaluation& e) { return exactly(e.result.storage_busy_fraction); }},
      {"cpu_busy_fraction", "Cores busy", Dimension::kFraction, kNeither, "of all cores of all nodes, in training",
       [](const Evaluation& e) { return exactly(e.result.cpu_busy_fraction); }},
  };
}

}  // namespace

const std::vector<Kpi>& kpi_table() {
  static const std::vector<Kpi> kTable = make_table();
  return kTable;
}

const Kpi* find_kpi(std::string_view name) {
  for (const Kpi& kpi : kpi_table())
    if (kpi.name == name) return &kpi;
  return nullptr;
}

KpiValues kpi_values(const Evaluation& evaluation) {
  KpiValues out;
  for (const Kpi& kpi : kpi_table()) out.push_back(kpi.of(evaluation));
  return out;
}

const std::optional<Estimate>& value_of(const Kpi& kpi, const KpiValues& values) {
  return values.at(static_cast<std::size_t>(&kpi - kpi_table().data()));
}

double mean_of(const Kpi& kpi, const KpiValues& values) {
  const std::optional<Estimate>& value = value_of(kpi, values);
  return value ? value->mean : std::nan("");
}

}  // namespace stallcast
