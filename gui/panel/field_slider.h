// A slider over the usual values of one number, with the range in which the true one may be as a band below.
#pragma once

#include <QSlider>
#include <optional>
#include <string>
#include <utility>

#include "gui/panel/slider_scale.h"
#include "gui/session/document.h"

namespace stallcast::gui {

class FieldSlider : public QSlider {
  Q_OBJECT
 public:
  FieldSlider(const Field& field, Document& document, const Catalogue& catalogue, QWidget* parent = nullptr);

  // Whether a field has numbers that a slider can move.
  static bool suits(const Field& field);

  // Follows the document. The scale is made anew around the value, but not under a person's hand.
  void refresh();

  // Where the band begins and ends, in pixels; nothing where the value is taken as it is.
  std::optional<std::pair<int, int>> band() const;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  // The number that moves: the field's own, or the mean of a distribution that has one.
  std::optional<double> number() const;
  std::string movedPointer() const;
  void rescale(double number);
  void move(int position);
  enum class End { kNone, kLow, kHigh };
  End endAt(const QPoint& at) const;
  int pixelOf(double value) const;
  double valueAt(int pixel) const;
  void moveEnd(int pixel);

  const Field& field_;
  Document& document_;
  const Catalogue& catalogue_;
  std::optional<SliderScale> scale_;
  std::string tier_;  // that the scale is of
  int gesture_ = -1;
  End held_ = End::kNone;  // of the band
};

}  // namespace stallcast::gui
