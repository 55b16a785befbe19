// What results depend on, as a person reads it.
#pragma once

#include <string>

#include "core/plan/sensitivity/sensitivity_study.h"
#include "core/report/words/text_layout.h"

namespace stallcast {

// At most kColumns wide: of several scenarios first what the difference between the best two depends on, by the figure
// that decides; the tornado and the shares of the variance of each figure and scenario; then the break-even table,
// nearest change first.
// **Checked by** tests/core/report/sensitivity_report_test.cpp
std::string render_text(const SensitivityStudy& study, const TextStyle& style = {});

}  // namespace stallcast
