#include "gui/panel/findings_panel.h"

#include <QHeaderView>
#include <QVBoxLayout>

namespace stallcast::gui {

FindingsPanel::FindingsPanel(QWidget* parent)
    : QWidget(parent), model_(new FindingsModel(this)), view_(new QTreeView(this)) {
  setObjectName("findingsPanel");
  setAccessibleName(tr("Findings"));
  view_->setObjectName("findingsList");
  view_->setAccessibleName(tr("What is wrong with the scenario; Enter jumps to the field"));
  view_->setModel(model_);
  view_->setRootIsDecorated(false);
  view_->setUniformRowHeights(true);
  view_->setTabKeyNavigation(false);
  view_->header()->setStretchLastSection(true);
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
