// Decoding and reading, measured again and again between the runs: what a machine does changes while it is watched, so
// every run stands between two brackets, is predicted from those before it, and the difference from one bracket to the
// next is the noise that no prediction can see through.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/backtest/loader/decode_work.h"
#include "core/backtest/loader/sample_files.h"
#include "core/calibrate/fit/storage_fit.h"

namespace stallcast {

// CPU time per byte of stretches of work, slice by slice, each relative to its bracket's mean: the noise of a core
// within seconds, in its order.
using PaceBrackets = std::vector<std::vector<double>>;
inline constexpr double kPaceSlice = 0.02;  // s, of CPU time

// One measurement of all parts. 0 = not measured.
struct Bracket {
  std::string at;                           // UTC, when it was complete
  double decode_s_per_byte = 0.0;           // CPU time of one pass, alone on a core
  double decode_together_s_per_byte = 0.0;  // on all cores at once, each
  // Time of whole files over that which the probe's law gives for them: one at a time, as many at a time as the sweep
  // has workers, and one at a time with rests between (BracketPlan::rest_s).
  double read_alone = 0.0, read_together = 0.0, read_rested = 0.0;
  PaceBrackets pace;

  bool whole() const { return decode_s_per_byte > 0.0 && read_alone > 0.0; }
};

// How a bracket is measured. **Units** s, bytes
struct BracketPlan {
  int cores = 1;
  std::int64_t readers = 1;  // at a time, of read_together
  double sample_bytes = 0.0;
  double rest_s = 0.0;     // between reads; 0 = read_rested is not measured
  DecodeRhythm rhythm;     // of decoding: a sample, and the wait for its read
  double seconds = 1.5;    // of all of it, about
  double bytes = 4.8e8;    // that it may read
  std::uint64_t seed = 1;  // which files
};

// **Model** the parts in turn, a tenth of a second each, four times over: what the machine does to one it does to all.
// **Errors** WorldError of a file, or when there is no thread or memory to be had.
Bracket measure_bracket(const SampleFiles& files, const StorageFit& storage, double open_s, const BracketPlan& plan,
                        const std::stop_token& stop = {});

// The parts that predictions use: the mean over `brackets`, each one counting kBracketMemory of the one after it.
// **Model** brackets scatter about a level that moves. Six backtests of a virtual machine of two cores: the next
// bracket was missed by 5.6 % (decoding) and 12.2 % (reading) on average when foretold from the last one alone, by 5.2
// and 10.2 % from the mean of all, by 4.9 and 9.9 % from this one. `machine.brackets` of the JSON has what is needed to
// repeat that elsewhere.
// **Range** `brackets` not empty
inline constexpr double kBracketMemory = 0.7;
Bracket pooled(const std::vector<Bracket>& brackets);

// How far a bracket is from the pool of those before it: the root of the mean square of the logarithm of its parts over
// theirs. Parts of a kind count alike: decoding has two, reading three.
struct MachineNoise {
  double decode = 0.0, read = 0.0;                  // standard deviations, relative
  double decode_freedom = 0.0, read_freedom = 0.0;  // differences that they come from; 0 = not known
};
MachineNoise noise_of(const std::vector<Bracket>& brackets);

// Mean of |after / before - 1| from each bracket to the next. **Range** 0 with fewer than two brackets
struct BracketDrift {
  double decode = 0.0, read = 0.0;
};
BracketDrift drift_between(const std::vector<Bracket>& brackets);

}  // namespace stallcast
