// What uncertain inputs do to a result, as a person reads it.
#pragma once

#include <string>

#include "core/result/estimate.h"
#include "core/result/run_result.h"

namespace stallcast {

// " (95 %: LOW to HIGH)" where `result` has uncertain inputs, `text` making each end of `interval`; else "".
template <class Text>
std::string spread_text(const RunResult& result, const Estimate& interval, const Text& text) {
  if (result.inputs.drawn.empty()) return "";
  return " (95 %: " + text(interval.ci95_low) + " to " + text(interval.ci95_high) + ")";
}

// The lines below GPU utilization: which uncertain input most of the interval is from, and what the simulation alone
// leaves open. "" without uncertain inputs.
std::string input_spread_lines(const RunResult& result);

}  // namespace stallcast
