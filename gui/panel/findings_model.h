// What is wrong with the scenario, as a list.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "core/diagnostics/finding.h"

namespace stallcast::gui {

class FindingsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { kField, kFinding, kColumns };
  static constexpr int kPointerRole = Qt::UserRole;

  using QAbstractTableModel::QAbstractTableModel;

  // Errors first, each in the order found.
  void setFindings(const Findings& findings);
  const std::vector<Finding>& findings() const { return findings_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  std::vector<Finding> findings_;
};

}  // namespace stallcast::gui
