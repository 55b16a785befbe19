#include "core/catalogue/records/overlay.h"

#include <string>
#include <vector>

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

// `change` over `base`: groups of facts member by member, everything else whole, null taken away.
void merge(Json& base, const Json& change) {
  for (const auto& [key, value] : change.items()) {
    const auto old = base.find(key);
    if (value.is_null()) {
      if (old != base.end()) base.erase(old);
    } else if (old != base.end() && old->is_object() && value.is_object() && !is_fact(*old) && !is_fact(value)) {
      merge(*old, value);
    } else {
      base[key] = value;
    }
  }
}

// Every `"source": from` in `node` becomes `to`.
void rename_source(Json& node, const std::string& from, const std::string& to) {
  if (node.is_object()) {
    const auto source = node.find("source");
    if (source != node.end() && source->is_string() && source->get_ref<const std::string&>() == from) *source = to;
  }
  if (node.is_structured()) {
    for (Json& member : node) rename_source(member, from, to);
  }
}

// Keeps the base's numbers with their own sources where `change` uses a key for another text.
void part_sources(Json& base, const Json& change) {
  const auto own = base.find("sources");
  const auto other = change.find("sources");
  if (own == base.end() || other == change.end() || !own->is_object() || !other->is_object()) return;
  std::vector<std::string> clashing;
  for (const auto& [key, source] : own->items()) {
    if (other->contains(key) && (*other)[key] != source) clashing.push_back(key);
  }
  for (const std::string& key : clashing) {
    std::string renamed = "extended_" + key;
    while (own->contains(renamed) || other->contains(renamed)) renamed.insert(0, "extended_");
    (*own)[renamed] = (*own)[key];
    own->erase(key);
    for (const char* part : {"facts", "prices"}) {
      if (base.contains(part)) rename_source(base[part], key, renamed);
    }
  }
}

}  // namespace

Json extended_record(const Json& base, const Json& change) {
  Json record = base;
  record.erase("examples");
  // Another record than its base is not what people call the base.
  if (base.value("name", "") != change.value("name", "")) {
    record.erase("aliases");
    record.erase("usual_for");
  }
  part_sources(record, change);
  for (const auto& [key, value] : change.items()) {
    const auto old = record.find(key);
    const bool by_member = key == "facts" || key == "prices" || key == "sources";
    if (by_member && old != record.end() && old->is_object() && value.is_object()) {
      merge(*old, value);
    } else if (value.is_null() && key != "name" && key != "kind") {
      record.erase(key);
    } else {
      record[key] = value;
    }
  }
  return record;
}

}  // namespace stallcast
