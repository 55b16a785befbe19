#include "gui/charts/plot_axes.h"

#include <QBarCategoryAxis>
#include <QFontMetrics>
#include <QLogValueAxis>
#include <QPen>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

#include "gui/palette.h"

namespace stallcast::gui {
namespace {

// Qt Charts takes a category once: later ones of the same name get a space without width.
QStringList distinct(const QStringList& names) {
  QStringList out;
  for (const QString& name : names) {
    QString text = name.isEmpty() ? QStringLiteral(" ") : name.toHtmlEscaped();
    while (out.contains(text)) text += QChar(0x200B);
    out.append(text);
  }
  return out;
}

// The title of an upright axis: where the axis is shorter than it, in two lines of about one length, else the unit
// alone.
QString fitted(const ChartAxis& axis, const PlotAxis::Room& room) {
  const QString title = QString::fromStdString(axis_heading(axis));
  const auto fits = [&](const QString& line) { return QFontMetricsF(room.font).horizontalAdvance(line) <= room.along; };
  if (room.along <= 0.0 || fits(title)) return title;
  const int middle = static_cast<int>(title.size()) / 2;
  const int before = static_cast<int>(title.lastIndexOf(' ', middle)),
            after = static_cast<int>(title.indexOf(' ', middle));
  const int at = after < 0 || (before >= 0 && middle - before < after - middle) ? before : after;
  if (at >= 0 && fits(title.left(at)) && fits(title.mid(at + 1)))
    return title.left(at) + QStringLiteral("<br>") + title.mid(at + 1);
  return QString::fromStdString(axis.unit);
}

}  // namespace

void PlotAxis::rebuild(QChart& chart, Qt::Orientation side, const AxisShape& shape) {
  if (axis_ != nullptr) {
    chart.removeAxis(axis_);
    delete axis_;
  }
  side_ = side;
  shape_ = shape;
  categories_.clear();
  if (shape.categorical) {
    axis_ = new QBarCategoryAxis;
    axis_->setTruncateLabels(false);  // names that do not fit side by side are read from top to bottom
  } else if (shape.logarithmic) {
    auto* axis = new QLogValueAxis;
    axis->setBase(shape.base);
    axis->setLabelFormat(QStringLiteral("%.10g"));
    axis->setMinorTickCount(shape.base > 2.0 ? 8 : 0);
    axis_ = axis;
  } else {
    auto* axis = new QValueAxis;
    axis->setTickType(QValueAxis::TicksDynamic);
    axis->setTickAnchor(0.0);
    axis_ = axis;
  }
  range_ = {0.0, 1.0};
  axis_->setRange(0.0, 1.0);
  chart.addAxis(axis_, side == Qt::Horizontal ? Qt::AlignBottom : Qt::AlignLeft);
}

void PlotAxis::show(const ChartAxis& axis, const ValueRange& range, int most_ticks, const Room& room) {
  const QString title = axis.title.empty()      ? QString()
                        : side_ == Qt::Vertical ? fitted(axis, room)
                                                : QString::fromStdString(axis_heading(axis));
  if (axis_->titleText() != title) axis_->setTitleText(title);
  if (shape_.categorical) {
    showCategories(axis, room);
  } else {
    showValues(range, most_ticks);
  }
}

void PlotAxis::showValues(const ValueRange& range, int most_ticks) {
  if (auto* values = qobject_cast<QValueAxis*>(axis_)) {
    const Ticks ticks = niceTicks(range, most_ticks);
    // The wider step first: never thousands of ticks in between.
    const bool coarser = ticks.step > values->tickInterval() || values->tickInterval() <= 0.0;
    if (coarser) values->setTickInterval(ticks.step);
    if (range != range_) values->setRange(range.low, range.high);
    if (!coarser && ticks.step != values->tickInterval()) values->setTickInterval(ticks.step);
    const QString format = QStringLiteral("%.%1f").arg(ticks.decimals);
    if (values->labelFormat() != format) values->setLabelFormat(format);
  } else if (range != range_) {
    axis_->setRange(range.low, range.high);
  }
  range_ = range;
}

void PlotAxis::showCategories(const ChartAxis& axis, const Room& room) {
  constexpr double kMostBeside = 0.4;  // of the whole width, with ticks: Qt Charts gives an axis no more
  auto* names = qobject_cast<QBarCategoryAxis*>(axis_);
  const QFontMetrics metrics(room.font);
  const auto count = static_cast<double>(axis.categories.size());
  const bool upright = side_ == Qt::Vertical;
  const int every =
      upright && room.along > 0.0 ? std::max(1, static_cast<int>(std::ceil(metrics.height() * count / room.along))) : 1;
  QStringList texts;
  for (std::size_t i = 0; i < axis.categories.size(); ++i) {
    const QString name = QString::fromStdString(axis.categories[i]);
    const bool shown = static_cast<int>(i) % every == 0;
    const int most = static_cast<int>(kMostBeside * room.beside) - 3 * metrics.averageCharWidth();
    texts.append(!shown ? QString() : upright && most > 0 ? metrics.elidedText(name, Qt::ElideMiddle, most) : name);
  }
  QStringList wanted = distinct(texts);
  if (upright) std::reverse(wanted.begin(), wanted.end());
  range_ = {-0.5, static_cast<double>(wanted.size()) - 0.5};
  if (wanted == categories_) return;
  categories_ = wanted;
  names->clear();
  names->append(wanted);
  if (!wanted.isEmpty()) names->setRange(wanted.first(), wanted.last());
}

double PlotAxis::shareOf(double value) const {
  if (!shape_.logarithmic) return (value - range_.low) / range_.width();
  constexpr double kFarBelow = 1e-3;
  return std::log(std::max(value, kFarBelow * range_.low) / range_.low) / std::log(range_.high / range_.low);
}

void PlotAxis::setLook(const QPalette& palette, const QFont& font, bool lanes) {
  axis_->setLabelsFont(font);
  axis_->setTitleFont(font);
  axis_->setLabelsBrush(mutedText(palette, 0.9));
  axis_->setTitleBrush(mutedText(palette, 0.9));
  axis_->setLinePen(QPen(mutedText(palette, 0.45), 1.0));
  axis_->setGridLinePen(QPen(mutedText(palette, 0.16), 1.0));
  axis_->setMinorGridLinePen(QPen(mutedText(palette, 0.07), 1.0));
  axis_->setGridLineVisible(!shape_.categorical || lanes);
}

ValueRange steadied(const std::optional<ValueRange>& shown, const ValueRange& wanted) {
  constexpr double kLeastUse = 0.6;
  if (!shown || wanted.low < shown->low || wanted.high > shown->high) return wanted;
  if (shown->low < 0.0 && wanted.low >= 0.0) return wanted;
  return wanted.width() >= kLeastUse * shown->width() ? *shown : wanted;
}

}  // namespace stallcast::gui
