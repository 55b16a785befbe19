// The vendors' own examples of what a tier delivers and costs, and whether the record agrees with them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/catalogue/records/record_reader.h"
#include "core/catalogue/records/records.h"
#include "core/diagnostics/finding.h"

namespace stallcast {

// The list "examples" of a tier's file.
// **Errors** findings: unknown keys, numbers without their unit, no source, nothing printed to compare with.
std::vector<TierExample> read_examples(RecordReader& in);

// Half a unit of the last digit of a printed quantity, in base units: "115 GiB/s" is right to 0.5 GiB/s, "$0.20" to
// $0.005. Nothing when `text` is no such quantity.
std::optional<double> half_last_digit(Dimension dimension, std::string_view text);

// "100 TiB, 4 servers": what is bought.
std::string bought_text(const TierExample& example);

// What the record's prices make of an example, in dollars.
// **Model** capacity * hours + bandwidth and IOPS beyond what is included * hours + servers * hours + system * hours,
// or
//   `price_of` times the GiB or the requests; a month is 730 h.
// **Errors** the name of the price that is missing, in `missing`.
struct ExamplePrice {
  double usd = 0.0;
  std::string missing;
};
ExamplePrice price_of_example(const TierRecord& tier, const TierExample& example);

// Recomputes every number of the tier's examples and returns how many were compared. One that differs by more than half
// a unit of its last digit is the error "law_contradicts_example"; a size that cannot be bought is "example_not_sold".
// **Checked by** tests/core/catalogue/vendor_examples_test.cpp
std::size_t judge_examples(const TierRecord& tier, Findings& findings);

}  // namespace stallcast
