#include "core/report/charts/chart_svg.h"

#include <fmt/format.h>

#include "core/report/charts/chart_frame.h"
#include "core/report/charts/chart_ink.h"
#include "core/report/charts/row_spans.h"
#include "core/report/words/markup.h"

namespace stallcast {
namespace {

constexpr const char* kLightGround = "#ffffff";
constexpr const char* kDarkGround = "#15181c";

std::string sheet(bool dark) {
  const char* ground = dark ? kDarkGround : kLightGround;
  const char* ink = dark ? "#e8eaed" : "#1c2126";
  const char* muted = dark ? "#a9b0b9" : "#565d66";
  std::string css = fmt::format(
      ".sc .ground{{fill:{0}}}.sc text{{fill:{1}}}.sc .muted{{fill:{2}}}.sc .grid{{stroke:{3}}}.sc .axis,.sc "
      ".whisker{{stroke:{2}}}.sc .rule{{stroke:{1}}}.sc .rule-label{{fill:{1}}}.sc .halo{{stroke:{0}}}.sc "
      ".mark{{stroke:{2}}}.sc .chosen{{stroke:{1}}}.sc .value-line{{stroke:{1}}}.sc .connector{{stroke:{2}}}",
      ground, ink, muted, dark ? "#343a42" : "#dfe3e8");
  for (std::size_t i = 0; i < chart_colours().size(); ++i) {
    const std::string& colour = dark ? chart_colours()[i].dark : chart_colours()[i].light;
    css += fmt::format(".sc .f{0}{{fill:{1}}}.sc .l{0}{{stroke:{1}}}.sc .t{0}{{fill:{2}}}", i, colour, text_on(colour));
  }
  return css;
}

void draw_title(ChartFrame& frame) {
  double y = frame.top + 14.0;
  for (const std::string& line : fitted_lines(frame.chart.title, (frame.options.width - 16.0) / 1.25, 2)) {
    frame.canvas.text(4.0, y, SvgAnchor::kStart, line, "title", frame.chart.title);
    y += 19.0;
  }
  frame.top = y - 6.0;
}

bool is_empty(const Chart& chart) {
  for (const ChartSeries& series : chart.series)
    if (!series.data.empty()) return false;
  return true;
}

double draw_emptiness(ChartFrame& frame) {
  double y = frame.top + 20.0;
  const std::string why = frame.chart.alt.empty() ? "No data" : frame.chart.alt;
  for (const std::string& line : fitted_lines(why, frame.options.width - 16.0, 4)) {
    frame.canvas.text(4.0, y, SvgAnchor::kStart, line, "muted", why);
    y += kSvgLine;
  }
  return y;
}

double draw_kind(ChartFrame& frame) {
  if (is_empty(frame.chart)) return draw_emptiness(frame);
  return has_rows(frame.chart.kind) ? draw_rows(frame) : draw_plane(frame);
}

}  // namespace

std::string_view chart_svg_style() {
  static const std::string css =
      ".sc{font-family:system-ui,-apple-system,\"Segoe UI\",\"Noto Sans\",sans-serif}.sc "
      "text{font-size:12px;unicode-bidi:isolate}.sc .title{font-size:15px;font-weight:600}.sc "
      ".strong{font-weight:700}.sc .mark{stroke-width:.7px;stroke-opacity:.55}.sc .faint{fill-opacity:.45}.sc "
      ".grid,.sc .axis{stroke-width:1px}.sc .rule{stroke-width:1.3px;stroke-dasharray:5 3}.sc "
      ".rule-label{font-style:italic}.sc .halo{paint-order:stroke;stroke-width:3px;stroke-linejoin:round}.sc "
      ".curve{fill:none;stroke-width:2.2px;stroke-linejoin:round}.sc .band{fill-opacity:.2}.sc "
      ".whisker{stroke-width:1.2px}.sc .connector{stroke-width:1px;stroke-dasharray:2 2}.sc "
      ".chosen{stroke-width:2px;stroke-opacity:1;fill-opacity:1}.sc .value-line{stroke-width:2px}" +
      sheet(false);
  return css;
}

std::string_view chart_svg_dark_style() {
  static const std::string css = "@media screen and (prefers-color-scheme:dark){" + sheet(true) + "}";
  return css;
}

std::string chart_svg(const Chart& chart, const SvgOptions& options) {
  ChartFrame frame{.chart = chart, .options = options, .canvas = {}, .plot = {}, .taken = {}};
  if (options.alone) draw_title(frame);
  const double height = draw_kind(frame);
  const std::string id = anchor_of(chart.id);
  std::string svg = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" class="sc" role="img" aria-labelledby="{0}-title {0}-alt" )"
      R"(viewBox="0 0 {1} {2}" width="{1}" height="{2}"><title id="{0}-title">{3}</title><desc id="{0}-alt">{4}</desc>)",
      id, svg_number(options.width), svg_number(height), escape_markup(chart.title), escape_markup(chart.alt));
  if (options.alone)
    svg +=
        fmt::format(R"(<style>{}{}</style><rect class="ground" width="{}" height="{}"/>)", chart_svg_style(),
                    options.dark ? sheet(true) : chart_svg_dark_style(), svg_number(options.width), svg_number(height));
  return svg + frame.canvas.take() + "</svg>\n";
}

}  // namespace stallcast
