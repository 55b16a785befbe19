// Records that change other records.
#pragma once

#include <nlohmann/json.hpp>

namespace stallcast {

// Whether a node of a record is a fact, not a group of facts.
inline bool is_fact(const nlohmann::ordered_json& node) { return node.is_object() && node.contains("value"); }

// The record that `change` ("extends": ...) makes of `base`: every key of `change` in place of the base's; facts,
// prices and sources one by one, where null takes one away. The base's examples are left out: they are about its own
// numbers. A source key that both use for different texts is renamed for the base's numbers.
nlohmann::ordered_json extended_record(const nlohmann::ordered_json& base, const nlohmann::ordered_json& change);

}  // namespace stallcast
