#include "gui/charts/chart_widget.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/diagnostics/finding.h"
#include "gui/charts/chart_export.h"
#include "gui/charts/chart_legend.h"
#include "gui/charts/chart_table_model.h"
#include "gui/charts/plot_view.h"

namespace stallcast::gui {
namespace {

bool isWithoutData(const Chart& chart) {
  return std::all_of(chart.series.begin(), chart.series.end(), [](const ChartSeries& s) { return s.data.empty(); });
}

QLabel* makeLabel(const QString& name, QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setObjectName(name);
  label->setWordWrap(true);
  label->setTextFormat(Qt::PlainText);
  return label;
}

}  // namespace

ChartWidget::ChartWidget(const QString& name, QWidget* parent) : QWidget(parent) {
  setObjectName(name);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  title_ = makeLabel(name + QStringLiteral(".title"), this);
  menu_ = new QToolButton(this);
  menu_->setObjectName(name + QStringLiteral(".menu"));
  menu_->setText(QStringLiteral("\u22ee"));
  menu_->setAccessibleName(tr("Chart menu"));
  menu_->setToolTip(tr("Save, copy, show as table"));
  menu_->setAutoRaise(true);

  pages_ = new QStackedWidget(this);
  plot_ = new PlotView(pages_);
  plot_->setObjectName(name + QStringLiteral(".plot"));
  table_ = new QTableView(pages_);
  table_->setObjectName(name + QStringLiteral(".table"));
  model_ = new ChartTableModel(this);
  table_->setModel(model_);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setTabKeyNavigation(false);
  table_->verticalHeader()->hide();
  table_->horizontalHeader()->setStretchLastSection(true);
  empty_ = makeLabel(name + QStringLiteral(".empty"), pages_);
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setMargin(fontMetrics().height());
  pages_->addWidget(plot_);
  pages_->addWidget(table_);
  pages_->addWidget(empty_);
  legend_ = new ChartLegend(this);
  legend_->setObjectName(name + QStringLiteral(".legend"));

  auto* head = new QHBoxLayout;
  head->addWidget(title_, 1);
  head->addWidget(menu_, 0, Qt::AlignTop);
  auto* all = new QVBoxLayout(this);
  const int gap = fontMetrics().height() / 3;
  all->setContentsMargins(2 * gap, gap, 2 * gap, gap);
  all->setSpacing(gap);
  all->addLayout(head);
  all->addWidget(pages_, 1);
  all->addWidget(legend_);
  const QFontMetrics metrics = fontMetrics();
  pages_->setMinimumSize(28 * metrics.averageCharWidth(), 8 * metrics.height());

  connect(plot_, &PlotView::picked, this, &ChartWidget::picked);
  connect(plot_, &PlotView::ruleDragged, this, &ChartWidget::ruleDragged);
  connect(plot_, &PlotView::ruleMoved, this, &ChartWidget::ruleMoved);
  connect(legend_, &ChartLegend::picked, this, [this](const QString& key) { emit picked(key, -1, -1); });
  connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
    const auto [series, datum] = model_->at(index.row());
    emit picked(keyOf(chart_, series, datum), series, datum);
  });
  connect(menu_, &QToolButton::clicked, this, [this] { openMenu(menu_->mapToGlobal(menu_->rect().bottomLeft())); });
  makeActions();
  adoptTitle();
}

QAction* ChartWidget::addChartAction(const QString& name, const QString& text, const QKeySequence& keys) {
  auto* action = new QAction(text, this);
  action->setObjectName(objectName() + '.' + name);
  action->setShortcut(keys);
  action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  addAction(action);
  return action;
}

void ChartWidget::makeActions() {
  const auto saves = [this](const char* suffix, const QString& text, const QString& filter, const QKeySequence& keys) {
    connect(addChartAction(QString::fromLatin1(suffix), text, keys), &QAction::triggered, this,
            [this, suffix, filter] { askAndSave(QString::fromLatin1(suffix), filter); });
  };
  saves("svg", tr("Save as SVG…"), tr("SVG drawing (*.svg)"), QKeySequence(tr("Ctrl+Alt+S")));
  saves("png", tr("Save as PNG…"), tr("PNG image (*.png)"), QKeySequence(tr("Ctrl+Alt+P")));
  saves("csv", tr("Save as CSV…"), tr("CSV table (*.csv)"), QKeySequence(tr("Ctrl+Alt+C")));
  connect(addChartAction(QStringLiteral("copy"), tr("Copy"), QKeySequence::Copy), &QAction::triggered, this,
          &ChartWidget::copyToClipboard);
  show_table_ = addChartAction(QStringLiteral("as_table"), tr("Show as table"), QKeySequence(tr("Ctrl+Alt+T")));
  show_table_->setCheckable(true);
  connect(show_table_, &QAction::toggled, this, &ChartWidget::showTable);
  reset_zoom_ = addChartAction(QStringLiteral("reset_zoom"), tr("Show all"), QKeySequence(tr("Ctrl+0")));
  reset_zoom_->setEnabled(false);
  connect(reset_zoom_, &QAction::triggered, plot_, &PlotView::resetZoom);
  connect(plot_, &PlotView::zoomChanged, this, [this] { reset_zoom_->setEnabled(plot_->isZoomed()); });
}

