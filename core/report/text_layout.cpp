#include "core/report/text_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace stallcast {

std::string toned(std::string_view text, Tone tone, const TextStyle& style) {
  if (!style.colour || tone == Tone::kPlain) return std::string(text);
  constexpr std::array<std::string_view, 5> kCodes = {"0", "1", "32", "33", "2"};
  return fmt::format("\033[{}m{}\033[0m", kCodes[static_cast<std::size_t>(tone)], text);
}

std::string short_text(Dimension dimension, double value, std::string_view counted) {
  if (!std::isfinite(value)) return "unlimited";
  return format_quantity(dimension, rounded(value), counted);
}

std::string percent(double fraction) { return fmt::format("{:.1f} %", 100.0 * fraction); }

std::string printable(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return text;
}

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string cut(const std::string& text, std::size_t columns) {
  constexpr std::string_view kMore = "...";
  if (columns_of(text) <= columns) return text;
  std::string out;
  std::size_t used = 0;
  for (const char c : text) {
    const bool begins = (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
    if (begins && ++used > columns - kMore.size()) break;
    out += c;
  }
  return out.append(kMore);
}

std::string left_column(const std::string& text, std::size_t columns) {
  const std::string shown = cut(text, columns);
  return shown + std::string(columns - columns_of(shown), ' ');
}

std::string right_column(const std::string& text, std::size_t columns) {
  const std::string shown = cut(text, columns);
  return std::string(columns - columns_of(shown), ' ') + shown;
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t used) {
  std::string out;
  bool line_has_word = false;
  while (!text.empty()) {
    std::size_t end = std::min(text.find(' '), text.size());
    if (text.substr(end).starts_with(" %")) end = std::min(text.find(' ', end + 2), text.size());  // one word
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const std::size_t width = columns_of(word);
    if (line_has_word && used + 1 + width > kColumns) {
      out += '\n' + std::string(indent, ' ');
      used = indent;
      line_has_word = false;
    }
    if (line_has_word) {
      out += ' ';
      ++used;
    }
    out += word;
    used += width;
    line_has_word = true;
  }
  return out;
}

std::string labelled(std::string_view label, std::string_view text) {
  return fmt::format("{:<{}}{}\n", label, kLabelColumns, wrapped(text, kLabelColumns, kLabelColumns));
}

}  // namespace stallcast
