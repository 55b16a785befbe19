#include "core/report/words/text_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/units/rounded.h"

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

std::string percent(double fraction) {
  const double rounded = std::round(1000.0 * fraction) / 10.0;
  return fmt::format("{:.1f} %", rounded == 0.0 ? 0.0 : 100.0 * fraction);  // no "-0.0"
}

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

std::string render_bar(double fraction, int width, const TextStyle& style) {
  const double columns = std::clamp(std::isfinite(fraction) ? fraction : 0.0, 0.0, 1.0) * width;
  if (!style.unicode) return std::string(static_cast<std::size_t>(std::lround(columns)), '#');
  constexpr std::array<std::string_view, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const long eighths = std::lround(columns * 8.0);
  std::string bar;
  for (long i = 0; i < eighths / 8; ++i) bar += "█";
  return bar.append(kEighths[static_cast<std::size_t>(eighths % 8)]);
}

std::string bar_row(double fraction, std::string_view what, Tone tone, const TextStyle& style) {
  const std::string bar = render_bar(fraction, kBarColumns, style);
  const std::string padding(static_cast<std::size_t>(kBarColumns) - columns_of(bar), ' ');
  return fmt::format("  {:>7}  {}{}  {}\n", percent(fraction), toned(bar, tone, style), padding, what);
}

std::string duration_text(double duration_s) {
  if (!std::isfinite(duration_s)) return "forever";
  struct Unit {
    double size_s;
    std::string_view name;
  };
  constexpr std::array<Unit, 6> kUnits = {
      {{86400.0, "d"}, {3600.0, "h"}, {60.0, "min"}, {1.0, "s"}, {1e-3, "ms"}, {1e-6, "us"}}};
  // A unit is used from 1 on, but seconds up to two minutes and minutes up to two hours.
  for (const Unit& unit : kUnits) {
    const double from = unit.size_s >= 60.0 ? 2.0 * unit.size_s : unit.size_s;
    if (duration_s >= from) return fmt::format("{} {}", format_number(rounded(duration_s / unit.size_s)), unit.name);
  }
  return duration_s > 0.0 ? fmt::format("{} ns", format_number(rounded(duration_s * 1e9))) : "0 s";
}

}  // namespace stallcast
