// Inputs of a prediction that nobody measured: round numbers that a person can calculate with.
#pragma once

#include <cmath>

#include "core/backtest/prediction.h"

namespace stallcast {

// `count` files of `bytes` each; they exist nowhere.
inline SampleFiles files_of(std::size_t count, double bytes) {
  SampleFiles files;
  for (std::size_t i = 0; i < count; ++i) files.files.push_back({"file" + std::to_string(i), bytes});
  files.bytes = bytes * static_cast<double>(count);
  files.largest = bytes;
  return files;
}

inline FittedNumber known(double value) { return {value, value, value, true}; }

// 8 cores, 1 ns per byte and pass; a read waits 1 ms and then moves at 1 GB/s; nothing else costs anything.
inline BacktestInputs made_up_machine() {
  BacktestInputs inputs;
  inputs.cores = 8;
  inputs.decode_s_per_byte = inputs.decode_together_s_per_byte = 1e-9;
  inputs.storage.reads.law.latency_s = 1e-3;
  inputs.storage.reads.law.seconds_per_byte = 1e-9;
  return inputs;
}

}  // namespace stallcast
