// Measured checkpoints: what was saved and how (config), what the components cost alone (inputs), how long it took
// (outputs); predicted from the first two.
//
// One JSON object per line, "kind" "checkpoint", as tests/validation/checkpoints/README.md describes it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/diagnostics/finding.h"
#include "core/scenario/scenario.h"
#include "core/units/quantity.h"

namespace stallcast {

struct MeasuredSave {
  std::string id;
  std::int64_t repeat = 0;
  std::string group;  // "torch_save disk": its software and where it went
  Scenario save;      // config and inputs
  std::optional<Scenario> load;
  // Until all is on the disk; until training could go on, of an asynchronous save. None where no outputs are given.
  std::optional<Seconds> save_time, stop_time, load_time;
};

// Whether a file holds such records: its first one is.
// **Errors** WorldError when the file cannot be read.
bool holds_measured_saves(const std::filesystem::path& path);

// **Errors** WorldError when the file cannot be read; the finding "too_large" (over 256 MiB); a finding "bad_record"
// for each line that is not a record.
Loaded<std::vector<MeasuredSave>> load_measured_saves(const std::filesystem::path& path);

// One time that was measured, and what was said of it.
struct PredictedTime {
  std::string id;
  std::int64_t repeat = 0;
  std::string group;  // of MeasuredSave; that of a load ends with "load", of a stop with "stop"
  Seconds predicted;
  std::optional<Seconds> measured;

  // Relative to what was measured.
  double error() const { return predicted.base() / measured->base() - 1.0; }
};

struct SaveScore {
  std::string group;  // "all" sums up
  std::size_t count = 0;
  double bias = 0.0;    // mean of the relative errors
  double median = 0.0;  // of their sizes
  double p90 = 0.0;
  double worst = 0.0;
  double within_30_percent = 0.0;
};

struct SaveValidation {
  std::vector<PredictedTime> times;  // as the records come; the stop of a save and its load after it
  std::vector<SaveScore> scores;     // by group in alphabetical order, then "all"
};

// A save is the stop of a simulated job that saves once, with an asynchronous one what it writes beside training
// (write_beside_time()); a load is storage_restore_time().
SaveValidation validate_saves(const std::vector<MeasuredSave>& saves,
                              const std::function<void(std::size_t, std::size_t)>& progress,
                              const std::stop_token& stop);

}  // namespace stallcast
