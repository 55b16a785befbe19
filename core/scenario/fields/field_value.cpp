#include "core/scenario/fields/field_value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/diagnostics/json_input.h"
#include "core/scenario/fields/distribution_value.h"
#include "core/scenario/fields/measure_reader.h"
#include "core/scenario/fields/uncertain_input.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostPoints = 100000;  // of a curve
constexpr std::size_t kMostTexts = 64;       // of a list

// Values of every kind, from JSON and from what a person types.
class Reader {
 public:
  Reader(const std::string& file, Findings& findings) : in_(file, findings) {}

  std::optional<FieldValue> value(const Field& field, const Json& json) {
    const std::string& at = field.pointer;
    switch (field.kind) {
      case FieldKind::kText:
        if (json.is_string()) return json.get<std::string>();
        return in_.wrong_type(at, json, "a string",
                              json.is_number() ? fmt::format("did you mean \"{}\"?", written_json(json)) : "");
      case FieldKind::kBoolean:
        if (json.is_boolean()) return json.get<bool>();
        return in_.wrong_type(at, json, "true or false", boolean_fix(json));
      case FieldKind::kInteger:
        return integer(field, json);
      case FieldKind::kEnum:
        return word(field, json);
      case FieldKind::kNumber:
      case FieldKind::kQuantity:
        return lift(in_.measure(at, field.dimension, field.range, json, field.counted));
      case FieldKind::kDistribution:
        return lift(read_distribution(field, json, in_));
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
  std::optional<FieldValue> integer_text(const Field& field, std::string_view text, const std::string& got) {
    std::int64_t whole = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
    const bool is_whole = error == std::errc() && end == text.data() + text.size();
    if (is_whole) {
      if (!in_.in_range(field.pointer, Dimension::kCount, field.range, static_cast<double>(whole), got, ""))
        return std::nullopt;
      return whole;
    }
    // "1.28M", "1e6", or what is wrong with it.
    const auto number = in_.measure_text(field.pointer, Dimension::kCount, field.range, text, got, "");
    if (!number) return std::nullopt;
    return static_cast<std::int64_t>(*number);
  }

  std::optional<FieldValue> number_text(const Field& field, std::string_view text, const std::string& got) {
    return lift(in_.measure_text(field.pointer, field.dimension, field.range, text, got, field.counted));
  }

  std::optional<FieldValue> word_text(const Field& field, const std::string& text, const std::string& got) {
    const auto found = std::find(field.words.begin(), field.words.end(), text);
    if (found != field.words.end()) return std::distance(field.words.begin(), found);
    // "File-per-sample", "TFRecord": another spelling, or what people call the same.
    const std::string letters = plain_letters(text);
    for (std::size_t i = 0; i < field.words.size(); ++i)
      if (plain_letters(field.words[i]) == letters) return static_cast<std::int64_t>(i);
    for (const auto& [word, index] : field.other_words)
      if (plain_letters(word) == letters) return index;
    const std::string nearest = nearest_word(text, field.words);
    in_.error("unknown_word", field.pointer, got, name_list(text, field.words),
              nearest.empty() ? "" : fmt::format("did you mean \"{}\"?", nearest));
    return std::nullopt;
  }

 private:
  template <class T>
  static std::optional<FieldValue> lift(std::optional<T> value) {
    if (!value) return std::nullopt;
    return FieldValue(std::move(*value));
  }

  static std::string boolean_fix(const Json& json) {
    if (!json.is_string() && !json.is_number_integer()) return "";
    const std::string text = json.is_string() ? json.get<std::string>() : written_json(json);
    for (const std::string_view yes : {"true", "True", "yes", "on", "1"}) {
      if (text == yes) return "did you mean true?";
    }
    for (const std::string_view no : {"false", "False", "no", "off", "0"}) {
      if (text == no) return "did you mean false?";
    }
    return "";
  }

  std::optional<FieldValue> integer(const Field& field, const Json& json) {
    if (json.is_string()) return integer_text(field, json.get<std::string>(), written_json(json));  // "1.28M"
    if (!json.is_number()) return in_.wrong_type(field.pointer, json, "a whole number");
    return integer_text(field, written_json(json), written_json(json));
  }

  std::optional<FieldValue> word(const Field& field, const Json& json) {
    if (!json.is_string()) return in_.wrong_type(field.pointer, json, fmt::format("{}", fmt::join(field.words, ", ")));
    return word_text(field, json.get<std::string>(), written_json(json));
  }

  std::optional<std::vector<CurvePoint>> curve(const Field& field, const Json& json) {
    if (!json.is_array() || json.size() > kMostPoints) {
      return in_.wrong_type(field.pointer, json, "a list of [gap, time] pairs like [[\"2.5 ms\", \"0.6 ms\"]]");
    }
    std::vector<CurvePoint> points;
    bool good = true;
    for (std::size_t i = 0; i < json.size(); ++i) {
      const std::string at = fmt::format("{}/{}", field.pointer, i);
      const Json& pair = json[i];
      if (!pair.is_array() || pair.size() != 2) {
        in_.wrong_type(at, pair, "a pair like [\"2.5 ms\", \"0.6 ms\"]");
        good = false;
        continue;
      }
      const auto gap = in_.measure(at + "/0", field.dimension, field.range, pair[0]);
      const auto time = in_.measure(at + "/1", field.dimension, field.range, pair[1]);
      if (!gap || !time) {
        good = false;
        continue;
      }
      if (!points.empty() && *gap <= points.back().gap.base()) {
        in_.error("not_ascending", at + "/0", written_json(pair[0]), "more than the gap before it");
        good = false;
      }
      points.push_back({seconds(*gap), seconds(*time)});
    }
    return good ? std::optional(points) : std::nullopt;
  }

  std::optional<std::vector<std::string>> text_list(const Field& field, const Json& json) {
    if (!json.is_array() || json.size() > kMostTexts) {
      return in_.wrong_type(field.pointer, json, fmt::format("a list of up to {} strings", kMostTexts),
                            json.is_string() ? fmt::format("did you mean [{}]?", written_json(json)) : "");
    }
    std::vector<std::string> texts;
    bool good = true;
    for (std::size_t i = 0; i < json.size(); ++i) {
      if (json[i].is_string() && !json[i].get<std::string>().empty()) {
        texts.push_back(json[i].get<std::string>());
      } else {
        in_.wrong_type(fmt::format("{}/{}", field.pointer, i), json[i], "a string that is not empty");
        good = false;
      }
    }
    return good ? std::optional(texts) : std::nullopt;
  }

  std::optional<LinearCost> linear_cost(const Field& field, const Json& json) {
    if (!json.is_object()) {
      const bool simple = json.is_string() && parse_quantity(field.dimension, json.get<std::string>()).base.has_value();
      return in_.wrong_type(field.pointer, json, "an object with \"base\" and \"per_worker\"",
                            simple ? fmt::format("did you mean {{\"base\": {}}}?", written_json(json)) : "");
    }
    bool good = in_.only_known(field.pointer, json, {"base", "per_worker"});
    LinearCost cost;
    if (json.contains("base")) {
      const auto base = in_.measure(field.pointer + "/base", field.dimension, field.range, json.at("base"));
      good = good && base.has_value();
      cost.base = seconds(base.value_or(0.0));
    }
    if (json.contains("per_worker")) {
      const FieldRange growing = {0.0, field.range.max};
      const auto slope = in_.measure(field.pointer + "/per_worker", field.dimension, growing, json.at("per_worker"));
      good = good && slope.has_value();
      cost.per_worker = seconds(slope.value_or(0.0));
    }
    return good ? std::optional(cost) : std::nullopt;
  }

  MeasureReader in_;
};

// Whether a field or a member of one is set by `text`: "loader.num_workers=4".
bool is_assignment(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string pointer = field_pointer(text.substr(0, equals));
  return find_field(pointer) != nullptr || find_field(pointer.substr(0, pointer.rfind('/'))) != nullptr;
}

// "a.json,b.json" as a list. Values of an assignment have commas of their own: what follows one belongs to it up to the
// next, so "loader.num_workers=4,8,storage.capacity=valid" are two.
std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> list;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    if (!list.empty() && is_assignment(list.back()) && !is_assignment(part)) {
      list.back().append(",").append(part);
    } else {
      list.emplace_back(part);
    }
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
    if (text.empty()) list.emplace_back();
  }
  return list;
}

// What split_at_commas() takes apart again; JSON where it would not.
std::string joined_by_commas(const std::vector<std::string>& texts) {
  const std::string joined = fmt::format("{}", fmt::join(texts, ","));
  const bool plain = joined.find_first_of("{[\"") != 0 && split_at_commas(joined) == texts;
  return plain ? joined : written_json(Json(texts));
}

}  // namespace

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
  if (bare_list) return reader.value(field, Json(split_at_commas(text)));
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
    case FieldKind::kQuantity:
      return reader.number_text(field, text, got);
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
  return json.is_string() ? json.get<std::string>() : written_json(json);
}

}  // namespace stallcast
