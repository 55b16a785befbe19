#include "gui/panel/findings_model.h"

#include <QApplication>
#include <QStyle>
#include <algorithm>

#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/field_title.h"
#include "gui/panel/field_text.h"

namespace stallcast::gui {

void FindingsModel::setFindings(const Findings& findings) {
  beginResetModel();
  findings_ = findings.list();
  std::stable_partition(findings_.begin(), findings_.end(),
                        [](const Finding& finding) { return finding.severity == Severity::kError; });
  endResetModel();
}

int FindingsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(findings_.size());
}

int FindingsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumns; }

QVariant FindingsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Finding& finding = findings_[static_cast<std::size_t>(index.row())];
  const bool error = finding.severity == Severity::kError;
  if (role == kPointerRole) return QString::fromStdString(finding.pointer);
  if (role == Qt::ToolTipRole) return QString::fromStdString(render_finding(finding));
  if (role == Qt::AccessibleTextRole && index.column() == kFinding)
    return (error ? tr("Error: ") : tr("Warning: ")) + findingText(finding);
  if (role == Qt::DecorationRole && index.column() == kField)
    return QApplication::style()->standardIcon(error ? QStyle::SP_MessageBoxCritical : QStyle::SP_MessageBoxWarning);
  if (role != Qt::DisplayRole) return {};
  if (index.column() == kFinding) return findingText(finding);
  if (finding.pointer.empty()) return QString::fromStdString(finding.file);
  return QString::fromStdString(find_field(finding.pointer) != nullptr ? field_title(finding.pointer)
                                                                       : finding.pointer);
}

QVariant FindingsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  return section == kField ? tr("Where") : tr("What");
}

}  // namespace stallcast::gui
