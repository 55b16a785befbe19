// How text for a terminal is laid out: 80 columns, labels on the left, colour where the place can show it.
#pragma once

#include <string>
#include <string_view>

#include "core/units/quantity_text.h"

namespace stallcast {

// What the place that shows the text can show.
struct TextStyle {
  bool unicode = true;  // block characters in bars; "#" otherwise
  bool colour = false;  // ANSI escapes
};

inline constexpr std::size_t kColumns = 80;
inline constexpr std::size_t kLabelColumns = 17;
inline constexpr int kBarColumns = 22;

enum class Tone { kPlain, kStrong, kGood, kWarn, kDim };

std::string toned(std::string_view text, Tone tone, const TextStyle& style);

// Text from a file, made harmless: a control character could move the cursor or change the terminal.
std::string printable(std::string text);

// Columns that UTF-8 `text` takes: its bytes that do not continue a character.
std::size_t columns_of(std::string_view text);

// UTF-8 `text` in at most `columns` >= 3 columns, its end "..." where that takes something away.
std::string cut(const std::string& text, std::size_t columns);

// cut() and filled up with spaces after it, or before it.
std::string left_column(const std::string& text, std::size_t columns);
std::string right_column(const std::string& text, std::size_t columns);

// `text` broken at spaces into lines of kColumns, each after the first indented by `indent`; the first already holds
// `used` columns.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t used);

// "Label            text\n", wrapped under the text.
std::string labelled(std::string_view label, std::string_view text);

// "80 GB/s": three digits of a quantity, or "unlimited"; `counted` as format_quantity has it.
std::string short_text(Dimension dimension, double value, std::string_view counted = "");

// 0.123 is "12.3 %".
std::string percent(double fraction);

// A bar of `fraction` (0..1) of `width` columns; eighths of a column with block characters, whole ones with "#".
std::string render_bar(double fraction, int width, const TextStyle& style);

// "   40.0 %  ########               a later batch is ready\n": a share of time as number and bar, and what it is.
std::string bar_row(double fraction, std::string_view what, Tone tone, const TextStyle& style);

// "850 ms", "42.1 s", "3.2 h", "12.5 d": three digits, in the unit a person would choose.
std::string duration_text(double duration_s);

// A part of the time or of the money that is smaller would print as 0.0 %.
inline constexpr double kWorthARow = 0.0005;

}  // namespace stallcast
