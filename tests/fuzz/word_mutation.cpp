#include "tests/fuzz/word_mutation.h"

#include <array>
#include <cctype>
#include <random>
#include <vector>

namespace stallcast::fuzz {
namespace {

constexpr std::array<std::string_view, 26> kNumbers = {"0",
                                                       "-0",
                                                       "-1",
                                                       "1",
                                                       "2",
                                                       "0.5",
                                                       "1e-320",
                                                       "1e18",
                                                       "1e19",
                                                       "1e30",
                                                       "1e300",
                                                       "1e308",
                                                       "-1e30",
                                                       "1.5e999",
                                                       "2147483648",
                                                       "4294967296",
                                                       "255",
                                                       "1024",
                                                       "65537",
                                                       "nan",
                                                       "inf",
                                                       "1000000007",
                                                       "1e6",
                                                       "9223372036854775807",
                                                       "-9223372036854775808",
                                                       "18446744073709551615"};
constexpr std::array<std::string_view, 14> kValues = {
    "null",   "true",  "[]",        "{}",          "\"\"",    "\"x\"",        "[[]]",
    "[null]", "[1,2]", "{\"a\":1}", "\"\\u0000\"", "\"0 s\"", "\"1e300 GB\"", "\"\\u009b2J\""};

struct Word {
  std::size_t begin = 0, size = 0;
};

bool is_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '+' || c == '-';
}

// Names, numbers and whole quoted strings; names and numbers inside of quotes too.
std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> words;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      const std::size_t end = text.find('"', i + 1);
      if (end != std::string_view::npos && end - i < 200) words.push_back({i, end + 1 - i});
    }
    if (!is_letter(text[i]) || (i > 0 && is_letter(text[i - 1]))) continue;
    std::size_t end = i;
    while (end < text.size() && is_letter(text[end])) ++end;
    words.push_back({i, end - i});
  }
  return words;
}

}  // namespace

std::string with_another_word(std::string_view text, std::uint64_t random) {
  std::mt19937_64 generator(random);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(generator() % n); };
  const std::vector<Word> words = words_of(text);
  if (words.empty()) return std::string(text);
  const Word& word = words[below(words.size())];
  const Word& other = words[below(words.size())];
  std::string_view by = text.substr(other.begin, other.size);
  if (const std::size_t choice = below(8); choice < 5) {
    by = kNumbers[below(kNumbers.size())];
  } else if (choice < 7) {
    by = kValues[below(kValues.size())];
  }
  return std::string(text.substr(0, word.begin)).append(by).append(text.substr(word.begin + word.size));
}

}  // namespace stallcast::fuzz
