#include "core/catalogue/record_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/catalogue/overlay.h"
#include "core/diagnostics/json_input.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> kEvidenceKinds = {"measured", "vendor", "assumed"};
const std::vector<std::string> kFactKeys = {"value", "low", "high", "source", "kind", "note", "others", "reason"};
const std::vector<std::string> kPriceKeys = {"value", "per", "source", "kind", "note", "others", "reason"};
const std::vector<std::string> kOtherKeys = {"value", "source", "note"};
const std::vector<std::string> kSourceKeys = {"title", "locator", "read", "as_of"};
const std::vector<std::string> kCommonKeys = {"kind",   "name",    "title",   "status", "status_note",
                                              "region", "extends", "sources", "facts",  "prices"};

std::string shown(const Json& value) {
  // Replacing what is not UTF-8 keeps dump() from throwing.
  return value.is_string() ? fmt::format("\"{}\"", value.get<std::string>())
                           : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// A fact's value as people read it.
std::string value_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object() && value.contains("base") && value.contains("per_worker")) {
    return fmt::format("{} + {} per worker", value_text(value["base"]), value_text(value["per_worker"]));
  }
  if (value.is_array()) {
    std::string text;
    for (const Json& point : value) {
      if (!text.empty()) text += ", ";
      text += point.is_array() && point.size() == 2
                  ? fmt::format("{} -> {}", value_text(point[0]), value_text(point[1]))
                  : value_text(point);
    }
    return text;
  }
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string list_of(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

std::string string_member(const Json& object, const std::string& key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// "$0.0001917808" without the sign: a price keeps its digits, since money is exact. "" when it is no plain decimal.
std::string decimal_digits(const Json& value) {
  std::string text = value_text(value);
  if (const std::size_t usd = text.find("USD"); usd != std::string::npos) text.erase(usd, 3);
  std::erase_if(text, [](char c) { return c == '$' || c == ' '; });
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  return plain && std::count(text.begin(), text.end(), '.') <= 1 ? text : "";
}

}  // namespace

RecordReader::RecordReader(const Json& document, Record& record, Findings& findings)
    : document_(document), record_(record), findings_(findings) {
  asked_keys_.insert(kCommonKeys.begin(), kCommonKeys.end());
  record_.kind = string_member(document_, "kind");
  record_.name = string_member(document_, "name");
  record_.title = string_member(document_, "title");
  record_.status_note = string_member(document_, "status_note");
  record_.region = string_member(document_, "region");
  record_.extends = string_member(document_, "extends");
  record_.status = word("status", {"current", "legacy"});
  if (record_.title.empty()) error("missing_key", "/title", "nothing", "what the record describes, in a few words");
  read_sources();
  if (const auto facts = document_.find("facts"); facts != document_.end() && facts->is_object()) {
    collect_rows(*facts, "/facts", "");
  } else {
    error("missing_key", "/facts", facts == document_.end() ? "nothing" : shown(*facts), "an object of facts");
  }
  read_prices();
}

void RecordReader::error(const std::string& code, const std::string& pointer, const std::string& got,
                         const std::string& allowed, const std::string& fix, const std::string& why) {
  findings_.add({Severity::kError, code, record_.file, pointer, got, allowed, fix, why});
}

void RecordReader::missing(const std::string& path) {
  if (find_fact(path) != nullptr) return;  // it is there and was reported as unreadable
  error("missing_number", "/facts/" + path, "nothing", "a fact: {\"value\": ..., \"source\": ..., \"kind\": ...}");
}

std::string RecordReader::word_or(const std::string& key, const std::vector<std::string>& allowed,
                                  const std::string& otherwise) {
  asked_keys_.insert(key);
  return document_.contains(key) ? word(key, allowed) : otherwise;
}

std::string RecordReader::word(const std::string& key, const std::vector<std::string>& allowed) {
  const std::string value = text(key);
  if (value.empty() || std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return value;
  const std::string near = nearest_word(value, allowed);
  error("not_one_of", "/" + key, fmt::format("\"{}\"", value), list_of(allowed),
        near.empty() ? "" : fmt::format("did you mean \"{}\"?", near));
  return allowed.front();
}

std::string RecordReader::text(const std::string& key) {
  asked_keys_.insert(key);
  const auto found = document_.find(key);
  if (found == document_.end() || !found->is_string() || found->get<std::string>().empty()) {
    error("missing_key", "/" + key, found == document_.end() ? "nothing" : shown(*found), "a text");
    return "";
  }
  return found->get<std::string>();
}

bool RecordReader::flag(const std::string& key, bool default_value) {
  asked_keys_.insert(key);
  const auto found = document_.find(key);
  if (found == document_.end()) return default_value;
  if (!found->is_boolean()) {
    error("wrong_type", "/" + key, shown(*found), "true or false");
    return default_value;
  }
  return found->get<bool>();
}

void RecordReader::read_sources() {
  const auto sources = document_.find("sources");
  if (sources == document_.end() || !sources->is_object()) return;  // every fact will be sourceless
  for (const auto& [key, source] : sources->items()) {
    const std::string pointer = "/sources/" + pointer_token(key);
    if (!source.is_object()) {
      error("wrong_type", pointer, shown(source), "an object with title, locator and read");
      continue;
    }
    for (const auto& [member, value] : source.items()) {
      if (std::find(kSourceKeys.begin(), kSourceKeys.end(), member) == kSourceKeys.end()) {
        error("unknown_key", pointer + "/" + pointer_token(member), shown(value), list_of(kSourceKeys));
      }
    }
    Source read = {string_member(source, "title"), string_member(source, "locator"), string_member(source, "read"),
                   string_member(source, "as_of")};
    if (read.title.empty() || read.locator.empty() || read.read.empty()) {
      findings_.add({Severity::kWarning, "incomplete_source", record_.file, pointer, shown(source),
                     "title, locator and the date it was read", "", "without them nobody can check the number"});
    }
    record_.sources.emplace(key, std::move(read));
  }
}

Evidence RecordReader::evidence_of(const Json& fact, const std::string& pointer) {
  Evidence evidence{string_member(fact, "kind"), "", string_member(fact, "note"), string_member(fact, "reason")};
  const std::string key = string_member(fact, "source");
  const auto source = record_.sources.find(key);
  if (source != record_.sources.end()) evidence.source = source->second.text();
  if (!judged_.insert(pointer).second) return evidence;

  if (key.empty() || evidence.kind.empty()) {
    findings_.add({Severity::kWarning, "sourceless_number", record_.file, pointer,
                   fmt::format("{} without {}", value_text(fact["value"]), key.empty() ? "a source" : "a kind"),
                   "\"source\": a key of /sources; \"kind\": " + list_of(kEvidenceKinds), "", ""});
  } else {
    source_text(key, pointer);
  }
  if (!evidence.kind.empty() &&
      std::find(kEvidenceKinds.begin(), kEvidenceKinds.end(), evidence.kind) == kEvidenceKinds.end()) {
    error("not_one_of", pointer + "/kind", fmt::format("\"{}\"", evidence.kind), list_of(kEvidenceKinds));
  }
  return evidence;
}

// The source called `key`, or "" and a finding.
std::string RecordReader::source_text(const std::string& key, const std::string& pointer) {
  const auto source = record_.sources.find(key);
  if (source != record_.sources.end()) return source->second.text();
  std::vector<std::string> keys;
  for (const auto& entry : record_.sources) keys.push_back(entry.first);
  const std::string near = nearest_word(key, keys);
  error("unknown_source", pointer + "/source", fmt::format("\"{}\"", key), list_of(keys),
        near.empty() ? "" : fmt::format("did you mean \"{}\"?", near));
  return "";
}

std::vector<OtherValue> RecordReader::others_of(const Json& fact, const std::string& pointer) {
  std::vector<OtherValue> others;
  const auto found = fact.find("others");
  if (found == fact.end()) return others;
  if (!found->is_array() || found->empty()) {
    error("wrong_type", pointer + "/others", shown(*found), R"([{"value": "1 GB/s", "source": "guide"}, ...])");
    return others;
  }
  if (string_member(fact, "reason").empty()) {
    error("missing_key", pointer + "/reason", "nothing", "why this value was chosen over the others");
  }
  for (std::size_t i = 0; i < found->size(); ++i) {
    const Json& other = (*found)[i];
    const std::string here = fmt::format("{}/others/{}", pointer, i);
    if (!is_fact(other)) {
      error("wrong_type", here, shown(other), R"({"value": "1 GB/s", "source": "guide"})");
      continue;
    }
    for (const auto& [member, value] : other.items()) {
      if (std::find(kOtherKeys.begin(), kOtherKeys.end(), member) == kOtherKeys.end()) {
        error("unknown_key", here + "/" + pointer_token(member), shown(value), list_of(kOtherKeys));
      }
    }
    others.push_back(
        {value_text(other["value"]), source_text(string_member(other, "source"), here), string_member(other, "note")});
  }
  return others;
}

void RecordReader::collect_rows(const Json& group, const std::string& pointer, const std::string& name) {
  for (const auto& [key, node] : group.items()) {
    const std::string here = pointer + "/" + pointer_token(key);
    const std::string full = name.empty() ? key : name + "/" + key;
    if (is_fact(node)) {
      for (const auto& [member, value] : node.items()) {
        if (std::find(kFactKeys.begin(), kFactKeys.end(), member) == kFactKeys.end()) {
          const std::string near = nearest_word(member, kFactKeys);
          error("unknown_key", here + "/" + pointer_token(member), shown(value), list_of(kFactKeys),
                near.empty() ? "" : fmt::format("did you mean \"{}\"?", near));
        }
      }
      record_.rows.push_back({here, full, value_text(node["value"]), evidence_of(node, here),
                              string_member(node, "source"), false, others_of(node, here), Dimension::kNone,
                              std::nullopt, record_.file});
    } else if (node.is_object()) {
      collect_rows(node, here, full);
    } else {
      error("not_a_fact", here, shown(node), "a fact: {\"value\": ..., \"source\": ..., \"kind\": ...}", "",
            "every number says where it came from");
    }
  }
}

void RecordReader::read_prices() {
  const auto prices = document_.find("prices");
  if (prices == document_.end()) return;
  if (!prices->is_object()) {
    error("wrong_type", "/prices", shown(*prices), "an object of prices");
    return;
  }
  for (const auto& [key, node] : prices->items()) {
    const std::string pointer = "/prices/" + pointer_token(key);
    if (!is_fact(node)) {
      error("not_a_fact", pointer, shown(node),
            "a price: {\"value\": \"$1\", \"per\": \"hour\", \"source\": ..., \"kind\": ...}");
      continue;
    }
    for (const auto& [member, value] : node.items()) {
      if (std::find(kPriceKeys.begin(), kPriceKeys.end(), member) == kPriceKeys.end()) {
        error("unknown_key", pointer + "/" + pointer_token(member), shown(value), list_of(kPriceKeys));
      }
    }
    Price price{"", string_member(node, "per"), evidence_of(node, pointer)};
    if (price.per.empty()) {
      error("missing_key", pointer + "/per", "nothing", list_of(price_units()));
    } else if (std::find(price_units().begin(), price_units().end(), price.per) == price_units().end()) {
      const std::string near = nearest_word(price.per, price_units());
      error("not_one_of", pointer + "/per", fmt::format("\"{}\"", price.per), list_of(price_units()),
            near.empty() ? "" : fmt::format("did you mean \"{}\"?", near));
    }
    const std::optional<double> usd = parse(node["value"], Dimension::kUsd, pointer + "/value");
    if (usd) {
      price.amount = decimal_digits(node["value"]);
      if (price.amount.empty()) {
        error("wrong_type", pointer + "/value", shown(node["value"]), "a decimal number of dollars, like \"$0.0004\"");
      }
    }
    record_.rows.push_back({pointer, "price/" + key, fmt::format("{} per {}", value_text(node["value"]), price.per),
                            price.evidence, string_member(node, "source"), true, others_of(node, pointer),
                            Dimension::kUsd, usd, record_.file});
    record_.prices.emplace(key, std::move(price));
  }
}

const Json* RecordReader::find_fact(const std::string& path) {
  asked_.insert(path);
  const auto facts = document_.find("facts");
  if (facts == document_.end()) return nullptr;
  const Json* node = &*facts;
  std::size_t start = 0;
  while (start <= path.size()) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    if (!node->is_object()) return nullptr;
    const auto found = node->find(path.substr(start, end - start));
    if (found == node->end()) return nullptr;
    node = &*found;
    start = end + 1;
  }
  return is_fact(*node) ? node : nullptr;
}

std::optional<double> RecordReader::parse(const Json& value, Dimension dimension, const std::string& pointer) {
  const bool plain =
      dimension == Dimension::kNone || dimension == Dimension::kCount || dimension == Dimension::kFraction;
  std::string text;
  if (value.is_string()) {
    text = value.get<std::string>();
  } else if (plain && value.is_number()) {
    text = value.dump();
  } else {
    error(value.is_number() ? "missing_unit" : "wrong_type", pointer, shown(value),
          std::string(allowed_text(dimension)), fmt::format("write for example \"{}\"", example_text(dimension)));
    return std::nullopt;
  }
  const QuantityReading reading = parse_quantity(dimension, text);
  if (reading.base) return reading.base;
  error(reading.error_code, pointer, shown(value), reading.allowed, reading.fix, reading.why);
  return std::nullopt;
}

MaybeFact<double> RecordReader::scalar(const std::string& path, Dimension dimension) {
  const Json* fact = find_fact(path);
  if (fact == nullptr) return std::nullopt;
  const std::string pointer = "/facts/" + path;
  const auto value = parse((*fact)["value"], dimension, pointer + "/value");
  if (!value) return std::nullopt;
  Evidence evidence = evidence_of(*fact, pointer);
  read_interval(*fact, dimension, *value, pointer, evidence);
  note_value(path, dimension, *value, evidence);
  return Fact<double>{*value, std::move(evidence)};
}

// "low" and "high" of a fact, the ends of its 90 % interval.
void RecordReader::read_interval(const Json& fact, Dimension dimension, double value, const std::string& pointer,
                                 Evidence& evidence) {
  const auto end = [&](const char* key, bool below, double& factor) {
    if (!fact.contains(key)) return;
    const auto bound = parse(fact[key], dimension, pointer + "/" + key);
    if (!bound) return;
    if (value > 0.0 && *bound > 0.0 && (below ? *bound <= value : *bound >= value)) {
      factor = *bound / value;
    } else {
      error("out_of_range", pointer + "/" + key, shown(fact[key]),
            fmt::format("{} {}", below ? "above 0, at most" : "at least", shown(fact["value"])), "",
            "low and high are the 90 % interval of the value");
    }
  };
  end("low", true, evidence.low_factor);
  end("high", false, evidence.high_factor);
}

void RecordReader::note_value(const std::string& path, Dimension dimension, double value, const Evidence& evidence) {
  const auto row = std::find_if(record_.rows.begin(), record_.rows.end(),
                                [&](const FactRow& r) { return !r.is_price && r.name == path; });
  if (row == record_.rows.end()) return;
  row->dimension = dimension;
  row->value = value;
  row->evidence = evidence;
}

MaybeFact<std::int64_t> RecordReader::count(const std::string& path) {
  const auto number = scalar(path, Dimension::kCount);
  if (!number) return std::nullopt;
  if (number->value > 9e15) {
    error("out_of_range", "/facts/" + path + "/value", fmt::format("{}", number->value), "a count up to 9e15");
    return std::nullopt;
  }
  return Fact<std::int64_t>{static_cast<std::int64_t>(number->value), number->evidence};
}

MaybeFact<WorkerCost> RecordReader::worker_cost(const std::string& path) {
  const Json* fact = find_fact(path);
  if (fact == nullptr) return std::nullopt;
  const std::string pointer = "/facts/" + path + "/value";
  const Json& value = (*fact)["value"];
  if (!value.is_object() || !value.contains("base") || !value.contains("per_worker") || value.size() != 2) {
    error("wrong_type", pointer, shown(value), R"({"base": "8 ms", "per_worker": "11 ms"})");
    return std::nullopt;
  }
  // A straight line fitted to measurements may start below 0.
  const Json& base = value["base"];
  const bool negative = base.is_string() && base.get<std::string>().starts_with("-");
  const auto start =
      parse(negative ? Json(base.get<std::string>().substr(1)) : base, Dimension::kTime, pointer + "/base");
  const auto slope = parse(value["per_worker"], Dimension::kTime, pointer + "/per_worker");
  if (!start || !slope) return std::nullopt;
  return Fact<WorkerCost>{{seconds(negative ? -*start : *start), seconds(*slope)},
                          evidence_of(*fact, "/facts/" + path)};
}

MaybeFact<std::vector<GapTime>> RecordReader::curve(const std::string& path) {
  const Json* fact = find_fact(path);
  if (fact == nullptr) return std::nullopt;
  const std::string pointer = "/facts/" + path + "/value";
  const Json& value = (*fact)["value"];
  if (!value.is_array() || value.empty()) {
    error("wrong_type", pointer, shown(value), R"([["10 ms", "1 ms"], ...])");
    return std::nullopt;
  }
  std::vector<GapTime> points;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string here = fmt::format("{}/{}", pointer, i);
    if (!value[i].is_array() || value[i].size() != 2) {
      error("wrong_type", here, shown(value[i]), R"(["10 ms", "1 ms"])");
      return std::nullopt;
    }
    const auto gap = parse(value[i][0], Dimension::kTime, here + "/0");
    const auto time = parse(value[i][1], Dimension::kTime, here + "/1");
    if (!gap || !time) return std::nullopt;
    if (!points.empty() && *gap <= points.back().gap.base()) {
      error("not_ascending", here + "/0", shown(value[i][0]), "a longer gap than the one before");
      return std::nullopt;
    }
    points.push_back({seconds(*gap), seconds(*time)});
  }
  return Fact<std::vector<GapTime>>{std::move(points), evidence_of(*fact, "/facts/" + path)};
}

