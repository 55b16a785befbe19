// --min-utilization, --deadline, --budget: what size and report are to keep.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "core/diagnostics/finding.h"
#include "core/plan/size.h"

namespace stallcast {

struct TargetOptions {
  std::string min_utilization, deadline, budget;  // as written; "" = not given
};

void add_target_options(CLI::App& command, TargetOptions& options);

// What was given goes to `request`; what cannot be read, to `findings`.
void read_targets(const TargetOptions& options, SizeRequest& request, Findings& findings);

}  // namespace stallcast
