#include "core/scenario/field_value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/diagnostics/invariant.h"
#include "core/diagnostics/json_input.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 8> kKindWords = {"constant",    "uniform", "normal",  "lognormal",
                                                        "exponential", "gamma",   "bimodal", "empirical"};
constexpr double kNormal99 = 2.3263478740408408;  // standard normal quantile at 0.99
constexpr std::size_t kMostPoints = 100000;       // of a curve or an empirical distribution
constexpr std::size_t kMostTexts = 64;            // of a list
constexpr FieldRange kSigmaRange = {0.0, 10.0};
constexpr FieldRange kShapeRange = {1e-3, 1e6};
constexpr FieldRange kProbabilityRange = {0.0, 1.0};

std::string as_written(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Bounds like 1e15 read better than "1000000000000000".
std::string bound_text(Dimension dimension, double bound, std::string_view counted) {
  const bool plain =
      dimension == Dimension::kNone || dimension == Dimension::kCount || dimension == Dimension::kFraction;
  if (plain && std::abs(bound) >= 1e6 && std::fmod(bound, 1e6) == 0.0) {
    const int power = static_cast<int>(std::floor(std::log10(std::abs(bound)) + 1e-9));
    return fmt::format("{}e{}", format_number(bound / std::pow(10.0, power)), power);
  }
  return format_quantity(dimension, bound, counted);
}

// A finding under construction is the same everywhere: who says it, where, and what was read.
class Reader {
 public:
  Reader(const std::string& file, Findings& findings) : file_(file), findings_(findings) {}

  std::optional<FieldValue> value(const Field& field, const Json& json) {
    const std::string& at = field.pointer;
    switch (field.kind) {
      case FieldKind::kText:
        if (json.is_string()) return json.get<std::string>();
        return wrong_type(at, json, "a string",
                          json.is_number() ? fmt::format("did you mean \"{}\"?", as_written(json)) : "");
      case FieldKind::kBoolean:
        if (json.is_boolean()) return json.get<bool>();
        return wrong_type(at, json, "true or false", boolean_fix(json));
      case FieldKind::kInteger:
        return integer(field, json);
      case FieldKind::kEnum:
        return word(field, json);
      case FieldKind::kNumber:
      case FieldKind::kQuantity:
        return lift(measure(at, field.dimension, field.range, json, field.counted));
      case FieldKind::kDistribution:
        return lift(distribution(field, json));
      case FieldKind::kCurve:
        return lift(curve(field, json));
      case FieldKind::kLinearCost:
        return lift(linear_cost(field, json));
      case FieldKind::kTextList:
        return lift(text_list(field, json));
    }
    return std::nullopt;
  }

  // `got` as the finding should show it; the text may come from the command line.
  std::optional<double> measure_text(const std::string& at, Dimension dimension, const FieldRange& range,
                                     std::string_view text, const std::string& got, std::string_view counted) {
    QuantityReading reading = parse_quantity(dimension, text);
    if (!reading.base) {
      std::string allowed = reading.allowed;
      if (reading.error_code == "out_of_range") allowed = range_text(dimension, range, counted);
      if (dimension == Dimension::kCount) allowed = "a whole number, " + range_text(dimension, range, counted);
      add(reading.error_code, at, got, allowed, reading.fix, reading.why);
      return std::nullopt;
    }
    return in_range(at, dimension, range, *reading.base, got, counted);
  }

  std::optional<FieldValue> integer_text(const Field& field, std::string_view text, const std::string& got) {
    std::int64_t whole = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
    const bool is_whole = error == std::errc() && end == text.data() + text.size();
    if (is_whole) {
      if (!in_range(field.pointer, Dimension::kCount, field.range, static_cast<double>(whole), got, ""))
        return std::nullopt;
      return whole;
    }
    // "1.28M", "1e6", or what is wrong with it.
    const auto number = measure_text(field.pointer, Dimension::kCount, field.range, text, got, "");
    if (!number) return std::nullopt;
    return static_cast<std::int64_t>(*number);
  }

  std::optional<FieldValue> word_text(const Field& field, const std::string& text, const std::string& got) {
    const auto found = std::find(field.words.begin(), field.words.end(), text);
    if (found != field.words.end()) return std::distance(field.words.begin(), found);
    const std::string nearest = nearest_word(text, field.words);
    add("unknown_word", field.pointer, got, fmt::format("{}", fmt::join(field.words, ", ")),
        nearest.empty() ? "" : fmt::format("did you mean \"{}\"?", nearest));
    return std::nullopt;
  }

  std::nullopt_t wrong_type(const std::string& at, const Json& json, std::string allowed, std::string fix = "") {
    add("wrong_type", at, as_written(json), std::move(allowed), std::move(fix));
    return std::nullopt;
  }

  void add(std::string code, const std::string& at, std::string got, std::string allowed, std::string fix = "",
           std::string why = "") {
    findings_.add({Severity::kError, std::move(code), file_, at, std::move(got), std::move(allowed), std::move(fix),
                   std::move(why)});
  }

 private:
  template <class T>
  static std::optional<FieldValue> lift(std::optional<T> value) {
    if (!value) return std::nullopt;
    return FieldValue(std::move(*value));
  }

  static std::string boolean_fix(const Json& json) {
    if (!json.is_string() && !json.is_number_integer()) return "";
    const std::string text = json.is_string() ? json.get<std::string>() : as_written(json);
    for (const std::string_view yes : {"true", "True", "yes", "on", "1"}) {
      if (text == yes) return "did you mean true?";
    }
    for (const std::string_view no : {"false", "False", "no", "off", "0"}) {
      if (text == no) return "did you mean false?";
    }
    return "";
  }

  std::optional<FieldValue> integer(const Field& field, const Json& json) {
    if (json.is_string()) {
      const QuantityReading reading = parse_quantity(Dimension::kCount, json.get<std::string>());
      return wrong_type(field.pointer, json, "a whole number without quotes",
                        reading.base ? fmt::format("did you mean {}?", format_number(*reading.base)) : "");
    }
    if (!json.is_number()) return wrong_type(field.pointer, json, "a whole number");
    return integer_text(field, as_written(json), as_written(json));
  }

  std::optional<FieldValue> word(const Field& field, const Json& json) {
    if (!json.is_string()) return wrong_type(field.pointer, json, fmt::format("{}", fmt::join(field.words, ", ")));
    return word_text(field, json.get<std::string>(), as_written(json));
  }

  std::optional<double> in_range(const std::string& at, Dimension dimension, const FieldRange& range, double base,
                                 const std::string& got, std::string_view counted) {
    const bool inside = base <= range.max && (range.min_excluded ? base > range.min : base >= range.min);
    if (inside) return base;
    add("out_of_range", at, got, range_text(dimension, range, counted));
    return std::nullopt;
  }

  // A number, a fraction or a text with a unit.
  std::optional<double> measure(const std::string& at, Dimension dimension, const FieldRange& range, const Json& json,
                                std::string_view counted = "") {
    const bool plain = dimension == Dimension::kNone;
    const bool either = dimension == Dimension::kFraction;
    if (json.is_string() && !plain)
      return measure_text(at, dimension, range, json.get<std::string>(), as_written(json), counted);
    if (json.is_number() && (plain || either))
      return measure_text(at, dimension, range, as_written(json), as_written(json), counted);
    if (json.is_number()) {  // the unit is missing; the parser knows which to suggest
      return measure_text(at, dimension, range, as_written(json), as_written(json), counted);
    }
    std::string fix;
    if (json.is_string()) {
      const QuantityReading reading = parse_quantity(dimension, json.get<std::string>());
      if (reading.base) fix = fmt::format("did you mean {}?", format_number(*reading.base));
    }
    wrong_type(at, json, plain ? "a number without quotes" : std::string(allowed_text(dimension)), fix);
    return std::nullopt;
  }

  // One member of a distribution or of a linear cost; nothing, with a finding, if it is missing or wrong.
  std::optional<double> member(const Field& field, const Json& object, const std::string& name) {
    const std::string at = field.pointer + "/" + name;
    if (!object.contains(name)) {
      add("missing_member", field.pointer, as_written(object), "", fmt::format("add \"{}\"", name));
      return std::nullopt;
    }
    const Json& json = object.at(name);
    if (name == "sigma") return measure(at, Dimension::kNone, kSigmaRange, json);
    if (name == "shape") return measure(at, Dimension::kNone, kShapeRange, json);
    if (name == "slow_probability") return measure(at, Dimension::kFraction, kProbabilityRange, json);
    return measure(at, field.dimension, field.range, json, field.counted);
  }

  // True if every key is one of `known`.
  bool only_known(const Field& field, const Json& object, const std::vector<std::string>& known) {
    bool all_known = true;
    for (const auto& [key, unused] : object.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      all_known = false;
      const std::string nearest = nearest_word(key, known);
      add("unknown_key", field.pointer + "/" + pointer_token(key), "\"" + key + "\"",
          fmt::format("{}", fmt::join(known, ", ")),
          nearest.empty() ? "" : fmt::format("did you mean \"{}\"?", nearest));
    }
    return all_known;
  }

  std::optional<Distribution> distribution(const Field& field, const Json& json) {
    if (!json.is_object()) {
      if (!json.is_string() && !json.is_number()) {
        wrong_type(field.pointer, json,
                   fmt::format("a text like \"{}\" or an object with \"kind\"", example_text(field.dimension)));
        return std::nullopt;
      }
      const auto constant = measure(field.pointer, field.dimension, field.range, json, field.counted);
      return constant ? std::optional(Distribution::constant(*constant)) : std::nullopt;
    }
    const auto kind = distribution_kind(field, json);
    if (!kind) return std::nullopt;
    std::vector<std::string> names = distribution_members(*kind);
    const bool by_percentiles = *kind == DistributionKind::kLognormal && (json.contains("p50") || json.contains("p99"));
    if (by_percentiles) names = {"p50", "p99"};
    std::vector<std::string> known = names;
    known.insert(known.begin(), "kind");
    bool good = only_known(field, json, known);
    if (*kind == DistributionKind::kEmpirical) {
      auto read = empirical(field, json);
      return good ? read : std::nullopt;
    }
    std::vector<double> values;
    for (const std::string& name : names) {
      const auto value = member(field, json, name);
      good = good && value.has_value();
      values.push_back(value.value_or(0.0));
    }
    if (!good) return std::nullopt;
    return assemble(field, json, *kind, by_percentiles, values);
  }

  std::optional<DistributionKind> distribution_kind(const Field& field, const Json& json) {
    const std::vector<std::string> words(kKindWords.begin(), kKindWords.end());
    const std::string list = fmt::format("{}", fmt::join(words, ", "));
    if (!json.contains("kind")) {
      add("missing_member", field.pointer, as_written(json), "", "add \"kind\"", "kinds are " + list);
      return std::nullopt;
    }
    const Json& kind = json.at("kind");
    const std::string at = field.pointer + "/kind";
    if (!kind.is_string()) return wrong_type(at, kind, list);
    const auto found = std::find(words.begin(), words.end(), kind.get<std::string>());
    if (found != words.end()) return static_cast<DistributionKind>(std::distance(words.begin(), found));
    const std::string nearest = nearest_word(kind.get<std::string>(), words);
    add("unknown_word", at, as_written(kind), list,
        nearest.empty() ? "" : fmt::format("did you mean \"{}\"?", nearest));
    return std::nullopt;
  }

  // `values` are those of distribution_members(kind), or p50 and p99.
  std::optional<Distribution> assemble(const Field& field, const Json& json, DistributionKind kind, bool by_percentiles,
                                       const std::vector<double>& values) {
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
          add("not_ascending", field.pointer, as_written(json), "low <= high", "swap low and high");
          return std::nullopt;
        }
        break;
      case DistributionKind::kLognormal:
        if (!by_percentiles) {
          d.mean = values[0], d.sigma = values[1];
          break;
        }
        if (values[0] <= 0.0 || values[1] < values[0]) {
          add("not_ascending", field.pointer, as_written(json), "0 < p50 <= p99");
          return std::nullopt;
        }
        // p99 / p50 = exp(sigma * z99), and mean = p50 * exp(sigma^2 / 2).
        d.sigma = std::log(values[1] / values[0]) / kNormal99;
        d.mean = values[0] * std::exp(0.5 * d.sigma * d.sigma);
        if (d.sigma > kSigmaRange.max) {
          add("out_of_range", field.pointer, as_written(json),
              fmt::format("p99 / p50 up to {:.2g}", std::exp(kSigmaRange.max * kNormal99)));
          return std::nullopt;
        }
        break;
      case DistributionKind::kEmpirical:
        break;
    }
    return d;
  }

  std::optional<Distribution> empirical(const Field& field, const Json& json) {
    const std::string at = field.pointer + "/quantiles";
    if (!json.contains("quantiles")) {
      add("missing_member", field.pointer, as_written(json), "", "add \"quantiles\"");
      return std::nullopt;
    }
    const Json& list = json.at("quantiles");
    if (!list.is_array() || list.empty() || list.size() > kMostPoints) {
      return wrong_type(at, list, fmt::format("an ascending list of 1 to {} values", kMostPoints));
    }
    Distribution d;
    d.kind = DistributionKind::kEmpirical;
    bool good = true;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string here = fmt::format("{}/{}", at, i);
      const auto value = measure(here, field.dimension, field.range, list[i], field.counted);
      if (!value) {
        good = false;
        continue;
      }
      if (!d.quantiles.empty() && *value < d.quantiles.back()) {
        add("not_ascending", here, as_written(list[i]), "at least the value before it");
        good = false;
      }
      d.quantiles.push_back(*value);
    }
    return good ? std::optional(d) : std::nullopt;
  }

  std::optional<std::vector<CurvePoint>> curve(const Field& field, const Json& json) {
    if (!json.is_array() || json.size() > kMostPoints) {
      return wrong_type(field.pointer, json, "a list of [gap, time] pairs like [[\"2.5 ms\", \"0.6 ms\"]]");
    }
    std::vector<CurvePoint> points;
    bool good = true;
    for (std::size_t i = 0; i < json.size(); ++i) {
      const std::string at = fmt::format("{}/{}", field.pointer, i);
      const Json& pair = json[i];
      if (!pair.is_array() || pair.size() != 2) {
        wrong_type(at, pair, "a pair like [\"2.5 ms\", \"0.6 ms\"]");
        good = false;
        continue;
      }
      const auto gap = measure(at + "/0", field.dimension, field.range, pair[0]);
      const auto time = measure(at + "/1", field.dimension, field.range, pair[1]);
      if (!gap || !time) {
        good = false;
        continue;
      }
      if (!points.empty() && *gap <= points.back().gap.base()) {
        add("not_ascending", at + "/0", as_written(pair[0]), "more than the gap before it");
        good = false;
      }
      points.push_back({seconds(*gap), seconds(*time)});
    }
    return good ? std::optional(points) : std::nullopt;
  }

  std::optional<std::vector<std::string>> text_list(const Field& field, const Json& json) {
    if (!json.is_array() || json.size() > kMostTexts) {
      return wrong_type(field.pointer, json, fmt::format("a list of up to {} strings", kMostTexts),
                        json.is_string() ? fmt::format("did you mean [{}]?", as_written(json)) : "");
    }
    std::vector<std::string> texts;
    bool good = true;
    for (std::size_t i = 0; i < json.size(); ++i) {
      if (json[i].is_string() && !json[i].get<std::string>().empty()) {
        texts.push_back(json[i].get<std::string>());
      } else {
        wrong_type(fmt::format("{}/{}", field.pointer, i), json[i], "a string that is not empty");
        good = false;
      }
    }
    return good ? std::optional(texts) : std::nullopt;
  }

  std::optional<LinearCost> linear_cost(const Field& field, const Json& json) {
    if (!json.is_object()) {
      const bool simple = json.is_string() && parse_quantity(field.dimension, json.get<std::string>()).base.has_value();
      return wrong_type(field.pointer, json, "an object with \"base\" and \"per_worker\"",
                        simple ? fmt::format("did you mean {{\"base\": {}}}?", as_written(json)) : "");
    }
    bool good = only_known(field, json, {"base", "per_worker"});
    LinearCost cost;
    if (json.contains("base")) {
      const auto base = measure(field.pointer + "/base", field.dimension, field.range, json.at("base"));
      good = good && base.has_value();
      cost.base = seconds(base.value_or(0.0));
    }
    if (json.contains("per_worker")) {
      const FieldRange growing = {0.0, field.range.max};
      const auto slope = measure(field.pointer + "/per_worker", field.dimension, growing, json.at("per_worker"));
      good = good && slope.has_value();
      cost.per_worker = seconds(slope.value_or(0.0));
    }
    return good ? std::optional(cost) : std::nullopt;
  }

  const std::string& file_;
  Findings& findings_;
};

