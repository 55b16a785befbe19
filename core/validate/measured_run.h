// A measured training run: what it was (config), what its parts cost alone (inputs), what came out (outputs).
//
// One JSON object per line. Predictions see config and inputs only; outputs are read for scoring, diagnostics never.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/diagnostics/finding.h"
#include "core/model/loader/draws.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// The quantities compared. **Range** au in [0, 1]; samples_per_s > 0.
struct RunOutputs {
  double au = 0.0;         // compute time / wall time, start-up included
  double au_steady = 0.0;  // the same after the first num_workers * prefetch_factor steps
  double samples_per_s = 0.0;
};

struct MeasuredRun {
  std::string id;
  std::int64_t repeat = 0;
  std::string mechanism;
  Scenario scenario;                           // config and inputs as a scenario
  std::set<std::string> stated;                // pointers of the fields that the record states
  std::shared_ptr<const ReplayedDraws> draws;  // the draws its recorded seed gives; null when it cannot be replayed
  std::optional<RunOutputs> measured;          // none when the record holds no outputs
};

struct UnknownRun {
  std::string id;
  std::string reason;
};

struct MeasuredRuns {
  std::vector<MeasuredRun> runs;
  std::vector<UnknownRun> unknown;  // records that the model cannot represent, with the reason
};

// Every run of a file. Where a record does not state what the loader itself costs, `catalogue` does, with a warning;
// without a catalogue such a run is unknown.
// **Errors** WorldError when the file cannot be read; the finding "too_large" (over 256 MiB); a finding "bad_record"
// for each line that is not a record, or states what no run can have had.
Loaded<MeasuredRuns> load_measured_runs(const std::filesystem::path& path, const Catalogue* catalogue = nullptr);

}  // namespace stallcast
