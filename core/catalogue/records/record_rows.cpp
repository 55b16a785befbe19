// What every number of a record says of itself: its sources and evidence, and the rows that list all of them.
#include <fmt/format.h>

#include <algorithm>

#include "core/catalogue/records/overlay.h"
#include "core/catalogue/records/record_json.h"
#include "core/catalogue/records/record_reader.h"
#include "core/diagnostics/json_input.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> kEvidenceKinds = {"measured", "vendor", "assumed"};
const std::vector<std::string> kFactKeys = {"value", "low",    "high",   "source",    "kind",
                                            "note",  "others", "reason", "core_speed"};
const std::vector<std::string> kPriceKeys = {"value", "per", "source", "kind", "note", "others", "reason"};
const std::vector<std::string> kOtherKeys = {"value", "source", "note"};
const std::vector<std::string> kSourceKeys = {"title", "locator", "read", "as_of"};

// "$0.0001917808" without the sign: a price keeps its digits, since money is exact. "" when it is no plain decimal.
std::string decimal_digits(const Json& value) {
  std::string text = fact_text(value);
  if (const std::size_t usd = text.find("USD"); usd != std::string::npos) text.erase(usd, 3);
  std::erase_if(text, [](char c) { return c == '$' || c == ' '; });
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  return plain && std::count(text.begin(), text.end(), '.') <= 1 ? text : "";
}

}  // namespace

void RecordReader::read_sources() {
  const auto sources = document_.find("sources");
  if (sources == document_.end() || !sources->is_object()) return;  // every fact will be sourceless
  for (const auto& [key, source] : sources->items()) {
    const std::string pointer = "/sources/" + pointer_token(key);
    if (!source.is_object()) {
      error("wrong_type", pointer, shown_json(source), "an object with title, locator and read");
      continue;
    }
    for (const auto& [member, value] : source.items()) {
      if (std::find(kSourceKeys.begin(), kSourceKeys.end(), member) == kSourceKeys.end()) {
        error("unknown_key", pointer + "/" + pointer_token(member), shown_json(value), word_list(kSourceKeys));
      }
    }
    Source read = {text_member(source, "title"), text_member(source, "locator"), text_member(source, "read"),
                   text_member(source, "as_of")};
    if (read.title.empty() || read.locator.empty() || read.read.empty()) {
      findings_.add({Severity::kWarning, "incomplete_source", record_.file, pointer, shown_json(source),
                     "title, locator and the date it was read", "", "without them nobody can check the number"});
    }
    record_.sources.emplace(key, std::move(read));
  }
}

