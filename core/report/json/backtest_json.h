// A backtest for programs: everything that render_backtest_* say, in base units.
#pragma once

#include <nlohmann/json.hpp>

#include "core/backtest/backtest.h"

namespace stallcast {

inline constexpr int kBacktestFormatVersion = 1;

// **Shape** one object: format_version, program_version, target, predicted_at, started_at, ended_at, seed, inputs
// {...}, settings [{workload, workers, batch_size, prefetch_factor, batches, decode_s, step_s, predicted {...},
// runs [...], measured {...} or null, relative_error}], score {...}, doubts [{code, text}], interrupted.
nlohmann::ordered_json backtest_json(const Backtest& backtest);

}  // namespace stallcast
