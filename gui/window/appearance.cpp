#include "gui/window/appearance.h"

#include <QApplication>
#include <QPainter>
#include <QProxyStyle>
#include <QStyleFactory>
#include <QStyleOption>

#include "gui/palette.h"

namespace stallcast::gui {
namespace {

// Fusion draws the edges of boxes darker than the window: on a dark one nobody sees them.
class DarkFusion : public QProxyStyle {
 public:
  DarkFusion() : QProxyStyle(QStyleFactory::create("Fusion")) {}

  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override {
    QProxyStyle::drawPrimitive(element, option, painter, widget);
    if (element != PE_IndicatorCheckBox && element != PE_IndicatorRadioButton) return;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(mutedText(option->palette, option->state & State_Enabled ? 0.6 : 0.3));
    painter->setBrush(Qt::NoBrush);
    const QRectF edge = QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5);
    element == PE_IndicatorCheckBox ? painter->drawRect(edge) : painter->drawEllipse(edge);
    painter->restore();
  }
};

}  // namespace

void applyAppearance(Appearance appearance) {
  if (appearance == Appearance::kSystem) {
    QApplication::setPalette(QPalette());
    return;
  }
  const bool dark = appearance == Appearance::kDark;
  QApplication::setStyle(dark ? new DarkFusion : QStyleFactory::create("Fusion"));
  QApplication::setPalette(dark ? darkPalette() : lightPalette());
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
