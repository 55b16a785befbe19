// ONE table of everything a scenario holds. The reader, the writer, the JSON Schema, --set, the help and the editor's
// form are made from it; a member that is not a row here cannot be given by anyone (a test compares the two).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/scenario/scenario.h"
#include "core/units/quantity_text.h"

namespace stallcast {

enum class FieldKind {
  kText,
  kInteger,
  kNumber,  // a plain number, or a fraction (Dimension::kFraction)
  kBoolean,
  kEnum,      // one of `words`
  kQuantity,  // text with a unit of `dimension`
  kDistribution,
  kCurve,       // points (gap, time)
  kLinearCost,  // base + per_worker * n
  kTextList,
};

// The value of any field. Enums are the index of their word; quantities and numbers are doubles in base units.
using FieldValue = std::variant<std::string, std::int64_t, double, bool, Distribution, std::vector<CurvePoint>,
                                LinearCost, std::vector<std::string>>;

// How often people need a field: the dozen that a first answer takes, what jobs commonly set, and the rest.
enum class FieldLevel { kEssential, kCommon, kExpert };
inline constexpr std::array<std::string_view, 3> kFieldLevels{"essential", "common", "expert"};

// Allowed values in base units; for distributions and curves, of each dimensional member.
struct FieldRange {
  double min = 0.0;
  double max = 0.0;
  bool min_excluded = false;
};

struct Field {
  std::string pointer;  // "/loader/num_workers"
  std::string group;    // "loader"; "" at the top
  FieldKind kind = FieldKind::kText;
  Dimension dimension = Dimension::kNone;
  FieldRange range;
  std::string counted;             // what a rate counts: "samples", "IOPS"
  std::vector<std::string> words;  // of an enum, in the order of its values
  // Other words for them, as people call the same: "tfrecord" for shards.
  std::vector<std::pair<std::string, std::int64_t>> other_words;
  std::string help;  // one sentence
  FieldLevel level = FieldLevel::kExpert;

  FieldValue (*get)(const Scenario&) = nullptr;
  void (*set)(Scenario&, const FieldValue&) = nullptr;  // `value` must hold the alternative that `get` returns

  std::string_view level_name() const { return kFieldLevels[static_cast<std::size_t>(level)]; }
  std::string name() const { return pointer.substr(pointer.rfind('/') + 1); }
};

// Every member of Scenario, in the order of its declaration.
const std::vector<Field>& field_table();

// The row of a JSON pointer, or null. A name that a field had in an earlier format_version is that field's too.
const Field* find_field(std::string_view pointer);

// "0 to 1024", "0 s to 3650 d", "more than 0, up to 1", "one_queue, queue_per_core", "true or false"; "" for text.
std::string allowed_values(const Field& field);

}  // namespace stallcast
