#include "gui/charts/chart_table_model.h"

#include <algorithm>

#include "gui/charts/chart_ticks.h"

namespace stallcast::gui {

void ChartTableModel::setChart(const Chart& chart) {
  std::vector<std::pair<int, int>> rows;
  for (std::size_t s = 0; s < chart.series.size(); ++s)
    for (std::size_t d = 0; d < chart.series[s].data.size(); ++d)
      rows.emplace_back(static_cast<int>(s), static_cast<int>(d));
  if (rows == rows_) {
    chart_ = chart;
    emit headerDataChanged(Qt::Horizontal, 0, kColumns - 1);
    if (!rows_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
    return;
  }
  beginResetModel();
  chart_ = chart;
  rows_ = std::move(rows);
  endResetModel();
}

int ChartTableModel::rowOf(int series, int datum) const {
  const auto found = std::find(rows_.begin(), rows_.end(), std::pair(series, datum));
  return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

int ChartTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int ChartTableModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumns; }

const ChartAxis& ChartTableModel::axisOf(int column) const {
  const bool across = chart_.kind == ChartKind::kRanges || chart_.kind == ChartKind::kTimeline;
  return column == kX || (across && column != kY) ? chart_.x : chart_.y;
}

std::optional<double> ChartTableModel::number(const ChartDatum& datum, int column) const {
  switch (column) {
    case kX:
      return datum.x;
    case kY:
      return datum.y;
    case kLow:
      return datum.low;
    case kHigh:
      return datum.high;
    default:
      return std::nullopt;
  }
}

QVariant ChartTableModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
  const auto [s, d] = at(index.row());
  const ChartSeries& series = chart_.series[static_cast<std::size_t>(s)];
  const ChartDatum& datum = series.data[static_cast<std::size_t>(d)];
  const bool is_text = index.column() == kSeries || index.column() == kLabel;
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (is_text ? Qt::AlignLeft : Qt::AlignRight)));
  if (role != Qt::DisplayRole && role != Qt::UserRole) return {};
  if (is_text) return QString::fromStdString(index.column() == kSeries ? series.name : datum.label);
  const std::optional<double> value = number(datum, index.column());
  if (!value) return {};
  if (role == Qt::UserRole) return *value;
  return valueText(axisOf(index.column()), *value);
}

QVariant ChartTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
    return QAbstractTableModel::headerData(section, orientation, role);
  switch (section) {
    case kSeries:
      return tr("Series");
    case kLabel:
      return tr("What");
    case kX:
      return QString::fromStdString(axis_heading(chart_.x));
    case kY:
      return QString::fromStdString(axis_heading(chart_.y));
    case kLow:
      return tr("From");
    case kHigh:
      return tr("To");
    default:
      return {};
  }
}

}  // namespace stallcast::gui
