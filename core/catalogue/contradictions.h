// Numbers of one record that cannot all be true.
#pragma once

#include "core/catalogue/records/records.h"
#include "core/diagnostics/finding.h"

namespace stallcast {

// **Errors** findings: "contradiction" where a minimum exceeds a maximum, a median its 99th percentile, a band begins
// beyond the largest size, a step is 0, a probability is not one; "wrong_price_unit" where a price counts something
// else than its name says.
void find_contradictions(const TierRecord& tier, Findings& findings);
void find_contradictions(const InstanceRecord& instance, Findings& findings);
template <class R>
void find_contradictions(const R&, Findings&) {}  // other kinds have none to find

}  // namespace stallcast
