// Mutation by words: what a blind change of bytes rarely finds in texts with numbers, strings and brackets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stallcast::fuzz {

// `text` with one of its words (a number, a name, a quoted string, what is in a pair of quotes) replaced by one that
// readers stumble over, or by another word of the text. The same `random` gives the same. Unchanged without words.
std::string with_another_word(std::string_view text, std::uint64_t random);

}  // namespace stallcast::fuzz
