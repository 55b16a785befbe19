// A dock that keeps its width when its window grows.
#pragma once

#include <QDockWidget>
#include <QMainWindow>

namespace stallcast::gui {

// Docks without a central widget share what a window gains; a form has no use for it, views have. What a person drags
// the dock to is its width from then on. Floating, or above or below the views, it is left alone.
class SteadyWidth : public QObject {
 public:
  // Both outlive the object: it is the window's child.
  SteadyWidth(QMainWindow* window, QDockWidget* dock);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QMainWindow* window_;
  QDockWidget* dock_;
  int window_width_ = 0, width_ = 0;
};

}  // namespace stallcast::gui