Evidence RecordReader::evidence_of(const Json& fact, const std::string& pointer) {
  Evidence evidence{text_member(fact, "kind"), "", text_member(fact, "note"), text_member(fact, "reason")};
  const std::string key = text_member(fact, "source");
  const auto source = record_.sources.find(key);
  if (source != record_.sources.end()) evidence.source = source->second.text();
  if (const auto speed = fact.find("core_speed"); speed != fact.end() && speed->is_number())
    evidence.core_speed = speed->get<double>();
  if (!judged_.insert(pointer).second) return evidence;

  if (key.empty() || evidence.kind.empty()) {
    findings_.add({Severity::kWarning, "sourceless_number", record_.file, pointer,
                   fmt::format("{} without {}", fact_text(fact["value"]), key.empty() ? "a source" : "a kind"),
                   "\"source\": a key of /sources; \"kind\": " + word_list(kEvidenceKinds), "", ""});
  } else {
    source_text(key, pointer);
  }
  if (const auto speed = fact.find("core_speed"); speed != fact.end() && !(evidence.core_speed > 0.0)) {
    error("wrong_type", pointer + "/core_speed", shown_json(*speed), "a number above 0",
          "that of the core which this time holds for, as in models/cpus");
  }
  if (!evidence.kind.empty() &&
      std::find(kEvidenceKinds.begin(), kEvidenceKinds.end(), evidence.kind) == kEvidenceKinds.end()) {
    error("not_one_of", pointer + "/kind", fmt::format("\"{}\"", evidence.kind), word_list(kEvidenceKinds));
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
  error("unknown_source", pointer + "/source", fmt::format("\"{}\"", key), word_list(keys),
        near.empty() ? "" : fmt::format("did you mean \"{}\"?", near));
  return "";
}

std::vector<OtherValue> RecordReader::others_of(const Json& fact, const std::string& pointer) {
  std::vector<OtherValue> others;
  const auto found = fact.find("others");
  if (found == fact.end()) return others;
  if (!found->is_array() || found->empty()) {
    error("wrong_type", pointer + "/others", shown_json(*found), R"([{"value": "1 GB/s", "source": "guide"}, ...])");
    return others;
  }
  if (text_member(fact, "reason").empty()) {
    error("missing_key", pointer + "/reason", "nothing", "why this value was chosen over the others");
  }
  for (std::size_t i = 0; i < found->size(); ++i) {
    const Json& other = (*found)[i];
    const std::string here = fmt::format("{}/others/{}", pointer, i);
    if (!is_fact(other)) {
      error("wrong_type", here, shown_json(other), R"({"value": "1 GB/s", "source": "guide"})");
      continue;
    }
    for (const auto& [member, value] : other.items()) {
      if (std::find(kOtherKeys.begin(), kOtherKeys.end(), member) == kOtherKeys.end()) {
        error("unknown_key", here + "/" + pointer_token(member), shown_json(value), word_list(kOtherKeys));
      }
    }
    others.push_back(
        {fact_text(other["value"]), source_text(text_member(other, "source"), here), text_member(other, "note")});
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
          error("unknown_key", here + "/" + pointer_token(member), shown_json(value), word_list(kFactKeys),
                near.empty() ? "" : fmt::format("did you mean \"{}\"?", near));
        }
      }
      record_.rows.push_back({here, full, fact_text(node["value"]), evidence_of(node, here),
                              text_member(node, "source"), false, others_of(node, here), Dimension::kNone, std::nullopt,
                              record_.file});
    } else if (node.is_object()) {
      collect_rows(node, here, full);
    } else {
      error("not_a_fact", here, shown_json(node), "a fact: {\"value\": ..., \"source\": ..., \"kind\": ...}", "",
            "every number says where it came from");
    }
  }
}

void RecordReader::read_prices() {
  const auto prices = document_.find("prices");
  if (prices == document_.end()) return;
  if (!prices->is_object()) {
    error("wrong_type", "/prices", shown_json(*prices), "an object of prices");
    return;
  }
  for (const auto& [key, node] : prices->items()) {
    const std::string pointer = "/prices/" + pointer_token(key);
    if (!is_fact(node)) {
      error("not_a_fact", pointer, shown_json(node),
            "a price: {\"value\": \"$1\", \"per\": \"hour\", \"source\": ..., \"kind\": ...}");
      continue;
    }
    for (const auto& [member, value] : node.items()) {
      if (std::find(kPriceKeys.begin(), kPriceKeys.end(), member) == kPriceKeys.end()) {
        error("unknown_key", pointer + "/" + pointer_token(member), shown_json(value), word_list(kPriceKeys));
      }
    }
    Price price{"", text_member(node, "per"), evidence_of(node, pointer)};
    if (price.per.empty()) {
      error("missing_key", pointer + "/per", "nothing", word_list(price_units()));
    } else if (std::find(price_units().begin(), price_units().end(), price.per) == price_units().end()) {
      const std::string near = nearest_word(price.per, price_units());
      error("not_one_of", pointer + "/per", fmt::format("\"{}\"", price.per), word_list(price_units()),
            near.empty() ? "" : fmt::format("did you mean \"{}\"?", near));
    }
    const std::optional<double> usd = parse(node["value"], Dimension::kUsd, pointer + "/value");
    if (usd) {
      price.amount = decimal_digits(node["value"]);
      if (price.amount.empty()) {
        error("wrong_type", pointer + "/value", shown_json(node["value"]),
              "a decimal number of dollars, like \"$0.0004\"");
      }
    }
    record_.rows.push_back({pointer, "price/" + key, fmt::format("{} per {}", fact_text(node["value"]), price.per),
                            price.evidence, text_member(node, "source"), true, others_of(node, pointer),
                            Dimension::kUsd, usd, record_.file});
    record_.prices.emplace(key, std::move(price));
  }
}

}  // namespace stallcast
