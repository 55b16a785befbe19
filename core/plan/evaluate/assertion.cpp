#include "core/plan/evaluate/assertion.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "core/units/plain_text.h"
#include "core/units/rounded.h"

namespace stallcast {
namespace {

using nlohmann::ordered_json;

constexpr const char* kForm = "a path, one of < <= > >=, and a value";
constexpr const char* kExample = "write it like gpu_utilization<0.9";

struct Sign {
  std::string_view text;
  Relation relation;
};
constexpr std::array<Sign, 4> kSigns = {{{"<=", Relation::kLessOrEqual},
                                         {">=", Relation::kGreaterOrEqual},
                                         {"<", Relation::kLess},
                                         {">", Relation::kGreater}}};

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::optional<double> plain_number(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<Dimension> dimension_of_key(std::string_view key) {
  const auto ends = [key](std::string_view suffix) { return key.ends_with(suffix); };
  if (key.find("usd") != std::string_view::npos || key == "by_cause") return Dimension::kUsd;
  if (ends("bytes_per_s")) return Dimension::kByteRate;
  if (ends("_per_s")) return Dimension::kRate;
  if (ends("_s") || key == "seconds") return Dimension::kTime;
  if (ends("bytes")) return Dimension::kBytes;
  if (ends("fraction") || ends("utilization") || key == "au" || key.starts_with("au_") || key == "ettr")
    return Dimension::kFraction;
  return std::nullopt;
}

const ordered_json* member(const ordered_json& group, std::string_view key) {
  if (group.is_object()) {
    const auto found = group.find(key);
    return found == group.end() ? nullptr : &*found;
  }
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
  const bool is_index = error == std::errc() && end == key.data() + key.size();
  return group.is_array() && is_index && index < group.size() ? &group[index] : nullptr;
}

// Where the walk along a path ended: at its end, or at the value before the key that is not there.
struct Walk {
  const ordered_json* value;
  bool complete;
};

Walk walk(const ordered_json& document, std::string_view path) {
  const ordered_json* at = &document;
  for (const std::string_view key : parts_of(path)) {
    const ordered_json* next = member(*at, key);
    if (next == nullptr) return {at, false};
    at = next;
  }
  while (at->is_object() && at->contains("mean")) at = &at->at("mean");
  return {at, true};
}

// Paths of all numbers, and of those that are null.
void add_paths(const ordered_json& value, const std::string& path, std::vector<std::string>& paths) {
  if (value.is_number() || value.is_null()) paths.push_back(path);
  if (!value.is_object()) return;
  if (value.contains("mean")) paths.push_back(path);
  for (const auto& [key, below] : value.items()) add_paths(below, path.empty() ? key : path + "." + key, paths);
}

// The path that may have been meant, or "": a slip of the pen, or the last key without its group.
std::string nearest_path(const std::string& path, const ordered_json& document) {
  std::vector<std::string> paths;
  for (const auto& [key, below] : document.items())
    if (key != "scenario" && key != "provenance") add_paths(below, key, paths);
  for (const std::string& one : paths)
    if (one.ends_with("." + path)) return one;
  return nearest_word(path, paths);
}

}  // namespace

Loaded<Assertion> parse_assertion(std::string_view text, const std::string& option) {
  Loaded<Assertion> loaded;
  const auto refuse = [&](std::string code, std::string allowed, std::string fix, std::string why) {
    loaded.findings.add({Severity::kError, std::move(code), option, "", fmt::format("\"{}\"", text), std::move(allowed),
                         std::move(fix), std::move(why)});
    return loaded;
  };
  const std::size_t at = text.find_first_of("<>");
  if (at == std::string_view::npos) return refuse("not_a_condition", kForm, kExample, "");
  Assertion assertion;
  assertion.text = std::string(trimmed(text));
  assertion.path = std::string(trimmed(text.substr(0, at)));
  std::string_view value = text.substr(at);
  for (const Sign& sign : kSigns) {
    if (!value.starts_with(sign.text)) continue;
    assertion.relation = sign.relation;
    value = trimmed(value.substr(sign.text.size()));
    break;
  }
  for (const std::string_view part : parts_of(assertion.path))
    if (part.empty()) return refuse("not_a_path", "keys of the JSON result joined by \".\"", kExample, "");
  const Dimension dimension = dimension_of_path(assertion.path);
  if (const std::optional<double> plain = plain_number(value)) {
    assertion.value = *plain;
  } else {
    const QuantityReading reading = parse_quantity(dimension, value);
    if (!reading.base) return refuse(reading.error_code, reading.allowed, reading.fix, reading.why);
    assertion.value = *reading.base;
  }
  loaded.value = std::move(assertion);
  return loaded;
}

Dimension dimension_of_path(std::string_view path) {
  const std::vector<std::string_view> parts = parts_of(path);
  for (std::size_t left = parts.size(); left > 0; --left)
    if (const std::optional<Dimension> found = dimension_of_key(parts[left - 1])) return *found;
  return Dimension::kNone;
}

std::string value_of_path_text(std::string_view path, double value) {
  const Dimension dimension = dimension_of_path(path);
  if (!std::isfinite(value)) return "infinite";
  if (dimension == Dimension::kFraction) return fmt::format("{:.4g} %", 100.0 * value);
  if (dimension == Dimension::kUsd) return fmt::format("${:.2f}", value);
  const double shown = rounded(value, 4);
  return dimension == Dimension::kNone ? format_number(shown) : format_quantity(dimension, shown);
}

bool holds(const Assertion& assertion, double value) {
  switch (assertion.relation) {
    case Relation::kLess:
      return value < assertion.value;
    case Relation::kLessOrEqual:
      return value <= assertion.value;
    case Relation::kGreater:
      return value > assertion.value;
    case Relation::kGreaterOrEqual:
      break;
  }
  return value >= assertion.value;
}

Checked check(const Assertion& assertion, const ordered_json& document) {
  const Walk found = walk(document, assertion.path);
  if (!found.complete) return {found.value->is_object() ? Verdict::kNoSuchKey : Verdict::kUnknown, std::nullopt};
  if (found.value->is_object()) return {Verdict::kNoSuchKey, std::nullopt};
  if (!found.value->is_number()) return {Verdict::kUnknown, std::nullopt};
  const auto number = found.value->get<double>();
  if (!std::isfinite(number)) return {Verdict::kUnknown, std::nullopt};
  return {holds(assertion, number) ? Verdict::kHolds : Verdict::kFine, number};
}

std::optional<Finding> path_problem(const Assertion& assertion, const ordered_json& document,
                                    const std::string& option) {
  const Walk found = walk(document, assertion.path);
  const ordered_json& end = *found.value;
  const bool may_be_a_number = found.complete ? end.is_number() || end.is_null() : end.is_null() || end.is_array();
  if (may_be_a_number) return std::nullopt;
  const std::string nearest = nearest_path(assertion.path, document);
  return Finding{Severity::kError,
                 "unknown_path",
                 option,
                 "",
                 fmt::format("\"{}\"", assertion.path),
                 "the path of a number in the JSON result",
                 nearest.empty() ? kExample : fmt::format("did you mean {}?", nearest),
                 found.complete ? "that is no number" : ""};
}

}  // namespace stallcast
