// The data path drawn from left to right: storage, network, loader, GPU, and between them every limit as a pipe that is
// as full as it is used.
#pragma once

#include <QGraphicsView>

#include "gui/views/path/path_picture.h"

namespace stallcast::gui {

class PathEdgeItem;

// Keys: Left and Right go from stage to stage, Up and Down within one, Return selects.
class DataPathCanvas : public QGraphicsView {
  Q_OBJECT
 public:
  explicit DataPathCanvas(QWidget* parent = nullptr);

  void setPicture(PathPicture picture);
  const PathPicture& picture() const { return picture_; }
  void setInSamples(bool in_samples);
  void setHighlight(const QString& key);

  int current() const { return current_; }  // an edge of the picture; -1 = none
  QRectF edgeRect(int edge) const;          // in the viewport

 signals:
  void edgeActivated(int edge);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void layOut();
  void refresh();
  void setCurrent(int edge);
  int neighbour(int key) const;

  QGraphicsScene scene_;
  PathPicture picture_;
  std::vector<PathEdgeItem*> items_;
  bool in_samples_ = false;
  QString highlight_;
  int current_ = -1;
};

}  // namespace stallcast::gui
