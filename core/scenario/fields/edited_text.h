// A scenario file with other values in it, as a person would have changed it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace stallcast {

// `text`, JSON with comments, changed to say `wanted`: only what differs is written anew, removed or added, in the
// root object and in its groups. Comments, order and spaces stay; a comment on a line whose only value goes, stays too.
// "$schema" is kept. Where `text` is no such object, or cannot be changed so: `wanted` as plain JSON.
// **Range** `wanted` an object
// **Checked by** tests/core/scenario/edited_text_test.cpp
std::string edited_text(std::string_view text, const nlohmann::ordered_json& wanted);

}  // namespace stallcast