std::vector<std::string> RecordReader::members(const std::string& path) {
  std::vector<std::string> names;
  const auto facts = document_.find("facts");
  if (facts == document_.end() || !facts->is_object()) return names;
  const auto group = facts->find(path);
  if (group == facts->end() || !group->is_object() || is_fact(*group)) return names;
  for (const auto& [key, node] : group->items()) {
    if (is_fact(node) && key.find('/') == std::string::npos) names.push_back(key);
  }
  return names;
}

std::vector<std::string> RecordReader::groups(const std::string& path) {
  std::vector<std::string> names;
  const auto facts = document_.find("facts");
  if (facts == document_.end() || !facts->is_object()) return names;
  const auto group = facts->find(path);
  if (group == facts->end() || !group->is_object()) return names;
  for (const auto& [key, node] : group->items()) {
    if (node.is_object() && !is_fact(node) && key.find('/') == std::string::npos) names.push_back(key);
  }
  return names;
}

std::vector<RecordReader::Entry> RecordReader::entries(const std::string& key,
                                                       const std::vector<std::string>& allowed) {
  asked_keys_.insert(key);
  std::vector<Entry> out;
  const auto list = document_.find(key);
  if (list == document_.end()) return out;
  const std::string pointer = "/" + pointer_token(key);
  if (!list->is_array()) {
    error("wrong_type", pointer, shown(*list), "a list of objects");
    return out;
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Json& object = (*list)[i];
    const std::string here = fmt::format("{}/{}", pointer, i);
    if (!object.is_object()) {
      error("wrong_type", here, shown(object), "an object");
      continue;
    }
    for (const auto& [member, value] : object.items()) {
      if (std::find(allowed.begin(), allowed.end(), member) != allowed.end()) continue;
      const std::string near = nearest_word(member, allowed);
      error("unknown_key", here + "/" + pointer_token(member), shown(value), list_of(allowed),
            near.empty() ? "" : fmt::format("did you mean \"{}\"?", near));
    }
    out.push_back({object, here});
  }
  return out;
}

