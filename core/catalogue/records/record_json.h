// How the JSON of records is looked into, and shown in findings.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace stallcast {

// A value as the file has it, on one line; a text in quotes.
std::string shown_json(const nlohmann::ordered_json& value);

// A fact's value as people read it: "8 ms + 11 ms per worker".
std::string fact_text(const nlohmann::ordered_json& value);

// The member `key` of an object; "" when there is none, or it is no text.
std::string text_member(const nlohmann::ordered_json& object, const std::string& key);

// "measured, vendor, assumed"
std::string word_list(const std::vector<std::string>& words);

}  // namespace stallcast
