// The figures that people read off a result, and how far two results of the same question are apart in them.
#pragma once

#include <string>
#include <vector>

#include "core/result/run_result.h"
#include "core/scenario/resolve/resolved_scenario.h"

namespace stallcast::hunt {

// How two values of a figure are compared: in percent of the larger, or in points of a fraction.
enum class FigureKind { kRelative, kPoints };

struct Figure {
  std::string name;  // as in `stallcast simulate --format json` where it is there
  FigureKind kind = FigureKind::kRelative;
  double value = 0.0;
  double least_base = 0.0;  // a relative difference is of at least this: what is small beside the run says little
};

// Every figure of one result, in the same order for results of one scenario.
// - seconds of a part of the run are in percent of at least a tenth of time_to_train_s, bytes and requests of at least
// a tenth
//   of all of their kind; the bill is not a number where a charge has no price
std::vector<Figure> figures_of(const ResolvedScenario& scenario, const RunResult& result);

struct Difference {
  std::string figure;
  FigureKind kind = FigureKind::kRelative;
  double expected = 0.0;
  double got = 0.0;
  double size = 0.0;  // 0.03 is 3 %, or 3 points

  // In units of what a finding is: 3 % or 1.5 points are 1.
  double severity() const;
};

inline constexpr double kFindingPercent = 0.03, kFindingPoints = 0.015;
inline constexpr double kDifferencePercent = 0.01, kDifferencePoints = 0.005;

bool is_finding(const Difference& difference);
bool is_difference(const Difference& difference);  // findings are, too

// One per figure. **Errors** InvariantError for results of different scenarios.
std::vector<Difference> compare(const std::vector<Figure>& expected, const std::vector<Figure>& got);

// The one of greatest severity; a figure that is not a number is infinitely far from one that is.
const Difference& worst(const std::vector<Difference>& differences);

// "time_to_train_s: 100 instead of 110 (-9.1 %)".
std::string text_of(const Difference& difference);

}  // namespace stallcast::hunt
