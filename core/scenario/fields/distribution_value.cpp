#include "core/scenario/fields/distribution_value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics/invariant.h"
#include "core/scenario/fields/field_value.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 8> kKindWords = {"constant",    "uniform", "normal",  "lognormal",
                                                        "exponential", "gamma",   "bimodal", "empirical"};
constexpr double kNormal99 = 2.3263478740408408;  // standard normal quantile at 0.99
constexpr std::size_t kMostQuantiles = 100000;    // of an empirical distribution
constexpr FieldRange kSigmaRange = {0.0, 10.0};
constexpr FieldRange kShapeRange = {1e-3, 1e6};
constexpr FieldRange kProbabilityRange = {0.0, 1.0};

// One member of a distribution; nothing, with a finding, if it is missing or wrong.
std::optional<double> read_member(const Field& field, const Json& object, const std::string& name, MeasureReader& in) {
  const std::string at = field.pointer + "/" + name;
  if (!object.contains(name)) {
    in.error("missing_member", field.pointer, written_json(object), "", fmt::format("add \"{}\"", name));
    return std::nullopt;
  }
  const Json& json = object.at(name);
  if (name == "sigma") return in.measure(at, Dimension::kNone, kSigmaRange, json);
  if (name == "shape") return in.measure(at, Dimension::kNone, kShapeRange, json);
  if (name == "slow_probability") return in.measure(at, Dimension::kFraction, kProbabilityRange, json);
  return in.measure(at, field.dimension, field.range, json, field.counted);
}

std::optional<DistributionKind> read_kind(const Field& field, const Json& json, MeasureReader& in) {
  const std::vector<std::string> words(kKindWords.begin(), kKindWords.end());
  const std::string list = fmt::format("{}", fmt::join(words, ", "));
  if (!json.contains("kind")) {
    in.error("missing_member", field.pointer, written_json(json), "", "add \"kind\"", "kinds are " + list);
    return std::nullopt;
  }
  const Json& kind = json.at("kind");
  const std::string at = field.pointer + "/kind";
  if (!kind.is_string()) return in.wrong_type(at, kind, list);
  const auto found = std::find(words.begin(), words.end(), kind.get<std::string>());
  if (found != words.end()) return static_cast<DistributionKind>(std::distance(words.begin(), found));
  const std::string nearest = nearest_word(kind.get<std::string>(), words);
  in.error("unknown_word", at, written_json(kind), list,
           nearest.empty() ? "" : fmt::format("did you mean \"{}\"?", nearest));
  return std::nullopt;
}

// `values` are those of distribution_members(kind), or p50 and p99.
std::optional<Distribution> assemble(const Field& field, const Json& json, DistributionKind kind, bool by_percentiles,
                                     const std::vector<double>& values, MeasureReader& in) {
  Distribution d;
  d.kind = kind;
  switch (kind) {
    case DistributionKind::kConstant:
    case DistributionKind::kExponential:
      d.mean = values[0];
      break;
    case DistributionKind::kNormal:
      d.mean = values[0], d.sd = values[1];
      break;
    case DistributionKind::kGamma:
      d.mean = values[0], d.shape = values[1];
      break;
    case DistributionKind::kBimodal:
      d.fast = values[0], d.slow = values[1], d.slow_probability = values[2];
      break;
    case DistributionKind::kUniform:
      d.low = values[0], d.high = values[1];
      if (d.low > d.high) {
        in.error("not_ascending", field.pointer, written_json(json), "low <= high", "swap low and high");
        return std::nullopt;
      }
      break;
    case DistributionKind::kLognormal:
      if (!by_percentiles) {
        d.mean = values[0], d.sigma = values[1];
        break;
      }
      if (values[0] <= 0.0 || values[1] < values[0]) {
        in.error("not_ascending", field.pointer, written_json(json), "0 < p50 <= p99");
        return std::nullopt;
      }
      // p99 / p50 = exp(sigma * z99), and mean = p50 * exp(sigma^2 / 2).
      d.sigma = std::log(values[1] / values[0]) / kNormal99;
      d.mean = values[0] * std::exp(0.5 * d.sigma * d.sigma);
      if (d.sigma > kSigmaRange.max) {
        in.error("out_of_range", field.pointer, written_json(json),
                 fmt::format("p99 / p50 up to {:.2g}", std::exp(kSigmaRange.max * kNormal99)));
        return std::nullopt;
      }
      break;
    case DistributionKind::kEmpirical:
      break;
  }
  return d;
}

std::optional<Distribution> read_empirical(const Field& field, const Json& json, MeasureReader& in) {
  const std::string at = field.pointer + "/quantiles";
  if (!json.contains("quantiles")) {
    in.error("missing_member", field.pointer, written_json(json), "", "add \"quantiles\"");
    return std::nullopt;
  }
  const Json& list = json.at("quantiles");
  if (!list.is_array() || list.empty() || list.size() > kMostQuantiles) {
    return in.wrong_type(at, list, fmt::format("an ascending list of 1 to {} values", kMostQuantiles));
  }
  Distribution d;
  d.kind = DistributionKind::kEmpirical;
  bool good = true;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string here = fmt::format("{}/{}", at, i);
    const auto value = in.measure(here, field.dimension, field.range, list[i], field.counted);
    if (!value) {
      good = false;
      continue;
    }
    if (!d.quantiles.empty() && *value < d.quantiles.back()) {
      in.error("not_ascending", here, written_json(list[i]), "at least the value before it");
      good = false;
    }
    d.quantiles.push_back(*value);
  }
  return good ? std::optional(d) : std::nullopt;
}

