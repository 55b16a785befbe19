#include "gui/palette.h"

#include <QString>

#include "core/report/chart.h"

namespace stallcast::gui {
namespace {

// Of chart_colours(), in the order of Okabe and Ito: blue and vermilion are the pair with the widest distance.
constexpr const char* kBetter[] = {"#0072b2", "#6cb8ee"};
constexpr const char* kWorse[] = {"#b84a00", "#ff9a57"};

QPalette fromColours(const QColor& window, const QColor& base, const QColor& text, const QColor& button,
                     const QColor& accent, const QColor& on_accent) {
  QPalette palette(text, button, button.lighter(130), button.darker(160), button.darker(120), text, Qt::white, base,
                   window);
  palette.setColor(QPalette::AlternateBase, window);
  palette.setColor(QPalette::ToolTipBase, base);
  palette.setColor(QPalette::ToolTipText, text);
  palette.setColor(QPalette::Highlight, accent);
  palette.setColor(QPalette::HighlightedText, on_accent);
  palette.setColor(QPalette::Link, accent);
  palette.setColor(QPalette::LinkVisited, accent);
  QColor faint = text;
  faint.setAlphaF(0.5F);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    palette.setColor(QPalette::Disabled, role, faint);
  faint.setAlphaF(0.6F);
  palette.setColor(QPalette::PlaceholderText, faint);
  return palette;
}

}  // namespace

bool isDark(const QPalette& palette) {
  return palette.color(QPalette::Base).lightness() < palette.color(QPalette::Text).lightness();
}

QColor chartColour(int index, const QPalette& palette) {
  const auto& colours = chart_colours();
  const auto& colour = colours[static_cast<std::size_t>(index < 0 ? 0 : index) % colours.size()];
  return {QString::fromStdString(isDark(palette) ? colour.dark : colour.light)};
}

QColor betterColour(const QPalette& palette) { return {QString::fromLatin1(kBetter[isDark(palette) ? 1 : 0])}; }

QColor worseColour(const QPalette& palette) { return {QString::fromLatin1(kWorse[isDark(palette) ? 1 : 0])}; }

QColor mutedText(const QPalette& palette, double strength) {
  const QColor text = palette.color(QPalette::Text), base = palette.color(QPalette::Base);
  const auto mix = [strength](float a, float b) {
    return static_cast<float>(strength * static_cast<double>(a) + (1.0 - strength) * static_cast<double>(b));
  };
  return QColor::fromRgbF(mix(text.redF(), base.redF()), mix(text.greenF(), base.greenF()),
                          mix(text.blueF(), base.blueF()));
}

QPalette lightPalette() { return fromColours("#f4f5f7", "#ffffff", "#1b1e23", "#e6e8ec", "#0062a3", "#ffffff"); }

QPalette darkPalette() { return fromColours("#1e2126", "#16181c", "#e6e8eb", "#2b2f36", "#4fa3e0", "#0b0d10"); }

}  // namespace stallcast::gui
