#include "core/report/document/document.h"

#include "core/cost/money/money.h"
#include "core/diagnostics/invariant.h"
#include "core/report/words/text_layout.h"
#include "core/units/rounded.h"

namespace stallcast {
namespace {

std::string number_text(double value, Dimension dimension) {
  switch (dimension) {
    case Dimension::kFraction:
      return percent(value);
    case Dimension::kUsd:
      return usd_text(value);
    case Dimension::kUsdPerHour:
      return usd_text(value) + "/h";
    case Dimension::kTime:
      return value == 0.0 ? "0 s" : duration_text(value);
    case Dimension::kCount:
      return format_number(value);
    case Dimension::kNone:
      return format_number(rounded(value));
    default:
      return value == 0.0 ? "0" : short_text(dimension, value);
  }
}

}  // namespace

Words number(const nlohmann::ordered_json& data, const std::string& pointer, Dimension dimension) {
  const nlohmann::ordered_json::json_pointer at(pointer);
  if (!data.contains(at)) invariant(false, ("number: nothing at " + pointer).c_str());
  const nlohmann::ordered_json& value = data.at(at);
  Words words;
  words.pointer = pointer;
  if (value.is_null()) {
    words.text = "unknown";
    return words;
  }
  if (!value.is_number()) invariant(false, ("number: no number at " + pointer).c_str());
  words.value = value.get<double>();
  words.text = number_text(*words.value, dimension);
  return words;
}

}  // namespace stallcast
