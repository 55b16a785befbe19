// MLPerf Storage v1.0 results as a table of facts: one row per submitted group, its settings and what came out.
//
// A group is one system, workload, emulated accelerator and accelerator count; its numbers are means over five runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnostics/finding.h"
#include "core/units/quantity.h"

namespace stallcast {

// What the benchmark's rules fix for a workload; the same for every submitter.
// **Source** mlcommons/storage workload configurations of v1.0 and DLIO (models/workloads holds the same numbers);
// framework costs: loss per step of single-accelerator rows, 4.5 ms (PyTorch, YanRong unet3d), 1.27 and 0.73 ms
// (tf.data, YanRong resnet50 and cosmoflow), as in models/loaders.
struct MlperfWorkload {
  std::string name;
  bool pytorch = false;         // else tf.data
  std::int64_t batch_size = 1;  // samples per accelerator and step
  Seconds a100_step;            // emulated compute time of a step
  Seconds h100_step;
  Bytes sample_size;            // mean on storage
  double sample_size_cv = 0.0;  // standard deviation / mean, as generated
  std::int64_t samples_per_file = 1;
  std::int64_t read_threads = 4;  // per accelerator, when a row does not say
  double pass_mark = 0.9;         // accelerator utilization a submission must reach
  Seconds framework_step;         // per step beyond compute with one accelerator and idle storage

  Seconds step(const std::string& accelerator) const { return accelerator == "a100" ? a100_step : h100_step; }
};

// The record of `name`, or null.
const MlperfWorkload* find_mlperf_workload(const std::string& name);

// **Range** accelerators, hosts >= 1; au in (0, 1]; samples_per_s > 0.
struct MlperfRow {
  std::size_t line = 0;
  std::string submitter;
  std::string system;
  std::string workload;               // "unet3d", "resnet50", "cosmoflow"
  std::string accelerator;            // "a100" or "h100"
  bool accelerator_inferred = false;  // from the step time, not stated by the submitter
  std::int64_t accelerators = 1;
  std::int64_t hosts = 1;
  double au = 0.0;             // published definition: first step left out
  double samples_per_s = 0.0;  // published definition: first batch in the denominator, all accelerators
  // Reader settings as submitted; absent where this table does not hold them or the workload's own are used.
  std::optional<std::int64_t> read_threads, computation_threads, prefetch_batches, transfer_bytes, files;

  const MlperfWorkload& rules() const { return *find_mlperf_workload(workload); }
  Seconds step() const { return rules().step(accelerator); }
  double ideal_samples_per_s() const { return static_cast<double>(accelerators * rules().batch_size) / step().base(); }
  // Per epoch and accelerator; nothing when the number of files is not held.
  std::optional<std::int64_t> steps_per_epoch() const;
  std::int64_t threads() const { return read_threads.value_or(rules().read_threads); }
};

struct MlperfTable {
  std::vector<MlperfRow> rows;
};

// Reads the CSV at `path`: columns are found by name in its header, those of the settings may be missing or empty.
// **Errors** WorldError when the file cannot be read; findings for a file over 64 MiB, for missing columns and for rows
// that are not in range, contradict themselves (samples_per_s above the ideal rate, files for less than two steps) or
// repeat one before. There is a value without errors.
// **Checked by** tests/core/validate/mlperf_test.cpp
Loaded<MlperfTable> load_mlperf_table(const std::filesystem::path& path);

}  // namespace stallcast
