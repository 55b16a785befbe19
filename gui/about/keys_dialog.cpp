#include "gui/about/keys_dialog.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QMenu>
#include <QMenuBar>
#include <QTableWidget>
#include <QVBoxLayout>
#include <utility>
#include <vector>

namespace stallcast::gui {
namespace {

using Row = std::pair<QString, QString>;  // a key, and what it does

void addKeys(const QMenu& menu, const QString& path, std::vector<Row>& rows) {
  for (const QAction* action : menu.actions()) {
    QString text = action->text();
    text.remove('&').remove(QStringLiteral("…"));
    if (action->menu() != nullptr)
      addKeys(*action->menu(), path + text + QStringLiteral(" ▸ "), rows);
    else if (!action->shortcut().isEmpty())
      rows.emplace_back(action->shortcut().toString(QKeySequence::NativeText), path + text);
  }
}

std::vector<Row> keysOf(const QMainWindow& window) {
  std::vector<Row> rows;
  for (const QAction* action : window.menuBar()->actions()) {
    if (action->menu() == nullptr) continue;
    QString name = action->text();
    addKeys(*action->menu(), name.remove('&') + QStringLiteral(" ▸ "), rows);
  }
  const auto add = [&rows](const QString& keys, const QString& what) { rows.emplace_back(keys, what); };
  add(KeysDialog::tr("Escape"), KeysDialog::tr("In a field: brings back what was there before"));
  add(KeysDialog::tr("Arrows"), KeysDialog::tr("In a chart: to the next point in that direction"));
  add(KeysDialog::tr("Return, Space"), KeysDialog::tr("In a chart: selects the point"));
  add(KeysDialog::tr("+, −, wheel with Ctrl"), KeysDialog::tr("In a chart or timeline: closer, farther"));
  add(KeysDialog::tr("0"), KeysDialog::tr("In a chart: all of it"));
  add(KeysDialog::tr("Ctrl+Alt+T"), KeysDialog::tr("In a chart: as a table"));
  return rows;
}

}  // namespace

KeysDialog::KeysDialog(const QMainWindow& window, QWidget* parent) : QDialog(parent) {
  setObjectName(QStringLiteral("keysDialog"));
  setWindowTitle(tr("Keyboard shortcuts"));
  const std::vector<Row> rows = keysOf(window);
  auto* const table = new QTableWidget(static_cast<int>(rows.size()), 2, this);
  table->setObjectName(QStringLiteral("keysTable"));
  table->setAccessibleName(tr("Keys and what they do"));
  table->setHorizontalHeaderLabels({tr("Key"), tr("What it does")});
  table->verticalHeader()->hide();
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setTabKeyNavigation(false);
  table->setShowGrid(false);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    table->setItem(static_cast<int>(i), 0, new QTableWidgetItem(rows[i].first));
    table->setItem(static_cast<int>(i), 1, new QTableWidgetItem(rows[i].second));
  }
  table->resizeColumnsToContents();
  table->horizontalHeader()->setStretchLastSection(true);
  auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* const layout = new QVBoxLayout(this);
  layout->addWidget(table, 1);
  layout->addWidget(buttons);
  resize(fontMetrics().averageCharWidth() * 80, fontMetrics().height() * 36);
}

QAction* keysAction(QMainWindow& window) {
  auto* const action = new QAction(KeysDialog::tr("&Keyboard shortcuts"), &window);
  action->setObjectName(QStringLiteral("keysAction"));
  action->setShortcut(QKeySequence::HelpContents);
  QObject::connect(action, &QAction::triggered, &window, [&window] {
    auto* const dialog = new KeysDialog(window, &window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
  });
  return action;
}

}  // namespace stallcast::gui
