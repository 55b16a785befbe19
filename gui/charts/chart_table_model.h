// A chart's data as a table: the same rows and columns as chart_csv(), for who prefers to read.
#pragma once

#include <QAbstractTableModel>
#include <optional>
#include <utility>
#include <vector>

#include "core/report/charts/chart.h"

namespace stallcast::gui {

class ChartTableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { kSeries, kLabel, kX, kY, kLow, kHigh, kColumns };

  using QAbstractTableModel::QAbstractTableModel;

  // Of a chart with the same number of data only values change: selections stay.
  void setChart(const Chart& chart);

  // Series and datum of a row, and back; -1 where there is none.
  std::pair<int, int> at(int row) const { return rows_[static_cast<std::size_t>(row)]; }
  int rowOf(int series, int datum) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  // What a cell measures; nothing for texts and values that are not there.
  std::optional<double> number(const ChartDatum& datum, int column) const;
  const ChartAxis& axisOf(int column) const;

  Chart chart_;
  std::vector<std::pair<int, int>> rows_;
};

}  // namespace stallcast::gui