double distribution_member(const Distribution& d, std::string_view name) {
  if (name == "mean") return d.mean;
  if (name == "sd") return d.sd;
  if (name == "sigma") return d.sigma;
  if (name == "shape") return d.shape;
  if (name == "low") return d.low;
  if (name == "high") return d.high;
  if (name == "fast") return d.fast;
  if (name == "slow") return d.slow;
  invariant(name == "slow_probability", "a distribution has no such member");
  return d.slow_probability;
}

// The kind that a text like "lognormal(20 ms, 0.8)" begins with.
std::optional<DistributionKind> kind_in(const std::string& text) {
  const auto begin = std::find_if(text.begin(), text.end(), [](char c) { return c != ' '; });
  const auto end = std::find_if(begin, text.end(), [](char c) { return c < 'A' || (c > 'Z' && c < 'a') || c > 'z'; });
  std::string word(begin, end);
  for (char& c : word)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  const auto found = std::find(kKindWords.begin(), kKindWords.end(), word);
  if (found == kKindWords.end()) return std::nullopt;
  return static_cast<DistributionKind>(std::distance(kKindWords.begin(), found));
}

std::string example_of(const Field& field, DistributionKind kind) {
  if (kind == DistributionKind::kConstant) return fmt::format("\"{}\"", example_text(field.dimension));
  std::string text = fmt::format("{{\"kind\": \"{}\"", kKindWords[static_cast<std::size_t>(kind)]);
  if (kind == DistributionKind::kEmpirical)
    return fmt::format("{}, \"quantiles\": [\"{}\", ...]}}", text, example_text(field.dimension));
  for (const std::string& name : distribution_members(kind)) {
    const bool plain = name == "sigma" || name == "shape" || name == "slow_probability";
    text += fmt::format(", \"{}\": {}", name, plain ? "0.5" : fmt::format("\"{}\"", example_text(field.dimension)));
  }
  return text + "}";
}

}  // namespace

std::optional<Distribution> read_distribution(const Field& field, const Json& json, MeasureReader& in) {
  if (json.is_string()) {
    if (const auto kind = kind_in(json.get<std::string>())) {
      in.wrong_type(field.pointer, json, "a value with its unit, or an object with \"kind\"",
                    "write it like " + example_of(field, *kind));
      return std::nullopt;
    }
  }
  if (!json.is_object()) {
    if (!json.is_string() && !json.is_number()) {
      in.wrong_type(field.pointer, json,
                    fmt::format("a text like \"{}\" or an object with \"kind\"", example_text(field.dimension)));
      return std::nullopt;
    }
    const auto constant = in.measure(field.pointer, field.dimension, field.range, json, field.counted);
    return constant ? std::optional(Distribution::constant(*constant)) : std::nullopt;
  }
  const auto kind = read_kind(field, json, in);
  if (!kind) return std::nullopt;
  std::vector<std::string> names = distribution_members(*kind);
  const bool by_percentiles = *kind == DistributionKind::kLognormal && (json.contains("p50") || json.contains("p99"));
  if (by_percentiles) names = {"p50", "p99"};
  std::vector<std::string> known = names;
  known.insert(known.begin(), "kind");
  bool good = in.only_known(field.pointer, json, known);
  if (*kind == DistributionKind::kEmpirical) {
    auto read = read_empirical(field, json, in);
    return good ? read : std::nullopt;
  }
  std::vector<double> values;
  for (const std::string& name : names) {
    const auto value = read_member(field, json, name, in);
    good = good && value.has_value();
    values.push_back(value.value_or(0.0));
  }
  if (!good) return std::nullopt;
  return assemble(field, json, *kind, by_percentiles, values, in);
}

Json distribution_to_json(const Field& field, const Distribution& d) {
  const auto text = [&field](double base) { return format_quantity(field.dimension, base, field.counted); };
  if (d.kind == DistributionKind::kConstant) return text(d.mean);
  Json json = {{"kind", distribution_word(d.kind)}};
  if (d.kind == DistributionKind::kEmpirical) {
    Json& list = json["quantiles"] = Json::array();
    for (const double value : d.quantiles) list.push_back(text(value));
    return json;
  }
  for (const std::string& name : distribution_members(d.kind)) {
    const double value = distribution_member(d, name);
    const bool plain = name == "sigma" || name == "shape" || name == "slow_probability";
    json[name] = plain ? Json(value) : Json(text(value));
  }
  return json;
}

std::string distribution_word(DistributionKind kind) {
  return std::string(kKindWords.at(static_cast<std::size_t>(kind)));
}

std::vector<std::string> distribution_members(DistributionKind kind) {
  switch (kind) {
    case DistributionKind::kConstant:
    case DistributionKind::kExponential:
      return {"mean"};
    case DistributionKind::kUniform:
      return {"low", "high"};
    case DistributionKind::kNormal:
      return {"mean", "sd"};
    case DistributionKind::kLognormal:
      return {"mean", "sigma"};
    case DistributionKind::kGamma:
      return {"mean", "shape"};
    case DistributionKind::kBimodal:
      return {"fast", "slow", "slow_probability"};
    case DistributionKind::kEmpirical:
      return {"quantiles"};
  }
  return {};
}

}  // namespace stallcast
