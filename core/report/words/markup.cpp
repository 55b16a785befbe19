#include "core/report/words/markup.h"

#include <cctype>
#include <cstdint>

namespace stallcast {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Character {
  std::size_t length = 1;
  std::uint32_t code = 0;
  bool valid = false;
};

// The first character of `text`, which is not empty (RFC 3629: shortest form only, no surrogates).
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {1, lead, true};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  std::uint32_t code = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  const std::uint32_t least = length == 4 ? 0x10000 : length == 3 ? 0x800 : 0x80;
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return {length, code, code >= least && code <= 0x10FFFF && !surrogate};
}

bool is_harmless(std::uint32_t code) {
  if (code < 0x20) return code == '\n' || code == '\t';
  if (code >= 0x7F && code <= 0x9F) return false;
  if ((code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069)) return false;
  return code != 0xFFFE && code != 0xFFFF;
}

}  // namespace

std::string clean_text(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const Character next = first_character(text);
    const std::size_t length = next.valid ? next.length : 1;
    if (next.code == '\r')
      clean += text.substr(1, 1) == "\n" ? "" : "\n";
    else
      clean += next.valid && is_harmless(next.code) ? text.substr(0, length) : kReplacement;
    text.remove_prefix(length);
  }
  return clean;
}

std::string escape_markup(std::string_view text) {
  std::string escaped;
  for (const char c : clean_text(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string escape_script_json(std::string_view json) {
  std::string escaped;
  escaped.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      escaped += "\\u003c";
    else
      escaped += c;
  }
  return escaped;
}

std::vector<std::string_view> characters_of(std::string_view text) {
  std::vector<std::string_view> characters;
  while (!text.empty()) {
    const std::size_t length = first_character(text).length;
    characters.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return characters;
}

std::string clipped(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  const std::vector<std::string_view> characters = characters_of(text);
  if (characters.size() <= most) return std::string(text);
  std::string kept;
  for (std::size_t i = 0; i + 1 < most; ++i) kept += characters[i];
  return kept + "…";
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t j = 0; j < 3; ++j)
      group = (group << 8U) | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (std::size_t digit = 0; digit < 4; ++digit)
      text += digit <= count ? kDigits[(group >> (18U - 6U * digit)) & 0x3FU] : '=';
  }
  return text;
}

std::string anchor_of(std::string_view id) {
  std::string anchor;
  for (const char c : id)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-') anchor += c;
  return anchor;
}

}  // namespace stallcast
