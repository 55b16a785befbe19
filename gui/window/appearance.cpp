#include "gui/window/appearance.h"

#include <QApplication>
#include <QPalette>
#include <QStyleFactory>

namespace stallcast::gui {
namespace {

// Neutral greys; text on each has a contrast of more than 7 to 1.
QPalette made_palette(bool dark) {
  const QColor window = dark ? QColor(43, 43, 46) : QColor(243, 243, 244);
  const QColor base = dark ? QColor(30, 30, 32) : QColor(255, 255, 255);
  const QColor text = dark ? QColor(232, 232, 232) : QColor(26, 26, 26);
  const QColor faint = dark ? QColor(140, 140, 140) : QColor(120, 120, 120);
  QPalette palette(dark ? QColor(58, 58, 62) : QColor(232, 232, 234), window);
  palette.setColor(QPalette::Window, window);
  palette.setColor(QPalette::Base, base);
  palette.setColor(QPalette::AlternateBase, dark ? QColor(56, 60, 68) : QColor(226, 234, 246));
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

void applyAppearance(Appearance appearance) {
  if (appearance == Appearance::kSystem) {
    QApplication::setPalette(QPalette());
    return;
  }
  QApplication::setStyle(QStyleFactory::create("Fusion"));
  QApplication::setPalette(made_palette(appearance == Appearance::kDark));
}

QString appearanceWord(Appearance appearance) {
  switch (appearance) {
    case Appearance::kLight:
      return "light";
    case Appearance::kDark:
      return "dark";
    case Appearance::kSystem:
      break;
  }
  return "system";
}

Appearance appearanceOf(const QString& word) {
  if (word == "light") return Appearance::kLight;
  return word == "dark" ? Appearance::kDark : Appearance::kSystem;
}

}  // namespace stallcast::gui
