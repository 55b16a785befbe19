// At which value of an input the advice changes.
#pragma once

#include <functional>
#include <optional>

namespace stallcast {

struct FlipSearch {
  int steps_per_decade = 3;      // of the search outwards: a change and back between two steps is not seen
  double tolerance = 0.01;       // relative, of the factor found
  std::function<bool()> stop{};  // when true, what is not found yet stays so
};

// The nearest factor found at which the advice is another than at 1, and which it is there. On the way back to 1, at
// less than FlipSearch::tolerance, it is the old one.
struct Flip {
  double factor = 1.0;
  int advice = 0;
};

// Looks on one side of 1 for the change of `advice(factor)`: up to `furthest` if that is above 1, down to it if below;
// nothing: no other advice up to there. `advice` numbers what is best, or 0 and 1 for a condition.
// **Model** outwards by equal ratios until the advice differs, then bisection of the last step by ratio. Along the
//   way the advice must be reproducible: common random numbers.
// **Cost** 1 + steps_per_decade calls for a decade, and 7 more where it flips.
// **Checked by** tests/core/plan/flip_search_test.cpp
std::optional<Flip> find_flip_towards(double furthest, const std::function<int(double)>& advice,
                                      const FlipSearch& search = {});

}  // namespace stallcast
