// What size and report are asked: targets, quotas, objective, as people write them.
#pragma once

#include <string>
#include <vector>

#include "core/diagnostics/finding.h"
#include "core/plan/search/size.h"
#include "core/plan/space/variable.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {

struct TargetTexts {
  std::string min_utilization, deadline, budget;  // as written; "" = not given
};

// What was given goes to `request`; what cannot be read, to `findings`, which name the options of the command line.
void read_targets(const TargetTexts& texts, SizeRequest& request, Findings& findings);

struct SizeTexts {
  TargetTexts targets;
  std::vector<std::string> quotas;  // "gpus=64"
  std::string confidence, max_memory, tolerance;
  std::string objective = "auto", front = "limited";
  std::int64_t top = 1;
  bool exhaustive = false;
  bool any_number = false;  // of configurations: nobody wants to be asked
};

// **Errors** findings of the values; `objective` and `front` are words that are known to be good.
SizeRequest read_size_request(const SizeTexts& texts, Findings& findings);

// "auto", "total", ...; "none", "simulated", ...
const std::vector<std::string>& size_objectives();
const std::vector<std::string>& front_scopes();

// The variables that `texts` say, else those of the scenario itself (plan.vary).
Loaded<std::vector<Variable>> read_variables(const std::vector<std::string>& texts, const ScenarioFile& base);

}  // namespace stallcast
