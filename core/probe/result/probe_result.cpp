#include "core/probe/result/probe_result.h"

#include <algorithm>

namespace stallcast {

bool ProbeResult::refused() const {
  return std::any_of(flaws.begin(), flaws.end(),
                     [](const ProbeFlaw& flaw) { return flaw.weight == ProbeFlaw::Weight::kRefuse; });
}

double ProbeResult::widen() const {
  double product = 1.0;
  for (const ProbeFlaw& flaw : flaws) product *= flaw.widen;
  return product;
}

}  // namespace stallcast
