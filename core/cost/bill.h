// The bill of a run while its lines are written.
#pragma once

#include <vector>

#include "core/cost/cost_breakdown.h"
#include "core/cost/money/money.h"
#include "core/cost/money/price_unit.h"
#include "core/units/quantity.h"

namespace stallcast {

// From when to when something is charged, since the start of the job.
struct ChargedSpan {
  Seconds start, end;
  Seconds length() const { return end - start; }
};

// Collects lines; what cannot be priced goes to `unknown`.
class Bill {
 public:
  std::vector<BillLine> lines;
  std::vector<UnknownCost> unknown;

  // Sets the quantity of `line` to `usage` in the unit of its price, and returns what the line costs. A line of nothing
  // is left out and costs 0; so does one whose price has a unit that does not measure `usage`, which is then unknown.
  Money add(BillLine line, const Usage& usage);
};

}  // namespace stallcast
