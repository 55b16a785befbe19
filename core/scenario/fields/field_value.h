// One value of a scenario between its forms: JSON in a file, text after --set or in the editor, and the number behind
// it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/diagnostics/finding.h"
#include "core/scenario/fields/field_table.h"

namespace stallcast {

// Reads the value of `field` from its file form:
//   quantity      "12.5 GB/s"
//   distribution  "5 ms" for a constant, else {"kind": K, ...} with K and its members as in distribution.h; lognormal
//   is
//                 given by mean and sigma or by p50 and p99
//   curve         [["2.5 ms", "0.6 ms"], ...], gaps ascending
//   linear cost   {"base": "-1.8 ms", "per_worker": "10.7 ms"}; what is left out is 0
//   text list     ["a.json", "b.json"]
// Adds every finding, under `file` and the pointer of the part that is wrong, and returns nothing if there is an error.
std::optional<FieldValue> value_from_json(const Field& field, const nlohmann::ordered_json& json,
                                          const std::string& file, Findings& findings);

// The same from what a person types: like the file form without the outer quotes ("5 ms", "global", "1.28M", "95 %",
// "a.json,b.json"), or JSON for what needs it.
std::optional<FieldValue> value_from_text(const Field& field, std::string_view text, const std::string& file,
                                          Findings& findings);

// The file form. Reading it back gives exactly `value`.
nlohmann::ordered_json value_to_json(const Field& field, const FieldValue& value);

// What value_from_text reads.
std::string value_text(const Field& field, const FieldValue& value);

// The members that a distribution of this kind takes, in file order: {"mean", "sigma"}.
std::vector<std::string> distribution_members(DistributionKind kind);

// "lognormal"
std::string distribution_word(DistributionKind kind);

// "0 s to 3650 d", "more than 0, up to 1"
std::string range_text(Dimension dimension, const FieldRange& range, std::string_view counted = "");

}  // namespace stallcast
