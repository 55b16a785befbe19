#include "gui/views/path/data_path_canvas.h"

#include <QFontMetricsF>
#include <QGraphicsRectItem>
#include <QGraphicsSimpleTextItem>
#include <QKeyEvent>
#include <QMouseEvent>
#include <algorithm>

#include "gui/palette.h"
#include "gui/session/qt_text.h"
#include "gui/views/path/path_edge_item.h"

namespace stallcast::gui {

DataPathCanvas::DataPathCanvas(QWidget* parent) : QGraphicsView(parent) {
  setScene(&scene_);
  setObjectName(QStringLiteral("dataPathCanvas"));
  setAccessibleName(tr("Data path"));
  setFocusPolicy(Qt::StrongFocus);
  setRenderHint(QPainter::Antialiasing);
  setFrameShape(QFrame::NoFrame);
  setAlignment(Qt::AlignLeft | Qt::AlignVCenter);
}

void DataPathCanvas::setPicture(PathPicture picture) {
  const QString was = current_ >= 0 ? picture_.edges[static_cast<std::size_t>(current_)].label : QString();
  picture_ = std::move(picture);
  current_ = -1;
  for (std::size_t i = 0; i < picture_.edges.size(); ++i)
    if (!was.isEmpty() && picture_.edges[i].label == was) current_ = static_cast<int>(i);
  setAccessibleDescription(picture_.sentence());
  layOut();
}

void DataPathCanvas::setInSamples(bool in_samples) {
  in_samples_ = in_samples;
  layOut();
}

void DataPathCanvas::setHighlight(const QString& key) {
  highlight_ = key;
  refresh();
}

QRectF DataPathCanvas::edgeRect(int edge) const {
  const PathEdgeItem* item = items_[static_cast<std::size_t>(edge)];
  return mapFromScene(item->sceneBoundingRect()).boundingRect();
}

// Stages are columns as wide as the widest text needs, or wider where there is room; bars between them join what flows.
void DataPathCanvas::layOut() {
  scene_.clear();
  items_.clear();
  const QFontMetricsF metrics(font());
  std::vector<std::vector<int>> columns;
  for (std::size_t i = 0; i < picture_.edges.size(); ++i) {
    if (i == 0 || picture_.edges[i].limit.stage != picture_.edges[i - 1].limit.stage) columns.emplace_back();
    columns.back().push_back(static_cast<int>(i));
  }
  if (columns.empty()) return;
  QSizeF least;
  std::size_t most_rows = 1;
  for (const auto& column : columns) most_rows = std::max(most_rows, column.size());
  for (const PathEdge& edge : picture_.edges) {
    const QString flow = flowText(edge.limit, picture_.samples_per_s, in_samples_);
    items_.push_back(new PathEdgeItem(edge, flow, font(), palette()));
    scene_.addItem(items_.back());
    least = least.expandedTo(PathEdgeItem::leastSize(edge, flow, font()));
  }
  const qreal bar = metrics.averageCharWidth() * 1.5, head = metrics.height() * 2.2;
  const auto count = static_cast<qreal>(columns.size());
  const qreal room = viewport()->width() - bar * (count + 1.0) - 2.0;
  const qreal width = std::max(least.width(), room / count);
  const qreal height = std::max(least.height(), (viewport()->height() - head - 4.0) / static_cast<qreal>(most_rows));
  const qreal row = std::min(height, least.height() * 3.0);
  const qreal edge_height = std::max(least.height(), row * 0.85);
  const qreal body = row * static_cast<qreal>(most_rows);
  qreal x = 0.0;
  const auto add_bar = [&] {
    scene_.addRect(x, head, bar, body, Qt::NoPen, mutedText(palette(), 0.55));
    x += bar;
  };
  add_bar();
  for (const auto& column : columns) {
    const PathStage stage = picture_.edges[static_cast<std::size_t>(column.front())].limit.stage;
    QGraphicsSimpleTextItem* title = scene_.addSimpleText(fromView(path_stage_title(stage)), font());
    title->setBrush(mutedText(palette(), 0.8));
    title->setPos(x + (width - title->boundingRect().width()) / 2.0, head * 0.2);
    const qreal share = body / static_cast<qreal>(column.size());
    for (std::size_t r = 0; r < column.size(); ++r) {
      PathEdgeItem* item = items_[static_cast<std::size_t>(column[r])];
      item->setSize({width, edge_height});
      item->setPos(x, head + share * static_cast<qreal>(r) + (share - edge_height) / 2.0);
    }
    x += width;
    add_bar();
  }
  scene_.setSceneRect(0.0, 0.0, x, head + body);
  setBackgroundBrush(palette().color(QPalette::Base));
  refresh();
}

void DataPathCanvas::refresh() {
  for (std::size_t i = 0; i < items_.size(); ++i)
    items_[i]->setMarks(!highlight_.isEmpty() && picture_.edges[i].keys.contains(highlight_),
                        static_cast<int>(i) == current_ && hasFocus());
}

void DataPathCanvas::setCurrent(int edge) {
  current_ = edge;
  if (edge >= 0) {
    ensureVisible(items_[static_cast<std::size_t>(edge)], 10, 10);
    const PathEdge& one = picture_.edges[static_cast<std::size_t>(edge)];
    setAccessibleDescription(
        QStringLiteral("%1: %2, %3")
            .arg(one.label, flowText(one.limit, picture_.samples_per_s, in_samples_), usedText(one.used)));
  }
  refresh();
}

// The edge that an arrow key leads to; the present one where there is none.
int DataPathCanvas::neighbour(int key) const {
  const auto count = static_cast<int>(picture_.edges.size());
  if (current_ < 0) return 0;
  const auto stage_of = [&](int i) { return picture_.edges[static_cast<std::size_t>(i)].limit.stage; };
  if (key == Qt::Key_Up || key == Qt::Key_Down) {
    const int next = current_ + (key == Qt::Key_Down ? 1 : -1);
    return next >= 0 && next < count && stage_of(next) == stage_of(current_) ? next : current_;
  }
  int next = current_;
  const int step = key == Qt::Key_Right ? 1 : -1;
  while (next >= 0 && next < count && stage_of(next) == stage_of(current_)) next += step;
  if (next < 0 || next >= count) return current_;
  while (next > 0 && stage_of(next - 1) == stage_of(next)) --next;  // the first of its stage
  return next;
}

void DataPathCanvas::keyPressEvent(QKeyEvent* event) {
  if (picture_.edges.empty()) return QGraphicsView::keyPressEvent(event);
  switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
      return setCurrent(neighbour(event->key()));
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
      if (current_ >= 0) emit edgeActivated(current_);
      return;
    default:
      QGraphicsView::keyPressEvent(event);
  }
}

void DataPathCanvas::mousePressEvent(QMouseEvent* event) {
  QGraphicsView::mousePressEvent(event);
  if (event->button() != Qt::LeftButton) return;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (!edgeRect(static_cast<int>(i)).contains(event->position())) continue;
    setCurrent(static_cast<int>(i));
    emit edgeActivated(static_cast<int>(i));
    return;
  }
}

void DataPathCanvas::resizeEvent(QResizeEvent* event) {
  QGraphicsView::resizeEvent(event);
  layOut();
}

void DataPathCanvas::changeEvent(QEvent* event) {
  QGraphicsView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) layOut();
}

void DataPathCanvas::focusInEvent(QFocusEvent* event) {
  QGraphicsView::focusInEvent(event);
  if (current_ < 0 && !items_.empty()) current_ = 0;
  refresh();
}

void DataPathCanvas::focusOutEvent(QFocusEvent* event) {
  QGraphicsView::focusOutEvent(event);
  refresh();
}

}  // namespace stallcast::gui
