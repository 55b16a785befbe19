// One limit of the data path as a pipe.
#pragma once

#include <QFont>
#include <QGraphicsItem>
#include <QPalette>

#include "gui/views/path/path_picture.h"

namespace stallcast::gui {

class PathEdgeItem : public QGraphicsItem {
 public:
  PathEdgeItem(PathEdge edge, QString flow, const QFont& font, QPalette palette);

  static QStringList lines(const PathEdge& edge, const QString& flow);
  static QSizeF leastSize(const PathEdge& edge, const QString& flow, const QFont& font);

  void setSize(const QSizeF& size);
  void setMarks(bool selected, bool current);
  QRectF boundingRect() const override;
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

 private:
  void paintPipe(QPainter* painter, const QRectF& pipe) const;

  PathEdge edge_;
  QString flow_;
  QFont font_;
  QPalette palette_;
  QSizeF size_;
  bool selected_ = false, current_ = false;
};

}  // namespace stallcast::gui
