#include "core/catalogue/records/record_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string shown_json(const Json& value) {
  // Replacing what is not UTF-8 keeps dump() from throwing.
  return value.is_string() ? fmt::format("\"{}\"", value.get<std::string>())
                           : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string fact_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object() && value.contains("base") && value.contains("per_worker")) {
    return fmt::format("{} + {} per worker", fact_text(value["base"]), fact_text(value["per_worker"]));
  }
  if (value.is_array()) {
    std::string text;
    for (const Json& point : value) {
      if (!text.empty()) text += ", ";
      text += point.is_array() && point.size() == 2 ? fmt::format("{} -> {}", fact_text(point[0]), fact_text(point[1]))
                                                    : fact_text(point);
    }
    return text;
  }
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string word_list(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

std::string text_member(const Json& object, const std::string& key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace stallcast
