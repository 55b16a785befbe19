// Recorded training runs (scripts/stallcast_recorder.py) as values for a scenario and outcomes to compare with.
#pragma once

#include <filesystem>

#include "core/calibrate/read/measurements.h"
#include "core/catalogue/catalogue.h"
#include "core/diagnostics/finding.h"

namespace stallcast {

// What the records of `path` say about one job: every field that they state, in the order of the field table, and the
// observations au, au_steady and samples_per_s. `catalogue` as in load_measured_runs; what it supplies is no
// measurement and not among the fields.
//
// **Model** several records are repeats of one setting. A measured field is the mean over them, a distribution keeps
// the first one's shape and is scaled to the mean of the means; its 90 % interval is mean -+ t(0.95, n - 1) sd /
// sqrt(n) for n >= 2, as factors, and not known (1, 1) for one record. An observation's spread is the standard
// deviation over repeats.
// **Errors** WorldError when the file cannot be read; findings: lines that are no record, "several_settings" with the
// first field in which records differ, "no_record" when none can be used, with the reasons.
Loaded<Measurements> read_record(const std::filesystem::path& path, const Catalogue* catalogue = nullptr);

}  // namespace stallcast
