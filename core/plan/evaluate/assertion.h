// Conditions on a result, for scripts: --fail-if 'gpu_utilization<0.9'.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/diagnostics/finding.h"
#include "core/units/quantity_text.h"

namespace stallcast {

enum class Relation { kLess, kLessOrEqual, kGreater, kGreaterOrEqual };

// "cost.total_usd > $500": a number of a JSON result, and what it must not be.
struct Assertion {
  std::string text;  // as written
  std::string
      path;  // keys of the result joined by ".", "run_timeline.wall_s.ci95_high"; items of a list by their number
  Relation relation = Relation::kLess;
  double value = 0.0;  // in base units
};

// Reads PATH OP VALUE with OP one of < <= > >=. VALUE is a plain number in base units, or a text in the unit of the
// path: "72h", "$500", "90 %".
// **Errors** findings under the file name `option`: "not_a_condition", "not_a_path", and those of parse_quantity.
Loaded<Assertion> parse_assertion(std::string_view text, const std::string& option = "--fail-if");

// What the number at `path` measures, by the suffixes that JSON results have: "time_to_train_s" is a time. A member is
// what its group is: "step_time_s.p99", "lost_time_fraction.checkpoint".
Dimension dimension_of_path(std::string_view path);

// "7.5 h", "78.6 %": `value` of `path`, three digits of it.
std::string value_of_path_text(std::string_view path, double value);

// True where the condition is true of `value`.
bool holds(const Assertion& assertion, double value);

enum class Verdict {
  kFine,      // the condition is not true
  kHolds,     // it is true
  kUnknown,   // the number is not known: null, no number, or its group is null
  kNoSuchKey  // a group that is there has no such key
};
struct Checked {
  Verdict verdict = Verdict::kFine;
  std::optional<double> found;  // of kFine and kHolds
};

// Looks at the number in `document`. A group with a "mean" stands for its mean.
Checked check(const Assertion& assertion, const nlohmann::ordered_json& document);

// The finding, with the nearest path, when `document` can have no number at the path; nothing where it is null on the
// way, or a list, so that only a run can say.
std::optional<Finding> path_problem(const Assertion& assertion, const nlohmann::ordered_json& document,
                                    const std::string& option = "--fail-if");

}  // namespace stallcast
