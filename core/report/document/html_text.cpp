#include "core/report/document/html_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/report/words/markup.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

constexpr std::size_t kLong = 400;  // characters

// Letters of either direction stay among themselves.
std::string isolated(const std::string& text) {
  const bool ascii = std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  const std::string escaped = escape_markup(text);
  return ascii ? escaped : fmt::format("<bdi>{}</bdi>", escaped);
}

std::string folded_if_long(const std::string& text) {
  if (text.size() <= kLong) return isolated(text);
  return fmt::format(R"(<span class="long" tabindex="0">{}</span>)", isolated(text));
}

// "91.3 % (90.9 to 91.7 %)": a number stays with its unit, and its interval on one line.
std::string inside_of(const Words& words) {
  constexpr std::size_t kLongestKept = 60;  // that fits a telephone with its interval below it
  if (words.pointer.empty() || words.text.size() > kLongestKept) return folded_if_long(words.text);
  const auto whole = [](const std::string& text) {
    return fmt::format(R"(<span class="whole">{}</span>)", isolated(text));
  };
  const std::size_t interval = words.text.ends_with(')') ? words.text.find(" (") : std::string::npos;
  if (interval != std::string::npos)
    return whole(words.text.substr(0, interval)) + " " + whole(words.text.substr(interval + 1));
  return words.text.find(' ') == std::string::npos ? isolated(words.text) : whole(words.text);
}

std::string styled(const Words& words) {
  const std::string inside = inside_of(words);
  switch (words.style) {
    case Words::Style::kPlain:
      return inside;
    case Words::Style::kStrong:
      return fmt::format("<strong>{}</strong>", inside);
    case Words::Style::kCode:
      return fmt::format("<code>{}</code>", inside);
    case Words::Style::kMuted:
      return fmt::format(R"(<span class="muted">{}</span>)", inside);
  }
  return inside;
}

std::string with_number(const Words& words) {
  const std::string inside = styled(words);
  if (words.pointer.empty()) return inside;
  const std::string pointer = escape_markup(words.pointer);
  const bool known = words.value && std::isfinite(*words.value);
  return fmt::format(R"(<data value="{}" data-from="{}" title="results: {}">{}</data>)",
                     known ? format_number(*words.value) : "", pointer, pointer, inside);
}

std::string with_link(const Words& words) {
  const std::string inside = with_number(words);
  if (words.link.starts_with("https://"))
    return fmt::format(R"(<a href="{}" rel="noopener noreferrer">{}</a>)", escape_markup(words.link), inside);
  const std::string anchor = anchor_of(words.link);
  if (words.link.starts_with('#') && !anchor.empty()) return fmt::format(R"(<a href="#{}">{}</a>)", anchor, inside);
  return inside;
}

}  // namespace

std::string html_text(const Text& text) {
  std::string html;
  for (const Words& words : text) html += with_link(words);
  return html;
}

std::string html_words(const std::string& words) { return folded_if_long(words); }

std::string plain_text(const Text& text) {
  std::string plain;
  for (const Words& words : text) plain += words.text;
  return plain;
}

std::string safe_file_name(std::string_view file_name) {
  std::string name = clean_text(file_name);
  for (char& c : name)
    if (static_cast<unsigned char>(c) < 0x20 || std::string_view("/\\:*?\"<>|").find(c) != std::string_view::npos)
      c = '_';
  name = clipped(name, 100);
  return name.find_first_not_of('.') == std::string::npos ? "file" : name;
}

std::string html_file_link(const std::string& file_name, const std::string& media_type, std::string_view text) {
  const std::string name = escape_markup(safe_file_name(file_name));
  const std::string size = text.size() < 10240 ? fmt::format("{} bytes", text.size())
                                               : fmt::format("{:.0f} kB", static_cast<double>(text.size()) / 1000.0);
  return fmt::format(
      R"(<a class="file" download="{0}" href="data:{1};base64,{2}"><bdi>{0}</bdi></a> <span class="muted">{3}</span>)",
      name, escape_markup(media_type), base64(text), size);
}

}  // namespace stallcast
