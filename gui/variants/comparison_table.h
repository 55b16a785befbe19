// A comparison as a table: every figure with its paired difference to the reference, then the inputs that differ.
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <vector>

#include "core/plan/compare/comparison.h"

namespace stallcast::gui {

// Columns: what it is, the baseline, then two for each other scenario: its value, and what it is ahead of the baseline.
class ComparisonTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  using QAbstractTableModel::QAbstractTableModel;

  // `names` of the scenarios, the baseline first. Before there are figures, inputs stand alone.
  void setInputs(const std::vector<InputDifference>& inputs, const QStringList& names);
  void setComparison(const Comparison& comparison, const QStringList& names);
  void clear();

  // The key of Selection that a row stands for: a pointer, or the name of a figure.
  QString key(int row) const { return rows_[static_cast<std::size_t>(row)].key; }

  bool isHeading(int row) const { return rows_[static_cast<std::size_t>(row)].heading; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Row {
    QString key, help;
    QStringList cells;
    bool heading = false;
  };
  void start(const QStringList& names);
  void addInputs(const std::vector<InputDifference>& inputs);

  QStringList headers_;
  std::vector<Row> rows_;
};

// "+12.1 ± 0.3 points, better", "-$4.20 ± $0.90, better", "≈ 0.1 ± 0.4 points".
QString differenceText(const Kpi& kpi, const Estimate& difference);

}  // namespace stallcast::gui
