// Progress lines of training scripts, as people paste them.
#pragma once

#include <string>
#include <vector>

#include "core/calibrate/read/measurements.h"

namespace stallcast {

// What lines of these loggers say of a run, each figure as the median over its lines with their spread:
//   tqdm, Lightning      "120/1563 [00:41<08:10, 2.94it/s]", "1.32s/it"
//   torchvision, timm    "time: 0.3412  data: 0.2170", "Time 0.341 (0.352)  Data 0.217 (0.220)"
//   MMEngine             "time: 0.3412  data_time: 0.2170"
//   Hugging Face         "'train_samples_per_second': 245.3, 'train_steps_per_second': 0.958"
// The first line with a figure is left out where there are three or more: it holds the start of the loaders. Where a
// line has a value and a mean in brackets, the value counts.
// **Units** it_per_s in 1/s, step_time and data_time in s, samples_per_s in 1/s.
// **Errors** none: nothing for a text without such lines.
// **Checked by** tests/core/diagnose/log_lines_test.cpp
std::vector<Observation> read_log_lines(const std::string& text, const std::string& source);

}  // namespace stallcast
