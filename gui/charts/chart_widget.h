// A core Chart as a widget: title, plot or table, legend, and everything that can be done with a chart.
#pragma once

#include <QWidget>

#include "core/report/charts/chart.h"

class QAction;
class QLabel;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace stallcast::gui {

class ChartLegend;
class ChartTableModel;
class PlotView;

// Every kind of chart through one interface. `name` becomes the objectName; children are "NAME.plot", "NAME.table",
// "NAME.legend", "NAME.title", "NAME.menu".
class ChartWidget : public QWidget {
  Q_OBJECT
 public:
  explicit ChartWidget(const QString& name, QWidget* parent = nullptr);

  // Shows `chart` in the place of the one before, without flicker where it has the same shape.
  void setChart(const Chart& chart);
  const Chart& chart() const;

  // Data and series with this key stand out, the others step back; "" or a key that is not there: all are equal.
  void highlight(const QString& key);
  const QString& highlighted() const { return highlighted_; }

  // What is said in the place of a chart without data; by default the chart's alt.
  void setEmptyText(const QString& text);

  bool isTableShown() const;
  void showTable(bool table);

  // To a file of the kind that its suffix says: svg, png or csv. What goes wrong is said in a message box; false then.
  bool saveTo(const QString& path);
  void copyToClipboard() const;  // the table as text while it is shown, else the drawing

 signals:
  // By a click or Return; `series` and `datum` are -1 where a series is meant by its legend.
  void picked(const QString& key, int series, int datum);
  void ruleDragged(const QString& key, double at);  // PlotView's
  void ruleMoved(const QString& key, double at);

 protected:
  void contextMenuEvent(QContextMenuEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  QAction* addChartAction(const QString& name, const QString& text, const QKeySequence& keys);
  void makeActions();
  void openMenu(const QPoint& at);
  void askAndSave(const QString& suffix, const QString& filter);
  void adoptTitle();
  void say(const QString& problem);

  Chart chart_;
  QLabel *title_ = nullptr, *empty_ = nullptr;
  QToolButton* menu_ = nullptr;
  QStackedWidget* pages_ = nullptr;
  PlotView* plot_ = nullptr;
  QTableView* table_ = nullptr;
  ChartTableModel* model_ = nullptr;
  ChartLegend* legend_ = nullptr;
  QAction *show_table_ = nullptr, *reset_zoom_ = nullptr;
  QString empty_text_, highlighted_;
};

}  // namespace stallcast::gui
