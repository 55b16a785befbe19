// A probe as text.
#pragma once

#include <string>

#include "core/probe/result/probe_result.h"
#include "core/report/words/text_layout.h"

namespace stallcast {

// What a person reads in ten seconds: latency alone, IOPS, bandwidth and where its knee is, whole files and names, then
// whether the probe is fit for calibration and why not.
std::string render_text(const ProbeResult& result, const TextStyle& style = {});

}  // namespace stallcast
