// Records as people call them: "S3", "p5 48xlarge", "llama3-70b" for the names that the catalogue gives them.
#pragma once

#include "core/catalogue/catalogue.h"
#include "core/diagnostics/finding.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {

// Writes the catalogue's own spelling into every field of `scenario` that names a record, as match_record() finds it. A
// name that stands for no record stays as it is, for resolve() to report. Findings, at the field of `file`: warnings
// where a name can mean several and the usual one was taken.
void use_record_names(Scenario& scenario, const ScenarioFile& file, const Catalogue& catalogue, Findings& findings);

}  // namespace stallcast
