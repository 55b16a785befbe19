// What a file of measurements says, whichever tool wrote it: operating points of a storage system, values for fields of
// a scenario, and outcomes to compare a prediction with.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/diagnostics/finding.h"
#include "core/probe/disk/read_point.h"
#include "core/scenario/fields/field_table.h"

namespace stallcast {

// A measured value for one field, with its 90 % interval as factors of the value.
struct FieldMeasurement {
  std::string pointer;  // "/workload/step_time"
  FieldValue value;
  double low_factor = 1.0, high_factor = 1.0;  // <= 1, >= 1; both 1 = interval not known
  std::string source;                          // "rank0.json.gz: 120 ProfilerSteps"
  bool is_setting = false;                     // how the measured job was run, which somebody chose
};

// An outcome: what a simulation predicts and therefore never takes as an input.
struct Observation {
  std::string quantity;    // "au_mlperf", "samples_per_s", "gpu_utilization", "data_wait_s", ...
  double value = 0.0;      // base units, fractions 0 to 1
  double spread = 0.0;     // standard deviation between epochs, ranks or repeats; 0 = not known
  std::string definition;  // one clause, the tool's own
  std::string source;
};

inline constexpr const char* kRecorderTool = "stallcast recorder";

struct Measurements {
  std::string file;
  std::string tool;  // "fio", "elbencho", "gdsio", "dlio", "kineto", "dcgm", "stallcast recorder", "stallcast probe"
  std::vector<ReadPoint> reads;
  std::vector<FieldMeasurement> fields;
  std::vector<Observation> observations;
};

// Reads a file of any tool above but the probe, told by its content: fio (JSON, terse), elbencho CSV, gdsio text,
// summary.json and per_epoch_stats.json of DLIO, traces of the PyTorch profiler (.json, .json.gz) and folders with one
// per rank, text of Prometheus with fields of DCGM, records of stallcast_recorder.py. `catalogue` is as in read_record.
// A folder with a summary.json is a result of DLIO.
// **Errors** WorldError when it cannot be read; findings "unknown_format", "binary_file", "empty_file", "not_a_file",
// "too_large" (over 64 MiB, except traces) and those of the readers (read_*.h).
Loaded<Measurements> read_measurements(const std::filesystem::path& path, const Catalogue* catalogue = nullptr);

}  // namespace stallcast
