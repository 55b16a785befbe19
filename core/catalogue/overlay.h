// Records that change other records.
#pragma once

#include <nlohmann/json.hpp>

namespace stallcast {

// The record that `change` ("extends": ...) makes of `base`: every key of `change` in place of the base's; facts,
// prices and sources one by one, where null takes one away. The base's examples are left out: they are about its own
// numbers. A source key that both use for different texts is renamed for the base's numbers.
nlohmann::ordered_json extended_record(const nlohmann::ordered_json& base, const nlohmann::ordered_json& change);

}  // namespace stallcast
