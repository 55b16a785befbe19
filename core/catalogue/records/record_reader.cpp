#include "core/catalogue/records/record_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/catalogue/records/record_json.h"
#include "core/diagnostics/json_input.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> kCommonKeys = {"kind",    "name",    "title", "status", "status_note", "region",
                                              "extends", "sources", "facts", "prices", "aliases",     "usual_for"};

}  // namespace

RecordReader::RecordReader(const Json& document, Record& record, Findings& findings)
    : document_(document), record_(record), findings_(findings) {
  asked_keys_.insert(kCommonKeys.begin(), kCommonKeys.end());
  record_.kind = text_member(document_, "kind");
  record_.name = text_member(document_, "name");
  record_.title = text_member(document_, "title");
  record_.status_note = text_member(document_, "status_note");
  record_.region = text_member(document_, "region");
  record_.extends = text_member(document_, "extends");
  record_.aliases = names("aliases");
  record_.usual_for = names("usual_for");
  record_.status = word("status", {"current", "legacy"});
  if (record_.title.empty()) error("missing_key", "/title", "nothing", "what the record describes, in a few words");
  read_sources();
  if (const auto facts = document_.find("facts"); facts != document_.end() && facts->is_object()) {
    collect_rows(*facts, "/facts", "");
  } else {
    error("missing_key", "/facts", facts == document_.end() ? "nothing" : shown_json(*facts), "an object of facts");
  }
  read_prices();
}

void RecordReader::error(const std::string& code, const std::string& pointer, const std::string& got,
                         const std::string& allowed, const std::string& fix, const std::string& why) {
  findings_.add({Severity::kError, code, record_.file, pointer, got, allowed, fix, why});
}

std::vector<std::string> RecordReader::names(const std::string& key) {
  std::vector<std::string> out;
  const auto found = document_.find(key);
  if (found == document_.end()) return out;
  const auto good = [](const Json& name) {
    return name.is_string() && !plain_letters(name.get<std::string>()).empty();
  };
  if (found->is_array() && std::all_of(found->begin(), found->end(), good)) {
    for (const Json& name : *found) out.push_back(name.get<std::string>());
  } else {
    error("wrong_type", "/" + key, shown_json(*found), "a list of names like [\"S3\", \"Amazon S3\"]");
  }
  return out;
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
  error("not_one_of", "/" + key, fmt::format("\"{}\"", value), word_list(allowed),
        near.empty() ? "" : fmt::format("did you mean \"{}\"?", near));
  return allowed.front();
}

std::string RecordReader::text_or(const std::string& key, const std::string& otherwise) {
  asked_keys_.insert(key);
  return document_.contains(key) ? text(key) : otherwise;
}

std::string RecordReader::text(const std::string& key) {
  asked_keys_.insert(key);
  const auto found = document_.find(key);
  if (found == document_.end() || !found->is_string() || found->get<std::string>().empty()) {
    error("missing_key", "/" + key, found == document_.end() ? "nothing" : shown_json(*found), "a text");
    return "";
  }
  return found->get<std::string>();
}

bool RecordReader::flag(const std::string& key, bool default_value) {
  asked_keys_.insert(key);
  const auto found = document_.find(key);
  if (found == document_.end()) return default_value;
  if (!found->is_boolean()) {
    error("wrong_type", "/" + key, shown_json(*found), "true or false");
    return default_value;
  }
  return found->get<bool>();
}

std::vector<RecordReader::Entry> RecordReader::entries(const std::string& key,
                                                       const std::vector<std::string>& allowed) {
  asked_keys_.insert(key);
  std::vector<Entry> out;
  const auto list = document_.find(key);
  if (list == document_.end()) return out;
  const std::string pointer = "/" + pointer_token(key);
  if (!list->is_array()) {
    error("wrong_type", pointer, shown_json(*list), "a list of objects");
    return out;
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Json& object = (*list)[i];
    const std::string here = fmt::format("{}/{}", pointer, i);
    if (!object.is_object()) {
      error("wrong_type", here, shown_json(object), "an object");
      continue;
    }
    for (const auto& [member, value] : object.items()) {
      if (std::find(allowed.begin(), allowed.end(), member) != allowed.end()) continue;
      const std::string near = nearest_word(member, allowed);
      error("unknown_key", here + "/" + pointer_token(member), shown_json(value), word_list(allowed),
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
  if (!found->is_string()) error("wrong_type", entry.pointer + "/" + key, shown_json(*found), "a text");
  return text_member(entry.object, key);
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
    if (asked_keys_.contains(key)) continue;
    const std::string near = nearest_word(key, keys);
    error("unknown_key", "/" + pointer_token(key), shown_json(value), word_list(keys),
          near.empty() ? "" : fmt::format("did you mean \"{}\"?", near));
  }
  const std::vector<std::string> facts(asked_.begin(), asked_.end());
  for (const FactRow& row : record_.rows) {
    if (row.is_price || asked_.contains(row.name)) continue;
    const std::string near = nearest_word(row.name, facts);
    error("unknown_key", row.pointer, row.text, word_list(facts),
          near.empty() ? "" : fmt::format("did you mean \"{}\"?", near));
  }
}

}  // namespace stallcast
