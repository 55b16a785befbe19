// What holds a job back and what to do about it, as a person reads it.
#pragma once

#include <string>

#include "core/plan/advice.h"
#include "core/plan/explain.h"
#include "core/report/text_layout.h"

namespace stallcast {

// "Bottleneck" and "Change first", then what each change alone would give, with its dollars.
std::string render_changes(const Explanation& explanation);

// What the next unit of each knob is worth, and the curve of workers with its knee.
std::string render_advice(const Advice& advice, const Scenario& scenario, const TextStyle& style);

}  // namespace stallcast
