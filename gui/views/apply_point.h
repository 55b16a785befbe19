// A configuration of a search, as a scenario that can be edited.
#pragma once

#include "core/plan/space/space.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast::gui {

// `file` with the fields of `point` set as overrides; those without a text as if nobody had given them.
// **Errors** findings of values that cannot be read go to `findings`.
ScenarioFile withPoint(ScenarioFile file, const Point& point, Findings& findings);

}  // namespace stallcast::gui
