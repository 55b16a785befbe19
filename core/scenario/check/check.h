// What no single value of a scenario can tell: settings that contradict, miss or outweigh each other.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/diagnostics/finding.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// All findings about `scenario`, whose values are each in range and filled in from the catalogue. `given` are the
// pointers that the person gave, in the file or by --set: a setting without effect matters only if somebody wrote it.
// Errors are scenarios that cannot run as described; warnings are those that probably are not what was meant.
Findings check_scenario(const Scenario& scenario, const std::set<std::string>& given, const std::string& file);

// "not_a_variable" at `pointer`, where `text` is not PATH=VALUES; nothing where it is. What the values are is read by
// plan/space.
std::optional<Finding> not_a_variable(std::string_view text, const std::string& file, const std::string& pointer);

}  // namespace stallcast
