// Ranges that hold every such number on the market, with room: what lies outside is most likely a slip of a unit.
#pragma once

#include "core/catalogue/records/record.h"
#include "core/diagnostics/finding.h"

namespace stallcast {

// **Errors** findings: "implausible_number" (error) outside the range for its kind, with the unit that would fit;
// "unit_slip" (warning) where a number differs from another source's by the factor of a slip: 8 (bits for bytes), 730
// (hours for months) or 1000 to 1024^n (prefixes), and where a NIC is given in GB/s by a figure that NICs have in Gb/s.
void find_implausible(const Record& record, Findings& findings);

}  // namespace stallcast
