// What holds a job back and what to do about it, as a person reads it.
#pragma once

#include <string>

#include "core/plan/explain/advice.h"
#include "core/plan/explain/explain.h"
#include "core/plan/explain/shortest_way.h"
#include "core/report/words/text_layout.h"

namespace stallcast {

// "Bottleneck" and "Change first", then what each change alone would give, with its dollars.
std::string render_changes(const Explanation& explanation);

// The recommendations that the simulation agrees with and those it silenced, what the next unit of each knob is worth,
// the curve of workers with its knee, how much slower the storage could be, and the loader as a script writes it.
std::string render_advice(const Advice& advice, const Scenario& scenario, const TextStyle& style);

// The changes that lead to a target one after the other, or how far they lead.
std::string render_way(const ShortestWay& way);

}  // namespace stallcast
