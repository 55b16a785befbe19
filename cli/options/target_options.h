// --min-utilization, --deadline, --budget: what size and report are to keep.
#pragma once

#include <CLI/CLI.hpp>

#include "core/answers/questions/size_question.h"

namespace stallcast {

using TargetOptions = TargetTexts;

void add_target_options(CLI::App& command, TargetOptions& options);

}  // namespace stallcast
