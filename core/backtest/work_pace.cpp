#include "core/backtest/work_pace.h"

#include <algorithm>

namespace stallcast {

WorkPace::WorkPace(const PaceBrackets& brackets, RandomStream stream) : brackets_(&brackets), stream_(stream) {
  if (brackets.empty()) return;
  begin_bracket();
  // Somewhere in it: its first slices are no likelier than its others.
  slice_ = static_cast<std::size_t>(stream_.uniform() * static_cast<double>((*brackets_)[bracket_].size()));
  left_s_ *= stream_.uniform();
}

void WorkPace::begin_bracket() {
  bracket_ = static_cast<std::size_t>(stream_.uniform() * static_cast<double>(brackets_->size()));
  slice_ = 0;
  left_s_ = kPaceSlice;
}

void WorkPace::next_slice() {
  left_s_ = kPaceSlice;
  if (++slice_ >= (*brackets_)[bracket_].size()) begin_bracket();
}

double WorkPace::took(double seconds) {
  if (brackets_->empty()) return seconds;
  double took_s = 0.0;
  for (;;) {
    const double pace = (*brackets_)[bracket_][slice_];
    const double here_s = std::min(seconds * pace, left_s_);
    took_s += here_s;
    if (here_s < left_s_) {
      left_s_ -= here_s;
      return took_s;
    }
    seconds -= here_s / pace;
    next_slice();
  }
}

}  // namespace stallcast
