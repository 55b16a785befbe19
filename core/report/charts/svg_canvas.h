// Shapes and text of a chart, collected as SVG.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stallcast {

struct SvgBox {
  double left = 0.0, top = 0.0, right = 0.0, bottom = 0.0;
  bool overlaps(const SvgBox& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

inline constexpr double kSvgLine = 15.0;  // px from one line of text to the next
enum class SvgAnchor { kStart, kMiddle, kEnd };

// About how wide `text` is in the font of charts, in px; rather too wide than too narrow.
double text_width(std::string_view text);
// `text` shortened to `width` px.
std::string fitted(std::string_view text, double width);
// `text` on at most `most` lines of `width` px, broken at spaces, the last one shortened.
std::vector<std::string> fitted_lines(std::string_view text, double width, std::size_t most);
// The box that `text` takes when it is written at `x`, `y`, its baseline.
SvgBox text_box(std::string_view text, double x, double y, SvgAnchor anchor);

// `classes` are those of the style sheet, `about` what a pointer that rests is told. All text is escaped here.
class SvgCanvas {
 public:
  void rectangle(const SvgBox& box, std::string_view classes, std::string_view about = "");
  void line(double x1, double y1, double x2, double y2, std::string_view classes);
  void circle(double x, double y, double radius, std::string_view classes, std::string_view about = "");
  // `places` are "x,y x,y ...".
  void polyline(std::string_view places, std::string_view classes);
  void polygon(std::string_view places, std::string_view classes);
  void text(double x, double y, SvgAnchor anchor, std::string_view shown, std::string_view classes = "",
            std::string_view whole = "");
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

// "12.5": a tenth of a px is enough.
std::string svg_number(double value);

}  // namespace stallcast
