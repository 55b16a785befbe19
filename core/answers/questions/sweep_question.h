// What sweep is asked: which points of which space, as people write it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/diagnostics/finding.h"
#include "core/plan/space/space.h"
#include "core/plan/space/variable.h"
#include "core/plan/sweep/sweep.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {

struct SweepTexts {
  std::vector<std::string> vary;  // empty = plan.vary of the scenario
  std::string design = "full";    // or "latin", "sobol": known to be one of sweep_designs()
  std::int64_t points = 0;        // of a sampling design
  std::uint64_t design_seed = 1;
};

// "full", "latin", "sobol".
const std::vector<std::string>& sweep_designs();

struct SweepQuestion {
  std::vector<Variable> variables;
  DesignSpec design;
  Space space;
};

// **Errors** findings: "missing_points", "unused_option", those of variables and of make_space.
Loaded<SweepQuestion> read_sweep_question(const SweepTexts& texts, const ScenarioFile& base,
                                          const Catalogue& catalogue);

// What is said of a sweep that takes longer, or has more points, than anybody wants without having been asked.
Finding too_much_to_sweep(const SweepEstimate& estimate);

}  // namespace stallcast
