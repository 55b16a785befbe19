// A write probe as a person reads it.
#pragma once

#include <string>

#include "core/probe/write_probe.h"
#include "core/report/words/text_layout.h"

namespace stallcast {

std::string render_text(const WriteProbeResult& result, const TextStyle& style);

}  // namespace stallcast
