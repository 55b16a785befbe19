// The noise of a core within seconds, replayed: what a stretch of work takes there.
#pragma once

#include "core/backtest/brackets.h"
#include "core/engine/random_stream.h"

namespace stallcast {

// **Model** brackets measured between the runs follow one another in random order, each slice of them (kPaceSlice of
// CPU time) as much slower or faster than the mean as it was measured. Whoever goes through many has the mean pace.
class WorkPace {
 public:
  // No brackets: everything takes what it takes. One stream per core or thread that works.
  WorkPace(const PaceBrackets& brackets, RandomStream stream);

  // CPU time of work that takes `seconds` at the mean pace, from where the last one ended.
  double took(double seconds);

 private:
  void begin_bracket();
  void next_slice();

  const PaceBrackets* brackets_;
  RandomStream stream_;
  std::size_t bracket_ = 0, slice_ = 0;
  double left_s_ = 0.0;  // of the slice
};

}  // namespace stallcast
