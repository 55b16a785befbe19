#include "gui/panel/findings_panel.h"

#include <QHeaderView>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

namespace stallcast::gui {
namespace {

// A finding is as high as its text is in the width of its column: a QTreeView asks without one.
class WrappedDelegate : public QStyledItemDelegate {
 public:
  explicit WrappedDelegate(QTreeView* view) : QStyledItemDelegate(view), view_(view) {}
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    if (index.column() != FindingsModel::kFinding) return QStyledItemDelegate::sizeHint(option, index);
    QStyleOptionViewItem in_column = option;
    in_column.rect = QRect(0, 0, view_->columnWidth(index.column()), 1);
    return QStyledItemDelegate::sizeHint(in_column, index);
  }

 private:
  QTreeView* view_;
};

}  // namespace

FindingsPanel::FindingsPanel(QWidget* parent)
    : QWidget(parent), model_(new FindingsModel(this)), view_(new QTreeView(this)) {
  setObjectName("findingsPanel");
  setAccessibleName(tr("Findings"));
  view_->setObjectName("findingsList");
  view_->setAccessibleName(tr("What is wrong with the scenario; Enter jumps to the field"));
  view_->setModel(model_);
  view_->setRootIsDecorated(false);
  view_->setWordWrap(true);
  view_->setItemDelegate(new WrappedDelegate(view_));
  view_->setTabKeyNavigation(false);
  view_->header()->setStretchLastSection(true);
  connect(view_->header(), &QHeaderView::sectionResized, view_, &QTreeView::doItemsLayout, Qt::QueuedConnection);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(view_);
  connect(view_, &QTreeView::activated, this,
          [this](const QModelIndex& index) { emit jumpWanted(index.data(FindingsModel::kPointerRole).toString()); });
}

void FindingsPanel::setFindings(const Findings& findings) {
  model_->setFindings(findings);
  view_->resizeColumnToContents(FindingsModel::kField);
}

}  // namespace stallcast::gui
