#include "gui/window/steady_width.h"

#include <QEvent>

namespace stallcast::gui {

SteadyWidth::SteadyWidth(QMainWindow* window, QDockWidget* dock)
    : QObject(window), window_(window), dock_(dock), window_width_(window->width()), width_(dock->width()) {
  window_->installEventFilter(this);
  dock_->installEventFilter(this);
}

// The window's layout has moved the docks before the window hears of its new size.
bool SteadyWidth::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::Resize || dock_->isFloating()) return false;
  if (watched == dock_) {
    if (window_->width() == window_width_) width_ = dock_->width();
    return false;
  }
  if (window_->width() == window_width_) return false;
  const Qt::DockWidgetArea area = window_->dockWidgetArea(dock_);
  if (width_ > 0 && (area == Qt::LeftDockWidgetArea || area == Qt::RightDockWidgetArea))
    window_->resizeDocks({dock_}, {width_}, Qt::Horizontal);
  window_width_ = window_->width();
  return false;
}

}  // namespace stallcast::gui