// "a.json,b.json" as a JSON list.
Json split_at_commas(std::string_view text) {
  Json list = Json::array();
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    list.push_back(std::string(text.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
    if (text.empty()) list.push_back("");
  }
  return list;
}

// What split_at_commas() takes apart again; JSON where it would not.
std::string joined_by_commas(const std::vector<std::string>& texts) {
  std::string joined;
  bool plain = true;
  for (const std::string& text : texts) {
    plain = plain && text.find(',') == std::string::npos && text.find_first_of("{[\"") != 0;
    joined += (joined.empty() ? "" : ",") + text;
  }
  return plain ? joined : as_written(Json(texts));
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

}  // namespace

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

std::string range_text(Dimension dimension, const FieldRange& range, std::string_view counted) {
  const std::string max = bound_text(dimension, range.max, counted);
  if (range.min == range.max) return max;
  const std::string min = bound_text(dimension, range.min, counted);
  return range.min_excluded ? fmt::format("more than {}, up to {}", min, max) : fmt::format("{} to {}", min, max);
}

std::optional<FieldValue> value_from_json(const Field& field, const Json& json, const std::string& file,
                                          Findings& findings) {
  return Reader(file, findings).value(field, json);
}

std::optional<FieldValue> value_from_text(const Field& field, std::string_view text, const std::string& file,
                                          Findings& findings) {
  Reader reader(file, findings);
  const std::string got(text);
  if (field.kind == FieldKind::kText) return got;
  const bool bare_list = field.kind == FieldKind::kTextList && !text.starts_with('[');
  if (bare_list) return reader.value(field, split_at_commas(text));
  if (text.starts_with('{') || text.starts_with('[') || text.starts_with('"')) {
    const Loaded<Json> json = parse_json_text(text, file);
    for (Finding finding : json.findings.list()) {
      finding.pointer = field.pointer + finding.pointer;
      findings.add(std::move(finding));
    }
    if (!json.ok()) return std::nullopt;
    return reader.value(field, *json.value);
  }
  switch (field.kind) {
    case FieldKind::kInteger:
      return reader.integer_text(field, text, got);
    case FieldKind::kEnum:
      return reader.word_text(field, got, got);
    case FieldKind::kNumber:
    case FieldKind::kQuantity: {
      const auto number = reader.measure_text(field.pointer, field.dimension, field.range, text, got, field.counted);
      if (!number) return std::nullopt;
      return *number;
    }
    case FieldKind::kBoolean:
      if (text == "true" || text == "false") return text == "true";
      return reader.value(field, Json(got));
    default:
      return reader.value(field, Json(got));
  }
}

Json value_to_json(const Field& field, const FieldValue& value) {
  switch (field.kind) {
    case FieldKind::kText:
      return std::get<std::string>(value);
    case FieldKind::kInteger:
      return std::get<std::int64_t>(value);
    case FieldKind::kNumber:
      return std::get<double>(value);
    case FieldKind::kBoolean:
      return std::get<bool>(value);
    case FieldKind::kEnum:
      return field.words.at(static_cast<std::size_t>(std::get<std::int64_t>(value)));
    case FieldKind::kQuantity:
      return format_quantity(field.dimension, std::get<double>(value), field.counted);
    case FieldKind::kDistribution:
      return distribution_to_json(field, std::get<Distribution>(value));
    case FieldKind::kCurve: {
      Json list = Json::array();
      for (const CurvePoint& point : std::get<std::vector<CurvePoint>>(value)) {
        list.push_back(Json::array({format_quantity(Dimension::kTime, point.gap.base()),
                                    format_quantity(Dimension::kTime, point.time.base())}));
      }
      return list;
    }
    case FieldKind::kTextList:
      return std::get<std::vector<std::string>>(value);
    case FieldKind::kLinearCost:
      break;
  }
  const auto& cost = std::get<LinearCost>(value);
  return {{"base", format_quantity(Dimension::kTime, cost.base.base())},
          {"per_worker", format_quantity(Dimension::kTime, cost.per_worker.base())}};
}

std::string value_text(const Field& field, const FieldValue& value) {
  if (const double* number = std::get_if<double>(&value); number != nullptr && field.kind == FieldKind::kNumber) {
    return format_number(*number);
  }
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) return joined_by_commas(*texts);
  const Json json = value_to_json(field, value);
  return json.is_string() ? json.get<std::string>() : as_written(json);
}

}  // namespace stallcast
