#include "gui/charts/plot_axes.h"

#include <QBarCategoryAxis>
#include <QLogValueAxis>
#include <QPen>
#include <QValueAxis>
#include <algorithm>

#include "gui/palette.h"

namespace stallcast::gui {
namespace {

// Qt Charts takes a category once: later ones of the same name get a space without width.
QStringList distinct(const std::vector<std::string>& names) {
  QStringList out;
  for (const std::string& name : names) {
    QString text = name.empty() ? QStringLiteral(" ") : QString::fromStdString(name).toHtmlEscaped();
    while (out.contains(text)) text += QChar(0x200B);
    out.append(text);
  }
  return out;
}

}  // namespace

void PlotAxis::rebuild(QChart& chart, Qt::Orientation side, const ChartAxis& /*axis*/, const AxisShape& shape) {
  if (axis_ != nullptr) {
    chart.removeAxis(axis_);
    delete axis_;
  }
  side_ = side;
  shape_ = shape;
  categories_.clear();
  if (shape.categorical) {
    axis_ = new QBarCategoryAxis;
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

void PlotAxis::show(const ChartAxis& axis, const ValueRange& range, int most_ticks) {
  const QString title = QString::fromStdString(axis.title.empty() ? "" : axis_heading(axis));
  if (axis_->titleText() != title) axis_->setTitleText(title);
  if (shape_.categorical) {
    showCategories(axis);
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

void PlotAxis::showCategories(const ChartAxis& axis) {
  auto* names = qobject_cast<QBarCategoryAxis*>(axis_);
  QStringList wanted = distinct(axis.categories);
  if (side_ == Qt::Vertical) std::reverse(wanted.begin(), wanted.end());
  range_ = {-0.5, static_cast<double>(wanted.size()) - 0.5};
  if (wanted == categories_) return;
  categories_ = wanted;
  names->clear();
  names->append(wanted);
  if (!wanted.isEmpty()) names->setRange(wanted.first(), wanted.last());
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
