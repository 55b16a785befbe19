// The MLPerf Storage tests as a person reads them and as scripts do.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/validate/mlperf_tests.h"

namespace stallcast {

// Every case (near end, predicted, measured, trivial, error), the summaries, the unknown with their reasons.
// **Units** AU in percent and errors in points, throughput errors in percent, as the benchmark prints them.
std::string render_mlperf_text(const MlperfReport& report);

// One object: scaling {cases, summary}, transfer {cases, summary}, unknown [{id, reason}].
// **Units** base units, fractions 0..1; a parameter that does not apply is null.
// **Checked by** tests/core/validate/mlperf_test.cpp
nlohmann::ordered_json mlperf_json(const MlperfReport& report);

}  // namespace stallcast
