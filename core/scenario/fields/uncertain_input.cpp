#include "core/scenario/fields/uncertain_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "core/diagnostics/invariant.h"
#include "core/scenario/fields/field_table.h"
#include "core/units/quantity_text.h"
#include "core/units/rounded.h"

namespace stallcast {
namespace {

constexpr const char* kExample = "write it like \"storage.read_bandwidth 0.94..1.06\"";

bool is_input(const Field& field) {
  if (field.group == "run" || field.group.empty()) return false;
  if (field.pointer == "/cluster/core_speed") return false;  // only where times are looked up: their intervals hold it
  switch (field.kind) {
    case FieldKind::kInteger:
    case FieldKind::kNumber:
    case FieldKind::kQuantity:
    case FieldKind::kDistribution:
    case FieldKind::kCurve:
    case FieldKind::kLinearCost:
      return true;
    case FieldKind::kText:
    case FieldKind::kBoolean:
    case FieldKind::kEnum:
    case FieldKind::kTextList:
      break;
  }
  return false;
}

// The input that `name` may have meant, or "": a slip of the pen, or the right name without its group.
std::string nearest_input(const std::string& name) {
  std::vector<std::string> names;
  for (const Field& field : field_table())
    if (is_input(field)) names.push_back(dotted_name(field.pointer));
  const std::string near = nearest_word(name, names);
  if (!near.empty()) return near;
  const std::string last = name.substr(name.rfind('.') + 1);
  const auto found = std::find_if(names.begin(), names.end(),
                                  [&](const std::string& one) { return one.substr(one.rfind('.') + 1) == last; });
  return found == names.end() ? "" : *found;
}

std::string factors_text(double low, double high) { return format_number(low) + ".." + format_number(high); }

std::optional<double> number_of(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_interval(double low, double high) {
  return low >= kLeastFactor && low <= 1.0 && high >= 1.0 && high <= kMostFactor;
}

class EntryReader {
 public:
  EntryReader(const std::string& file, Findings& findings) : file_(file), findings_(findings) {}

  std::optional<UncertainInput> read(std::size_t index, const std::string& text) {
    index_ = index;
    text_ = text;
    const std::size_t name_end = text.find(' ');
    const std::string name = text.substr(0, name_end);
    const bool good_field = is_field(name);
    const std::size_t from = name_end == std::string::npos ? name_end : text.find_first_not_of(' ', name_end);
    if (from == std::string::npos) {
      add("missing_factors", "a field and two factors, LOW..HIGH", kExample, "");
      return std::nullopt;
    }
    const auto interval = factors(std::string_view(text).substr(from));
    if (!good_field || !interval) return std::nullopt;
    return UncertainInput{field_pointer(name), interval->first, interval->second};
  }

 private:
  bool is_field(const std::string& name) {
    const std::string pointer = field_pointer(name);
    const Field* field = find_field(pointer);
    if (field == nullptr) {
      const std::string nearest = nearest_input(dotted_name(pointer));
      add("unknown_field", "", nearest.empty() ? kExample : fmt::format("did you mean {}?", nearest),
          fmt::format("{} is no field of a scenario", dotted_name(pointer)));
      return false;
    }
    if (!is_input(*field)) {
      add("not_an_input", "a quantity, number, distribution, curve or linear cost", "remove it",
          fmt::format("{} is {}", dotted_name(pointer),
                      field->group == "run" ? "about how to simulate" : "nothing that a factor could change"));
      return false;
    }
    if (!seen_.insert(pointer).second) {
      add("duplicate", "", "remove one of them", fmt::format("{} has an interval already", dotted_name(pointer)));
      return false;
    }
    return true;
  }

  std::optional<std::pair<double, double>> factors(std::string_view text) {
    const std::size_t dots = text.find("..");
    const auto low = dots == std::string_view::npos ? std::nullopt : number_of(text.substr(0, dots));
    const auto high = dots == std::string_view::npos ? std::nullopt : number_of(text.substr(dots + 2));
    if (!low || !high) {
      add("not_an_interval", "two factors of the value, LOW..HIGH", kExample, "");
      return std::nullopt;
    }
    if (is_interval(*low, *high)) return std::pair(*low, *high);
    add("out_of_range",
        fmt::format("LOW from {} to 1, HIGH from 1 to {}", format_number(kLeastFactor), format_number(kMostFactor)),
        is_interval(*high, *low) ? fmt::format("did you mean {}?", factors_text(*high, *low)) : "",
        "they are factors of the value given, which lies between them");
    return std::nullopt;
  }

  void add(std::string code, std::string allowed, std::string fix, std::string why) {
    findings_.add({Severity::kError, std::move(code), file_, fmt::format("/run/uncertain/{}", index_),
                   fmt::format("\"{}\"", text_), std::move(allowed), std::move(fix), std::move(why)});
  }

  const std::string& file_;
  Findings& findings_;
  std::size_t index_ = 0;
  std::string text_;
  std::set<std::string> seen_;
};

struct Scaler {
  const FieldRange& range;
  double factor;

  double operator()(double value) const { return std::clamp(value * factor, range.min, range.max); }

  std::int64_t operator()(std::int64_t value) const {
    const double least = value > 0 ? std::max(1.0, range.min) : range.min;
    return std::llround(std::clamp(std::round(static_cast<double>(value) * factor), least, range.max));
  }

  Distribution operator()(Distribution d) const {
    for (double* member : {&d.mean, &d.sd, &d.low, &d.high, &d.fast, &d.slow}) *member = (*this)(*member);
    for (double& quantile : d.quantiles) quantile = (*this)(quantile);
    return d;
  }

  std::vector<CurvePoint> operator()(std::vector<CurvePoint> points) const {
    for (CurvePoint& point : points) point.time = seconds((*this)(point.time.base()));
    return points;
  }

  LinearCost operator()(const LinearCost& cost) const {
    return {seconds((*this)(cost.base.base())), seconds((*this)(cost.per_worker.base()))};
  }
};

}  // namespace

std::string field_pointer(std::string_view dotted) {
  std::string pointer(dotted);
  if (pointer.starts_with('/')) return pointer;
  std::replace(pointer.begin(), pointer.end(), '.', '/');
  return "/" + pointer;
}

std::string dotted_name(std::string_view pointer) {
  std::string name(pointer.starts_with('/') ? pointer.substr(1) : pointer);
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

std::string uncertain_input_text(const UncertainInput& input) {
  return dotted_name(input.pointer) + " " + factors_text(input.low_factor, input.high_factor);
}

bool can_be_uncertain(std::string_view pointer) {
  const Field* field = find_field(pointer);
  return field != nullptr && is_input(*field);
}

std::optional<std::string> measured_interval_text(const std::string& pointer, double low_factor, double high_factor) {
  const double low = std::clamp(rounded(low_factor), kLeastFactor, 1.0);
  const double high = std::clamp(rounded(high_factor), 1.0, kMostFactor);
  if (low == 1.0 && high == 1.0) return std::nullopt;
  return uncertain_input_text({pointer, low, high});
}

Loaded<std::vector<UncertainInput>> parse_uncertain_inputs(const std::vector<std::string>& texts,
                                                           const std::string& file) {
  Loaded<std::vector<UncertainInput>> loaded;
  std::vector<UncertainInput> inputs;
  EntryReader reader(file, loaded.findings);
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (auto input = reader.read(i, texts[i])) inputs.push_back(std::move(*input));
  if (!loaded.findings.has_errors()) loaded.value = std::move(inputs);
  return loaded;
}

Scenario scaled(const Scenario& scenario, std::string_view pointer, double factor) {
  const Field* field = find_field(pointer);
  invariant(field != nullptr && is_input(*field), ("scaled: no input at " + std::string(pointer)).c_str());
  Scenario out = scenario;
  const Scaler scale{field->range, factor};
  std::visit(
      [&](const auto& value) {
        if constexpr (requires { scale(value); }) field->set(out, FieldValue(scale(value)));
      },
      field->get(scenario));
  return out;
}

}  // namespace stallcast
