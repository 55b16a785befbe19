// A slider over the usual values of one number.
#pragma once

#include <QSlider>
#include <optional>
#include <string>

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

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  // The number that moves: the field's own, or the mean of a distribution that has one.
  std::optional<double> number() const;
  std::string movedPointer() const;
  void rescale(double number);
  void move(int position);

  const Field& field_;
  Document& document_;
  const Catalogue& catalogue_;
  std::optional<SliderScale> scale_;
  std::string tier_;  // that the scale is of
  int gesture_ = -1;
};

}  // namespace stallcast::gui
