#include "core/report/charts/svg_canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/report/words/markup.h"

namespace stallcast {
namespace {

// Share of the font size, for a sans serif.
double width_of(std::string_view character) {
  if (character.size() >= 3) return 1.0;
  if (character.size() == 2) return 0.65;
  const char c = character.front();
  if (std::string_view("iljtfrI.,:;'|!()[] -").find(c) != std::string_view::npos) return 0.36;
  if (std::string_view("mwMW%@&").find(c) != std::string_view::npos) return 0.92;
  return c >= 'A' && c <= 'Z' ? 0.7 : 0.58;
}

std::string element(std::string_view name, const std::string& attributes, std::string_view about) {
  if (about.empty()) return fmt::format("<{} {}/>", name, attributes);
  return fmt::format("<{} {}><title>{}</title></{}>", name, attributes, escape_markup(about), name);
}

}  // namespace

double text_width(std::string_view text) {
  double share = 0.0;
  for (const std::string_view character : characters_of(text)) share += width_of(character);
  return 12.0 * share;
}

std::string fitted(std::string_view text, double width) {
  const std::string clean = clean_text(text);
  if (text_width(clean) <= width) return clean;
  std::string kept;
  double used = 12.0;  // the ellipsis
  for (const std::string_view character : characters_of(clean)) {
    used += 12.0 * width_of(character);
    if (used > width) break;
    kept += character;
  }
  while (kept.ends_with(' ')) kept.pop_back();
  return kept + "…";
}

std::vector<std::string> fitted_lines(std::string_view text, double width, std::size_t most) {
  std::string rest = clean_text(text);
  std::replace(rest.begin(), rest.end(), '\n', ' ');
  std::vector<std::string> lines;
  while (lines.size() + 1 < most && text_width(rest) > width) {
    std::size_t end = std::string::npos;
    for (std::size_t space = rest.find(' '); space != std::string::npos; space = rest.find(' ', space + 1)) {
      if (text_width(std::string_view(rest).substr(0, space)) > width) break;
      end = space;
    }
    if (end == std::string::npos || end == 0) break;
    lines.push_back(rest.substr(0, end));
    rest.erase(0, end + 1);
  }
  lines.push_back(fitted(rest, width));
  return lines;
}

SvgBox text_box(std::string_view text, double x, double y, SvgAnchor anchor) {
  const double width = text_width(text);
  const double left = anchor == SvgAnchor::kStart ? x : anchor == SvgAnchor::kMiddle ? x - width / 2.0 : x - width;
  return {left, y - 11.0, left + width, y + 3.0};
}

std::string svg_number(double value) {
  const double tenths = std::round(value * 10.0) / 10.0;
  return fmt::format("{}", tenths == 0.0 ? 0.0 : tenths);
}

void SvgCanvas::rectangle(const SvgBox& box, std::string_view classes, std::string_view about) {
  out_ += element("rect",
                  fmt::format(R"(class="{}" x="{}" y="{}" width="{}" height="{}")", classes, svg_number(box.left),
                              svg_number(box.top), svg_number(box.right - box.left), svg_number(box.bottom - box.top)),
                  about);
}

void SvgCanvas::line(double x1, double y1, double x2, double y2, std::string_view classes) {
  out_ += fmt::format(R"(<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>)", classes, svg_number(x1), svg_number(y1),
                      svg_number(x2), svg_number(y2));
}

void SvgCanvas::circle(double x, double y, double radius, std::string_view classes, std::string_view about) {
  out_ += element(
      "circle",
      fmt::format(R"(class="{}" cx="{}" cy="{}" r="{}")", classes, svg_number(x), svg_number(y), svg_number(radius)),
      about);
}

void SvgCanvas::polyline(std::string_view places, std::string_view classes) {
  out_ += fmt::format(R"(<polyline class="{}" points="{}"/>)", classes, places);
}

void SvgCanvas::polygon(std::string_view places, std::string_view classes) {
  out_ += fmt::format(R"(<polygon class="{}" points="{}"/>)", classes, places);
}

void SvgCanvas::text(double x, double y, SvgAnchor anchor, std::string_view shown, std::string_view classes,
                     std::string_view whole) {
  const char* place = anchor == SvgAnchor::kStart ? "start" : anchor == SvgAnchor::kMiddle ? "middle" : "end";
  const std::string title =
      whole.empty() || whole == shown ? "" : fmt::format("<title>{}</title>", escape_markup(whole));
  out_ += fmt::format(R"(<text class="{}" x="{}" y="{}" text-anchor="{}">{}{}</text>)", classes, svg_number(x),
                      svg_number(y), place, title, escape_markup(shown));
}

}  // namespace stallcast
