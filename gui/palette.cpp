#include "gui/palette.h"

#include <QString>

#include "core/report/charts/chart.h"

namespace stallcast::gui {
namespace {

// Of chart_colours(), in the order of Okabe and Ito: blue and vermilion are the pair with the widest distance.
constexpr const char* kBetter[] = {"#0072b2", "#6cb8ee"};
constexpr const char* kWorse[] = {"#b84a00", "#ff9a57"};

// Neutral greys; text on each has a contrast of more than 7 to 1.
QPalette madePalette(bool dark) {
  const QColor window = dark ? QColor(37, 37, 40) : QColor(243, 243, 244);
  const QColor base = dark ? QColor(54, 54, 58) : QColor(255, 255, 255);
  const QColor text = dark ? QColor(232, 232, 232) : QColor(26, 26, 26);
  const QColor faint = dark ? QColor(150, 150, 150) : QColor(120, 120, 120);
  QPalette palette(dark ? QColor(66, 66, 70) : QColor(232, 232, 234), window);
  palette.setColor(QPalette::Window, window);
  palette.setColor(QPalette::Base, base);
  palette.setColor(QPalette::AlternateBase, dark ? QColor(66, 72, 84) : QColor(226, 234, 246));
  palette.setColor(QPalette::ToolTipBase, base);
  for (const QPalette::ColorRole role :
       {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText}) {
    palette.setColor(role, text);
    palette.setColor(QPalette::Disabled, role, faint);
  }
  palette.setColor(QPalette::PlaceholderText, faint);
  palette.setColor(QPalette::Highlight, dark ? QColor(60, 110, 180) : QColor(40, 100, 180));
  palette.setColor(QPalette::HighlightedText, Qt::white);
  palette.setColor(QPalette::Link, dark ? QColor(130, 180, 255) : QColor(20, 80, 170));
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

QColor findingColour(const QPalette& palette, bool error) {
  const bool dark = isDark(palette);
  if (error) return dark ? QColor(255, 150, 140) : QColor(170, 30, 20);
  return dark ? QColor(255, 200, 90) : QColor(130, 80, 0);
}

QColor mutedText(const QPalette& palette, double strength) {
  const QColor text = palette.color(QPalette::Text), base = palette.color(QPalette::Base);
  const auto mix = [strength](float a, float b) {
    return static_cast<float>(strength * static_cast<double>(a) + (1.0 - strength) * static_cast<double>(b));
  };
  return QColor::fromRgbF(mix(text.redF(), base.redF()), mix(text.greenF(), base.greenF()),
                          mix(text.blueF(), base.blueF()));
}

QPalette lightPalette() { return madePalette(false); }

QPalette darkPalette() { return madePalette(true); }

}  // namespace stallcast::gui
