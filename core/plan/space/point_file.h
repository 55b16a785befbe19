// A scenario file with the settings of a point in it.
#pragma once

#include "core/diagnostics/finding.h"
#include "core/plan/space/space.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {

// `base` with every assignment applied as --set would; an empty text takes away what the file gives.
// **Errors** those of apply_override()
Loaded<ScenarioFile> scenario_file_at(const ScenarioFile& base, const Point& point);

}  // namespace stallcast
