#include "gui/start/job_path.h"

#include <QCoreApplication>
#include <QLocale>
#include <QPainterPath>
#include <algorithm>

#include "gui/palette.h"

namespace stallcast::gui {
namespace {

QString said(const char* text) { return QCoreApplication::translate("JobPath", text); }

QString counted(std::int64_t count, const char* one, const char* many) {
  return QStringLiteral("%1 %2").arg(QLocale(QLocale::English).toString(static_cast<qlonglong>(count)),
                                     said(count == 1 ? one : many));
}

Station stationOf(const StorageSpec& storage) {
  if (storage.scope == TierScope::kPerNode) return {StationKind::kOwnDisks, said("Own disks")};
  if (storage.list_page_size > 0) return {StationKind::kBucket, said("Bucket")};
  return {StationKind::kFileSystem, said("File system")};
}

// --- drawing: each in a square `box` ---

void drawDisks(QPainter& painter, const QRectF& box) {
  const double height = box.height() / 4.0;
  for (int i = 2; i >= 0; --i) {
    const QRectF lid(box.left(), box.top() + height * static_cast<double>(i), box.width(), 1.3 * height);
    QPainterPath side;
    side.moveTo(lid.left(), lid.center().y());
    side.lineTo(lid.left(), lid.center().y() + height);
    side.arcTo(lid.translated(0.0, height), 180.0, 180.0);
    side.lineTo(lid.right(), lid.center().y());
    side.arcTo(lid, 0.0, -180.0);
    painter.drawPath(side);
    painter.drawEllipse(lid);
  }
}

void drawBucket(QPainter& painter, const QRectF& box) {
  const double rim = 0.25 * box.height();
  const QRectF lid(box.left(), box.top(), box.width(), rim);
  const QRectF foot = QRectF(0.0, 0.0, 0.7 * box.width(), 0.7 * rim);
  const QRectF ground = foot.translated(box.center().x() - foot.width() / 2.0, box.bottom() - foot.height());
  QPainterPath side;
  side.moveTo(lid.left(), lid.center().y());
  side.lineTo(ground.left(), ground.center().y());
  side.arcTo(ground, 180.0, 180.0);
  side.lineTo(lid.right(), lid.center().y());
  side.arcTo(lid, 0.0, -180.0);
  painter.drawPath(side);
  painter.drawEllipse(lid);
}

void drawDrive(QPainter& painter, const QRectF& box) {
  const QRectF body = box.adjusted(0.0, 0.22 * box.height(), 0.0, -0.22 * box.height());
  painter.drawRoundedRect(body, 2.0, 2.0);
  const double chip = 0.45 * body.height(), gap = (body.width() - 2.0 * chip) / 3.0;
  for (int i = 0; i < 2; ++i)
    painter.drawRect(
        QRectF(body.left() + gap + static_cast<double>(i) * (chip + gap), body.center().y() - chip / 2.0, chip, chip));
}

void drawCache(QPainter& painter, const QRectF& box) {
  const QRectF body = box.adjusted(0.0, 0.3 * box.height(), 0.0, -0.3 * box.height());
  painter.drawRect(body);
  constexpr int kPins = 4;
  for (int i = 0; i < kPins; ++i) {
    const double x = body.left() + body.width() * (static_cast<double>(i) + 0.5) / kPins;
    painter.drawLine(QLineF(x, body.bottom(), x, body.bottom() + 0.16 * box.height()));
  }
}

void drawNodes(QPainter& painter, const QRectF& box) {
  constexpr int kUnits = 3;
  const double height = box.height() / kUnits;
  for (int i = 0; i < kUnits; ++i) {
    const QRectF unit(box.left(), box.top() + height * static_cast<double>(i), box.width(), 0.8 * height);
    painter.drawRect(unit);
    painter.drawLine(QLineF(unit.left() + 0.2 * unit.width(), unit.center().y(), unit.left() + 0.45 * unit.width(),
                            unit.center().y()));
  }
}

void drawGpus(QPainter& painter, const QRectF& box, const QPalette& palette) {
  constexpr int kSide = 3;
  const double cell = box.width() / kSide;
  const QColor colour = chartColour(0, palette);  // of computing, in every chart
  for (int row = 0; row < kSide; ++row)
    for (int column = 0; column < kSide; ++column)
      painter.fillRect(QRectF(box.left() + cell * column, box.top() + cell * row, 0.78 * cell, 0.78 * cell), colour);
}

void drawStation(QPainter& painter, StationKind kind, const QRectF& box, const QPalette& palette) {
  switch (kind) {
    case StationKind::kBucket:
      return drawBucket(painter, box);
    case StationKind::kFileSystem:
      return drawDisks(painter, box);
    case StationKind::kOwnDisks:
      return drawDrive(painter, box);
    case StationKind::kCache:
      return drawCache(painter, box);
    case StationKind::kNodes:
      return drawNodes(painter, box);
    case StationKind::kGpus:
      return drawGpus(painter, box, palette);
  }
}

// Smaller where it would not fit.
void drawFitting(QPainter& painter, const QRectF& box, const QString& text) {
  const double wide = painter.fontMetrics().horizontalAdvance(text);
  if (wide <= box.width()) return painter.drawText(box, Qt::AlignCenter, text);
  painter.save();
  painter.translate(box.center());
  painter.scale(box.width() / wide, box.width() / wide);
  painter.drawText(QRectF(-wide, -box.height(), 2.0 * wide, 2.0 * box.height()), Qt::AlignCenter, text);
  painter.restore();
}

void drawArrow(QPainter& painter, double from, double to, double y) {
  constexpr double kHead = 3.0;
  if (to - from < 2.0 * kHead) return;
  painter.drawLine(QLineF(from, y, to, y));
  painter.drawLine(QLineF(to, y, to - kHead, y - kHead));
  painter.drawLine(QLineF(to, y, to - kHead, y + kHead));
}

}  // namespace

std::vector<Station> jobPath(const Scenario& s) {
  std::vector<Station> path;
  if (s.staging.method != StagingMethod::kNone) path.push_back(stationOf(s.origin));
  path.push_back(stationOf(s.storage));
  const auto caches = {s.page_cache.policy, s.node_cache.policy, s.server_cache.policy, s.regional_cache.policy};
  if (s.job == JobKind::kTraining &&
      std::any_of(caches.begin(), caches.end(), [](CachePolicy policy) { return policy != CachePolicy::kNone; }))
    path.push_back({StationKind::kCache, said("Cache")});
  path.push_back({StationKind::kNodes, counted(s.cluster.nodes, "node", "nodes")});
  path.push_back({StationKind::kGpus, counted(s.ranks(), "GPU", "GPUs")});
  return path;
}

QString pathText(const std::vector<Station>& path) {
  QStringList labels;
  for (const Station& station : path) labels += station.label;
  return labels.join(QStringLiteral(" → "));
}

void drawPath(QPainter& painter, const QRectF& area, const std::vector<Station>& path, const QPalette& palette) {
  if (path.empty()) return;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  QFont small = painter.font();
  small.setPointSizeF(0.8 * small.pointSizeF());
  painter.setFont(small);
  const QFontMetricsF metrics(small);
  const double column = area.width() / static_cast<double>(path.size());
  const double size = std::min(area.height() - 1.3 * metrics.height(), 0.42 * column);
  const double middle = area.top() + size / 2.0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const double centre = area.left() + column * (static_cast<double>(i) + 0.5);
    painter.setPen(QPen(palette.color(QPalette::Text), 1.0));
    painter.setBrush(palette.color(QPalette::Base));
    drawStation(painter, path[i].kind, {centre - size / 2.0, area.top(), size, size}, palette);
    painter.setPen(QPen(mutedText(palette), 1.0));
    if (i > 0) drawArrow(painter, centre - column + size / 2.0 + 4.0, centre - size / 2.0 - 4.0, middle);
    const QRectF below(centre - column / 2.0, area.top() + size + 0.3 * metrics.height(), column, metrics.height());
    drawFitting(painter, below.adjusted(1.0, 0.0, -1.0, 0.0), path[i].label);
  }
  painter.restore();
}

JobPicture::JobPicture(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(said("Data path of the job"));
}

void JobPicture::setPath(std::vector<Station> path) {
  path_ = std::move(path);
  setAccessibleDescription(pathText(path_));
  update();
}

QSize JobPicture::sizeHint() const { return {24 * fontMetrics().averageCharWidth(), 4 * fontMetrics().height()}; }

void JobPicture::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setFont(font());
  drawPath(painter, QRectF(rect()).adjusted(1.0, 1.0, -1.0, -1.0), path_, palette());
}

}  // namespace stallcast::gui
