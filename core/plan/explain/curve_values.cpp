#include "core/plan/explain/curve_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/catalogue/capacity_rule.h"
#include "core/plan/explain/curve.h"
#include "core/plan/space/variable.h"
#include "core/scenario/fields/field_value.h"
#include "core/scenario/resolve/resolve.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

constexpr double kReach = 8.0;  // times what the scenario has, and its inverse

std::string parent_of(const std::string& pointer) { return pointer.substr(0, pointer.rfind('/')); }

bool is_member(const std::string& pointer) { return find_field(pointer) == nullptr; }

bool is_number(const Field& field) {
  return field.kind == FieldKind::kInteger || field.kind == FieldKind::kNumber || field.kind == FieldKind::kQuantity;
}

// Three digits: a value that a person would write.
double tidy(double value) {
  if (value == 0.0) return 0.0;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 2.0);
  return std::round(value / unit) * unit;
}

// At most `most` of ascending `values`, evenly by ratio (from 0 on, evenly by place), `now` among them.
std::vector<double> thinned(const std::vector<double>& values, double now, std::size_t most) {
  if (values.size() <= most || most < 2) return values.size() <= most ? values : std::vector<double>{now};
  const bool by_ratio = values.front() > 0.0;
  std::vector<double> kept;
  for (std::size_t i = 0; i < most; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(most - 1);
    const double wanted =
        by_ratio ? values.front() * std::pow(values.back() / values.front(), share)
                 : values[static_cast<std::size_t>(std::lround(share * static_cast<double>(values.size() - 1)))];
    const double nearest = *std::min_element(
        values.begin(), values.end(), [&](double a, double b) { return std::abs(a - wanted) < std::abs(b - wanted); });
    if (kept.empty() || nearest > kept.back()) kept.push_back(nearest);
  }
  if (std::find(kept.begin(), kept.end(), now) == kept.end()) {
    *std::min_element(kept.begin(), kept.end(),
                      [&](double a, double b) { return std::abs(a - now) < std::abs(b - now); }) = now;
    std::sort(kept.begin(), kept.end());
  }
  return kept;
}

std::vector<double> multiples(const Field& field, double now) {
  std::vector<double> values;
  const bool whole = field.kind == FieldKind::kInteger;
  if (field.dimension == Dimension::kFraction && field.range.max <= 1.0) {
    for (int tenth = 0; tenth <= 10; ++tenth) values.push_back(tenth / 10.0);
  } else if (whole && now == 0.0) {
    values = {1, 2, 4, 8, 16};
  } else {
    for (const double factor : {1.0 / kReach, 0.25, 0.5, 0.75, 1.5, 2.0, 3.0, 4.0, 6.0, kReach})
      values.push_back(whole ? std::round(now * factor) : tidy(now * factor));
  }
  const auto is_outside = [&](double value) {
    return value > field.range.max || value < field.range.min ||
           (field.range.min_excluded && value <= field.range.min) || (whole && value == 0.0);
  };
  values.erase(std::remove_if(values.begin(), values.end(), is_outside), values.end());
  values.push_back(now);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// Sizes that the tier is sold in, from an eighth of `now` to eight times it, all where there is none yet; nothing where
// the tier is not sold by its size, or in any.
std::optional<std::vector<double>> sold_sizes(const Catalogue& catalogue, const std::string& tier, double now) {
  const auto record = catalogue.tiers.find(tier);
  if (record == catalogue.tiers.end()) return std::nullopt;
  const double all = std::numeric_limits<double>::infinity();
  if (!is_provisioned(record->second)) return std::vector<double>{};
  const ValidSizes sold =
      valid_capacities(record->second, bytes(now / kReach), bytes(now > 0.0 ? now * kReach : all), kMaxValues);
  if (!sold.countable) return std::nullopt;
  std::vector<double> values;
  for (const Bytes size : sold.sizes) values.push_back(size.base());
  return values;
}

std::vector<double> numbers_worth_looking_at(const Scenario& s, const Catalogue& catalogue, const std::string& pointer,
                                             const Field& field, double now) {
  const bool storage = pointer == "/storage/capacity";
  if (storage || pointer == "/origin/capacity") {
    if (auto sizes = sold_sizes(catalogue, storage ? s.storage.tier : s.origin.tier, now)) return *sizes;
  }
  return multiples(field, now);
}

}  // namespace

const Field* field_or_parent(const std::string& pointer) {
  const Field* field = find_field(pointer);
  return field != nullptr ? field : find_field(parent_of(pointer));
}

bool has_order(const std::string& pointer) {
  const Field* field = field_or_parent(pointer);
  if (field == nullptr) return false;
  if (!is_member(pointer)) return is_number(*field);
  const std::string member = pointer.substr(pointer.rfind('/') + 1);
  const bool holds_members = field->kind == FieldKind::kDistribution || field->kind == FieldKind::kLinearCost;
  return holds_members && member != "kind" && member != "sigma" && member != "shape" && member != "quantiles" &&
         member != "slow_probability";
}

std::optional<double> number_of_text(const std::string& pointer, const std::string& text) {
  if (!has_order(pointer)) return std::nullopt;
  const Field& field = *field_or_parent(pointer);
  if (is_member(pointer)) return parse_quantity(field.dimension, text).base;
  Findings ignored;
  const std::optional<FieldValue> value = value_from_text(field, text, "", ignored);
  if (!value) return std::nullopt;
  if (const auto* count = std::get_if<std::int64_t>(&*value)) return static_cast<double>(*count);
  return std::get<double>(*value);
}

std::string text_of_number(const std::string& pointer, double value) {
  const Field& field = *field_or_parent(pointer);
  if (field.kind == FieldKind::kInteger) return fmt::format("{}", std::llround(value));
  return format_quantity(field.dimension, value, field.counted);
}

std::string text_of_field(const Scenario& scenario, const std::string& pointer) {
  const Field* field = field_or_parent(pointer);
  if (field == nullptr) return "";
  if (!is_member(pointer)) return value_text(*field, field->get(scenario));
  const nlohmann::ordered_json json = value_to_json(*field, field->get(scenario));
  const std::string member = pointer.substr(pointer.rfind('/') + 1);
  if (json.is_string() && member == "mean") return json.get<std::string>();  // a constant is written as its mean
  if (!json.is_object() || !json.contains(member)) return "";
  return json[member].is_string() ? json[member].get<std::string>() : json[member].dump();
}

std::vector<std::string> usual_values(const ScenarioFile& file, const Catalogue& catalogue, const std::string& pointer,
                                      std::size_t most) {
  const Field* field = field_or_parent(pointer);
  if (field == nullptr || most == 0) return {};
  if (field->kind == FieldKind::kBoolean) return {"false", "true"};
  if (field->kind == FieldKind::kEnum) {
    return {field->words.begin(),
            field->words.begin() + static_cast<std::ptrdiff_t>(std::min(most, field->words.size()))};
  }
  const Loaded<ResolvedScenario> resolved = resolve(file, catalogue);
  const Scenario& scenario = resolved.value ? resolved.value->scenario : file.scenario;
  const std::string text = text_of_field(scenario, pointer);
  const std::optional<double> now = number_of_text(pointer, text);
  if (!now) return {};
  std::vector<std::string> texts;
  for (const double value : thinned(numbers_worth_looking_at(scenario, catalogue, pointer, *field, *now), *now, most))
    texts.push_back(value == *now ? text : text_of_number(pointer, value));
  return texts;
}

}  // namespace stallcast
