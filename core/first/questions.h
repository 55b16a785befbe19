// What is asked of somebody who has no scenario yet. One row for each answer feeds the dialogue, the options of
// `stallcast new` and its documentation.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/catalogue/catalogue.h"

namespace stallcast {

struct Question {
  std::string_view key;       // of Told; the option is "--" + key
  std::string_view value;     // what an answer is called: "SIZE"
  std::string_view help;      // what the option says of itself
  std::string_view ask;       // in the dialogue; "" = not asked there
  std::string_view examples;  // how answers look
};

// In the order in which they are asked, those of the dialogue first.
const std::vector<Question>& questions();

// Answers as they were written, by key; what was not told is not there.
using Told = std::map<std::string, std::string>;

// Choices of the catalogue that fit what was told so far, at most ten, the likeliest first; none where any text may
// come.
std::vector<std::string> choices_for(const std::string& key, const Told& told, const Catalogue& catalogue);

// What an empty answer stands for, or "" where an answer is needed.
std::string default_answer(const std::string& key, const Told& told, const Catalogue& catalogue);

}  // namespace stallcast
