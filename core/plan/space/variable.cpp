#include "core/plan/space/variable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/scenario/check/check.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/scenario/scenario.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

constexpr double kSlack = 1e-9;          // of a step: "0..1:0.1" ends at 1
constexpr double kRatioOfDecades = 100;  // from here on a range is sampled by ratio
constexpr std::string_view kSpacedSizes = "valid:";
constexpr double kLeastFactor = 1.01;

bool is_capacity(const std::string& pointer) { return pointer == "/storage/capacity" || pointer == "/origin/capacity"; }

bool must_not_vary(const std::string& pointer) {
  for (const char* fixed :
       {"/format_version", "/name", "/description", "/job", "/run/concurrent_jobs", "/run/uncertain"})
    if (pointer == fixed) return true;
  return pointer.starts_with("/plan/");
}

// At commas that are not inside brackets, braces or quotes.
std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '[' || c == '{')) ++depth;
    if (!quoted && (c == ']' || c == '}')) --depth;
    if (c == ',' && depth == 0 && !quoted) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  for (std::string& part : parts) {
    const auto first = part.find_first_not_of(' ');
    part = first == std::string::npos ? "" : part.substr(first, part.find_last_not_of(' ') - first + 1);
  }
  return parts;
}

// "lo..hi", "lo..hi:step", "lo..hi:xFACTOR" as written.
struct RangeText {
  std::string low, high, step;
};
std::optional<RangeText> range_text(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos || text.find_first_of("[{\"") != std::string::npos) return std::nullopt;
  const std::size_t colon = text.find(':', dots);
  const std::size_t end = std::min(colon, text.size());
  return RangeText{text.substr(0, dots), text.substr(dots + 2, end - dots - 2),
                   colon == std::string::npos ? "" : text.substr(colon + 1)};
}

// The field whose unit the numbers at `pointer` have; null for what has no order.
const Field* ordered_field(const std::string& pointer) {
  if (const Field* field = find_field(pointer)) {
    const bool ordered = field->kind == FieldKind::kInteger || field->kind == FieldKind::kNumber ||
                         field->kind == FieldKind::kQuantity || field->kind == FieldKind::kDistribution;
    return ordered ? field : nullptr;
  }
  const std::size_t last = pointer.rfind('/');
  const Field* parent = last == 0 ? nullptr : find_field(pointer.substr(0, last));
  if (parent == nullptr) return nullptr;
  const std::string member = pointer.substr(last + 1);
  const bool dimensional = member != "sigma" && member != "kind" && member != "shape";
  const bool has_members = parent->kind == FieldKind::kDistribution || parent->kind == FieldKind::kLinearCost;
  return has_members && dimensional ? parent : nullptr;
}

bool is_integer(const Field& field) { return field.kind == FieldKind::kInteger; }

Dimension dimension_of(const Field& field) { return is_integer(field) ? Dimension::kCount : field.dimension; }

std::string number_text(const Field& field, double value) {
  if (is_integer(field)) return fmt::format("{}", std::llround(value));
  return format_quantity(field.dimension, value, field.counted);
}

// Twelve digits, so that 0.1 + 0.2 is written 0.3. Whole numbers stay as they are: bytes of a size in TiB have more.
double tidy(double value) {
  if (value == std::round(value)) return value;
  const double unit = std::pow(10.0, 11.0 - std::floor(std::log10(std::abs(value))));
  return std::isfinite(unit) ? std::round(value * unit) / unit : value;
}

class VariableReader {
 public:
  VariableReader(const ScenarioFile& base, Findings& findings) : base_(base), findings_(findings) {}

  std::optional<Variable> read(std::string_view text) {
    if (auto finding = not_a_variable(text, kVaryOption, "")) {
      findings_.add(std::move(*finding));
      return std::nullopt;
    }
    const std::size_t equals = text.find('=');
    variable_.pointer = field_pointer(text.substr(0, equals));
    const std::string values(text.substr(equals + 1));
    if (must_not_vary(variable_.pointer)) {
      error("base_field", variable_.pointer, std::string(text), "fields of the job and its machines",
            "vary something else; this one belongs to the scenario as a whole");
      return std::nullopt;
    }
    if (is_capacity(variable_.pointer) && (values == "valid" || values.starts_with(kSpacedSizes))) {
      read_valid_sizes(values);
    } else if (const auto range = range_text(values)) {
      read_range(*range, values);
    } else {
      variable_.values = split_list(values);
    }
    drop_repeated();
    try_values();
    if (findings_.has_errors()) return std::nullopt;
    return variable_;
  }

 private:
  void error(std::string code, std::string pointer, std::string got, std::string allowed, std::string fix) {
    findings_.add({Severity::kError, std::move(code), kVaryOption, std::move(pointer), std::move(got),
                   std::move(allowed), std::move(fix), ""});
  }

  std::optional<double> number(const Field& field, const std::string& text, Dimension dimension) {
    const QuantityReading reading = parse_quantity(dimension, text);
    if (reading.base) return reading.base;
    findings_.add({Severity::kError, reading.error_code, kVaryOption, variable_.pointer, text, reading.allowed,
                   reading.fix, reading.why});
    (void)field;
    return std::nullopt;
  }

  void read_valid_sizes(const std::string& values) {
    variable_.field = find_field(variable_.pointer);
    variable_.every_valid_size = true;
    variable_.high = std::numeric_limits<double>::infinity();
    if (values == "valid") return;
    const std::string distance = values.substr(kSpacedSizes.size());
    const double factor =
        distance.starts_with('x') ? parse_quantity(Dimension::kNone, distance.substr(1)).base.value_or(0.0) : 0.0;
    variable_.size_factor = factor;
    if (!(factor >= kLeastFactor))
      error("bad_step", variable_.pointer, values,
            fmt::format("valid:xFACTOR with a factor of {} or more", kLeastFactor), "write it like valid:x1.2");
  }