void ChartWidget::setChart(const Chart& chart) {
  chart_ = chart;
  plot_->setChart(chart);
  model_->setChart(chart);
  if (isTableShown()) table_->resizeColumnsToContents();
  legend_->setChart(chart);
  adoptTitle();
}

const Chart& ChartWidget::chart() const { return chart_; }

void ChartWidget::adoptTitle() {
  const QString title = QString::fromStdString(chart_.title), alt = QString::fromStdString(chart_.alt);
  if (title_->text() != title) title_->setText(title);
  setAccessibleName(title);
  setAccessibleDescription(alt);
  plot_->setAccessibleName(title);
  if (plot_->current() < 0) plot_->setAccessibleDescription(alt);
  table_->setAccessibleName(title);
  table_->setAccessibleDescription(alt);
  empty_->setText(empty_text_.isEmpty() ? alt : empty_text_);
  if (isWithoutData(chart_)) {
    pages_->setCurrentWidget(empty_);
  } else {
    pages_->setCurrentWidget(show_table_ != nullptr && show_table_->isChecked() ? static_cast<QWidget*>(table_)
                                                                                : plot_);
  }
}

void ChartWidget::setEmptyText(const QString& text) {
  empty_text_ = text;
  adoptTitle();
}

void ChartWidget::highlight(const QString& key) {
  highlighted_ = key;
  plot_->setHighlight(key);
  legend_->setHighlight(key);
  table_->clearSelection();
  if (key.isEmpty()) return;
  for (int row = 0; row < model_->rowCount(); ++row) {
    const auto [series, datum] = model_->at(row);
    if (keyOf(chart_, series, datum) != key) continue;
    table_->selectRow(row);
    return;
  }
}

bool ChartWidget::isTableShown() const { return pages_->currentWidget() == table_; }

void ChartWidget::showTable(bool table) {
  const bool had_focus = pages_->currentWidget()->hasFocus();
  show_table_->setChecked(table);
  adoptTitle();
  if (isTableShown()) table_->resizeColumnsToContents();
  if (had_focus) pages_->currentWidget()->setFocus();
}

void ChartWidget::openMenu(const QPoint& at) {
  auto* menu = new QMenu(this);
  menu->setObjectName(objectName() + QStringLiteral(".context"));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addActions(actions());
  menu->popup(at);
}

void ChartWidget::contextMenuEvent(QContextMenuEvent* event) { openMenu(event->globalPos()); }

void ChartWidget::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::FontChange || title_ == nullptr) return;
  title_->updateGeometry();
  legend_->updateGeometry();
}

void ChartWidget::askAndSave(const QString& suffix, const QString& filter) {
  auto* dialog = new QFileDialog(this, tr("Save chart"), QString(), filter);
  dialog->setObjectName(objectName() + QStringLiteral(".save"));
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(suffix);
  dialog->selectFile(QString::fromStdString(chart_.id.empty() ? "chart" : chart_.id) + '.' + suffix);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QFileDialog::fileSelected, this, &ChartWidget::saveTo);
  dialog->open();
}

bool ChartWidget::saveTo(const QString& path) {
  try {
    saveChart(chart_, path);
    return true;
  } catch (const WorldError& error) {
    say(QString::fromUtf8(error.what()));
    return false;
  }
}

void ChartWidget::copyToClipboard() const {
  if (isTableShown()) {
    QApplication::clipboard()->setText(QString::fromStdString(chart_csv(chart_)));
  } else {
    QApplication::clipboard()->setImage(chartImage(chart_, kImageScale));
  }
}

void ChartWidget::say(const QString& problem) {
  auto* box = new QMessageBox(QMessageBox::Warning, tr("The chart is not saved"), problem, QMessageBox::Ok, this);
  box->setObjectName(objectName() + QStringLiteral(".problem"));
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->open();
}

}  // namespace stallcast::gui
