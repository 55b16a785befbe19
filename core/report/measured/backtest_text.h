// A backtest as a person reads it: predictions first, then what was measured, both as curves, the error and the noise.
#pragma once

#include <string>

#include "core/backtest/backtest.h"
#include "core/report/words/text_layout.h"

namespace stallcast {

// What was measured alone and what is predicted from it; for before the runs.
std::string render_backtest_predictions(const Backtest& backtest);

// Predicted beside measured, the curves, the score and what makes it doubtful; for after the runs.
std::string render_backtest_results(const Backtest& backtest, const TextStyle& style = {});

}  // namespace stallcast