  void read_range(const RangeText& text, const std::string& got) {
    const Field* field = ordered_field(variable_.pointer);
    if (field == nullptr) {
      if (find_field(variable_.pointer) == nullptr) {
        variable_.values = {text.low};  // try_values says that there is no such field
      } else {
        error("not_a_range", variable_.pointer, got, "a list of values: a,b,c", "name the values, they have no order");
      }
      return;
    }
    variable_.field = field;
    const auto low = number(*field, text.low, dimension_of(*field));
    const auto high = number(*field, text.high, dimension_of(*field));
    if (!low || !high) return;
    if (*low > *high) {
      error("empty_range", variable_.pointer, got, "lo..hi with lo at most hi",
            fmt::format("write {}..{}", text.high, text.low));
      return;
    }
    variable_.low = *low;
    variable_.high = *high;
    if (text.step.empty() && !is_integer(*field)) {
      variable_.every_valid_size = is_capacity(variable_.pointer);
      variable_.values = {text.low, text.high};  // are tried; a range keeps none
      try_values();
      variable_.values.clear();
      return;
    }
    const bool by_factor = text.step.starts_with('x');
    const auto step = by_factor           ? number(*field, text.step.substr(1), Dimension::kNone)
                      : text.step.empty() ? std::optional<double>(1.0)
                                          : number(*field, text.step, dimension_of(*field));
    if (step) list_steps(*field, by_factor, *step, got);
  }

  void list_steps(const Field& field, bool by_factor, double step, const std::string& got) {
    if (by_factor ? (step <= 1.0 || variable_.low <= 0.0) : step <= 0.0) {
      error("bad_step", variable_.pointer, got,
            by_factor ? "a factor above 1, from a low end above 0" : "a step above 0",
            by_factor ? "write it like 1..64:x2" : "write it like 4..16:4");
      return;
    }
    const double count =
        by_factor ? std::log(variable_.high / variable_.low) / std::log(step) : (variable_.high - variable_.low) / step;
    if (count >= static_cast<double>(kMaxValues)) {
      error("too_many_values", variable_.pointer, got, fmt::format("at most {} values of one field", kMaxValues),
            "take larger steps");
      return;
    }
    const auto last = static_cast<std::int64_t>(count + kSlack * std::max(1.0, count));
    for (std::int64_t i = 0; i <= last; ++i) {
      const auto n = static_cast<double>(i);
      const double value = by_factor ? variable_.low * std::pow(step, n) : variable_.low + n * step;
      variable_.values.push_back(number_text(field, tidy(value)));
    }
  }

  void drop_repeated() {
    std::vector<std::string> kept;
    std::set<std::string> seen;
    for (std::string& value : variable_.values)
      if (seen.insert(value).second) kept.push_back(std::move(value));
    variable_.values = std::move(kept);
    if (variable_.values.size() > kMaxValues) {
      error("too_many_values", variable_.pointer, fmt::format("{} values", variable_.values.size()),
            fmt::format("at most {} values of one field", kMaxValues), "list fewer");
    }
  }

  // Each as --set would take it; one message is enough for a name that no field has.
  void try_values() {
    if (findings_.has_errors()) return;
    ScenarioFile scratch = base_;
    for (const std::string& value : variable_.values) {
      Findings found;
      apply_override(scratch, variable_.pointer + "=" + value, found);
      for (Finding finding : found.list()) {
        finding.file = kVaryOption;
        findings_.add(std::move(finding));
      }
      if (found.has_errors() && found.list().front().code == "unknown_key") return;
    }
  }

  const ScenarioFile& base_;
  Findings& findings_;
  Variable variable_;
};

}  // namespace

Loaded<Variable> parse_variable(std::string_view text, const ScenarioFile& base) {
  Loaded<Variable> loaded;
  loaded.value = VariableReader(base, loaded.findings).read(text);
  return loaded;
}

Loaded<std::vector<Variable>> parse_variables(const std::vector<std::string>& texts, const ScenarioFile& base) {
  Loaded<std::vector<Variable>> out;
  out.value.emplace();
  for (const std::string& text : texts) {
    Loaded<Variable> variable = parse_variable(text, base);
    out.findings.append(variable.findings);
    if (variable.value) out.value->push_back(std::move(*variable.value));
  }
  if (out.findings.has_errors()) out.value.reset();
  return out;
}

Loaded<std::vector<Variable>> planned_variables(const ScenarioFile& base) {
  Loaded<std::vector<Variable>> out;
  out.value.emplace();
  const std::vector<std::string>& texts = base.scenario.plan.vary;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    Loaded<Variable> variable = parse_variable(texts[i], base);
    if (variable.value) out.value->push_back(std::move(*variable.value));
    for (Finding finding : variable.findings.list()) {
      finding.file = base.file;
      finding.pointer = fmt::format("/plan/vary/{}", i);
      out.findings.add(std::move(finding));
    }
  }
  if (out.findings.has_errors()) out.value.reset();
  return out;
}

std::string value_at(const Variable& variable, double fraction) {
  const Field& field = *variable.field;
  const double low = variable.low, high = variable.high;
  if (is_integer(field)) return number_text(field, std::floor(low + fraction * (high - low + 1.0)));
  const bool by_ratio = low > 0.0 && high >= kRatioOfDecades * low;
  return number_text(field, tidy(by_ratio ? low * std::pow(high / low, fraction) : low + fraction * (high - low)));
}

}  // namespace stallcast