std::optional<double> RecordReader::quantity_of(const Entry& entry, const std::string& key, Dimension dimension) {
  const auto found = entry.object.find(key);
  if (found == entry.object.end()) return std::nullopt;
  return parse(*found, dimension, entry.pointer + "/" + key);
}

std::string RecordReader::text_of(const Entry& entry, const std::string& key) {
  const auto found = entry.object.find(key);
  if (found == entry.object.end()) return "";
  if (!found->is_string()) error("wrong_type", entry.pointer + "/" + key, shown(*found), "a text");
  return string_member(entry.object, key);
}

std::string RecordReader::source_of(const Entry& entry) {
  const std::string key = text_of(entry, "source");
  if (!key.empty()) return source_text(key, entry.pointer);
  error("missing_key", entry.pointer + "/source", "nothing", "a key of /sources", "",
        "without one nobody can check the number");
  return "";
}

void RecordReader::finish() {
  const std::vector<std::string> keys(asked_keys_.begin(), asked_keys_.end());
  for (const auto& [key, value] : document_.items()) {
    if (asked_keys_.count(key) != 0) continue;
    const std::string near = nearest_word(key, keys);
    error("unknown_key", "/" + pointer_token(key), shown(value), list_of(keys),
          near.empty() ? "" : fmt::format("did you mean \"{}\"?", near));
  }
  const std::vector<std::string> facts(asked_.begin(), asked_.end());
  for (const FactRow& row : record_.rows) {
    if (row.is_price || asked_.count(row.name) != 0) continue;
    const std::string near = nearest_word(row.name, facts);
    error("unknown_key", row.pointer, row.text, list_of(facts),
          near.empty() ? "" : fmt::format("did you mean \"{}\"?", near));
  }
}

}  // namespace stallcast
