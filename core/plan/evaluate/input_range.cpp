#include "core/plan/evaluate/input_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "core/diagnostics/invariant.h"
#include "core/plan/evaluate/scaled_input.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/units/plain_text.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

constexpr const char* kRangeExample =
    "write it like storage.read_bandwidth=\"5 GB/s..20 GB/s\" or storage.latency=x0.5..x2";

class RangeReader {
 public:
  RangeReader(std::string_view text, const ResolvedScenario& resolved) : text_(text), resolved_(resolved) {}

  Loaded<UncertainInput> read() {
    const std::size_t equals = text_.find('='), dots = text_.find("..");
    if (equals == std::string_view::npos || dots == std::string_view::npos || dots < equals) {
      add("not_an_interval", "a field, \"=\" and LOW..HIGH", kRangeExample, "");
      return std::move(loaded_);
    }
    pointer_ = field_pointer(trimmed(text_.substr(0, equals)));
    const std::optional<double> low = factor(trimmed(text_.substr(equals + 1, dots - equals - 1)));
    const std::optional<double> high = factor(trimmed(text_.substr(dots + 2)));
    if (low && high) take(*low, *high);
    return std::move(loaded_);
  }

 private:
  // Of a value as given; nothing, with a finding, when `end` cannot be one. Fields that are no inputs are left to
  // parse_uncertain_inputs, which knows what to say.
  std::optional<double> factor(std::string_view end) {
    if (end.starts_with('x')) {
      const std::optional<double> number = plain_number(end.substr(1));
      if (!number) add("not_an_interval", "factors as in x0.5..x2", kRangeExample, "");
      return number;
    }
    const Field* field = find_field(pointer_);
    if (field == nullptr || !can_be_uncertain(pointer_)) return 1.0;
    const std::optional<double> now = input_value(resolved_, pointer_);
    if (!now) {
      add("no_value", "factors, x0.5..x2, of a field with a value",
          fmt::format("give {} a value first", dotted_name(pointer_)),
          "it is 0 here (not given, or unlimited), or several numbers");
      return std::nullopt;
    }
    const QuantityReading reading = parse_quantity(field->dimension, end);
    if (!reading.base) {
      add(reading.error_code, reading.allowed, reading.fix, reading.why);
      return std::nullopt;
    }
    return *reading.base / *now;
  }

  void take(double low, double high) {
    if (const std::optional<double> now = input_value(resolved_, pointer_);
        now && low <= high && (low > 1.0 || high < 1.0)) {
      add("out_of_range", "an interval that holds the value given",
          fmt::format("{} is {} here", dotted_name(pointer_), input_value_text(pointer_, *now)), "");
      return;
    }
    const std::string entry = uncertain_input_text({pointer_, low, high});
    const auto inputs = parse_uncertain_inputs({entry}, "--input");
    for (Finding finding : inputs.findings.list()) {
      finding.pointer.clear();
      loaded_.findings.add(std::move(finding));
    }
    if (inputs.value) loaded_.value = inputs.value->front();
  }

  static std::optional<double> plain_number(std::string_view text) {
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
  }

  void add(std::string code, std::string allowed, std::string fix, std::string why) {
    loaded_.findings.add({Severity::kError, std::move(code), "--input", "", fmt::format("\"{}\"", text_),
                          std::move(allowed), std::move(fix), std::move(why)});
  }

  std::string_view text_;
  const ResolvedScenario& resolved_;
  std::string pointer_;
  Loaded<UncertainInput> loaded_;
};

}  // namespace

Loaded<UncertainInput> parse_input_range(std::string_view text, const ResolvedScenario& resolved) {
  return RangeReader(text, resolved).read();
}

std::vector<UncertainInput> uncertain_inputs(const Scenario& scenario, const std::vector<UncertainInput>& given) {
  auto known = parse_uncertain_inputs(scenario.run.uncertain, "");
  invariant(known.value.has_value(), "run.uncertain has findings: it does not come from resolve()");
  std::vector<UncertainInput> all = std::move(*known.value);
  for (const UncertainInput& input : given) {
    const auto same = std::find_if(all.begin(), all.end(),
                                   [&](const UncertainInput& other) { return other.pointer == input.pointer; });
    if (same == all.end()) {
      all.push_back(input);
    } else {
      *same = input;
    }
  }
  return all;
}

}  // namespace stallcast
