// What interrupts a run, as a person reads it.
#pragma once

#include <string>

#include "core/report/words/text_layout.h"
#include "core/result/run_result.h"

namespace stallcast {

// Time to train with its spread, effective training time and goodput, where wall time goes, interruptions, checkpoints,
// and what must hold for it to stay so; "" where nothing interrupts the run.
std::string render_run_timeline(const RunResult& result, const TextStyle& style);

}  // namespace stallcast
