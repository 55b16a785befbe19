// What rules say to set, as changes to a job that other changes have been made to.
#pragma once

#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/plan/explain/changes.h"
#include "core/plan/explain/shortest_way.h"
#include "core/plan/rules/rules.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {

// Of the rules that apply to `now`, the job of `file` and `resolved` after some changes, whose answer is `result`: each
// one's settings made in `now`, as far as that is a job that can be.
// **Model** a rule changes in `now` the fields that it changes in the job of the file.
std::vector<Change> ruled_changes(const std::vector<Rule>& rules, const ScenarioFile& file,
                                  const ResolvedScenario& resolved, const Catalogue& catalogue, const Scenario& now,
                                  const RunResult& result);

// The same for whatever `now` there is on a way; what it is made from must outlive it.
MoreChanges changes_by_rules(const std::vector<Rule>& rules, const ScenarioFile& file, const ResolvedScenario& resolved,
                             const Catalogue& catalogue);

}  // namespace stallcast
