#include "core/scenario/run_length.h"

#include <algorithm>
#include <cmath>

namespace stallcast {

namespace {

double accelerator_s(const Scenario& s) {
  const WorkloadSpec& w = s.workload;
  const auto micro = static_cast<double>(w.gradient_accumulation);
  const double samples = micro * static_cast<double>(w.batch_size);
  switch (w.step_time_form) {
    case StepTimeForm::kTime:
      return micro * mean_of(w.step_time);
    case StepTimeForm::kSamplesPerSecond:
      return w.samples_per_s_per_gpu.base() > 0.0 ? samples / w.samples_per_s_per_gpu.base() : 0.0;
    case StepTimeForm::kFlops: {
      const double reached = s.cluster.gpu_peak.base() * w.mfu;
      return reached > 0.0 ? samples * w.flops_per_sample.base() / reached : 0.0;
    }
  }
  return 0.0;
}

}  // namespace

double step_compute_s(const Scenario& s) {
  return accelerator_s(s) + static_cast<double>(s.workload.gradient_accumulation) * s.workload.step_return_cpu.base();
}

std::int64_t shards_per_rank(const Scenario& s) {
  const DatasetSpec& data = s.dataset;
  if (data.shards_per_rank > 0) return data.shards_per_rank;
  return data.samples > 0 ? std::max<std::int64_t>(1, data.samples / data.samples_per_shard / s.ranks()) : 0;
}

std::int64_t iterable_batches(const Scenario& s) {
  const std::int64_t workers = std::max<std::int64_t>(1, s.loader.num_workers);
  const std::int64_t shards = shards_per_rank(s);
  std::int64_t batches = 0;
  for (std::int64_t w = 0; w < std::min(workers, shards); ++w) {
    const std::int64_t own = (shards - w + workers - 1) / workers;  // every workers-th from the w-th
    batches += own * s.dataset.samples_per_shard / s.workload.batch_size;
  }
  return batches;
}

double epoch_steps(const Scenario& s) {
  const auto given = static_cast<double>(s.run.steps_per_epoch);
  if (s.loader.style == LoaderStyle::kIterable && shards_per_rank(s) > 0) {
    const std::int64_t whole_steps = iterable_batches(s) / s.workload.gradient_accumulation;
    const double held = std::max(1.0, static_cast<double>(whole_steps));
    return given > 0.0 ? std::min(given, held) : held;
  }
  if (given > 0.0) return given;
  if (s.dataset.samples <= 0) return 0.0;
  const double per_step = static_cast<double>(s.workload.batch_size) *
                          static_cast<double>(s.workload.gradient_accumulation) * static_cast<double>(s.ranks());
  return std::max(1.0, std::floor(static_cast<double>(s.dataset.samples) / per_step));
}

double validation_s(const Scenario& s) {
  return static_cast<double>(s.workload.validation_steps) * s.workload.validation_step_time.base();
}

double run_compute_s(const Scenario& s) {
  return static_cast<double>(s.run.epochs) * epoch_steps(s) * step_compute_s(s);
}

}  // namespace stallcast
