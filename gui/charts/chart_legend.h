// Which colour is which series, in as many lines as it takes.
#pragma once

#include <QWidget>
#include <vector>

#include "core/report/charts/chart.h"

namespace stallcast::gui {

// Of a chart that needs none nothing is shown. A click selects the series; so do the arrows and Return or the space
// bar.
class ChartLegend : public QWidget {
  Q_OBJECT
 public:
  explicit ChartLegend(QWidget* parent = nullptr);

  void setChart(const Chart& chart);
  void setHighlight(const QString& key);
  // Of an entry, for tests and tooltips; empty where there is none.
  QRect entryRect(int series) const;

  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 signals:
  void picked(const QString& key);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  struct Entry {
    QString name, key;
    int colour = 0;
    bool is_line = false;
    Qt::BrushStyle hatch = Qt::NoBrush;
    bool operator==(const Entry&) const = default;
  };
  // Rectangles of the entries in lines of `width`.
  std::vector<QRect> places(int width) const;
  int swatch() const;
  void setCurrent(int entry);

  std::vector<Entry> entries_;
  QString highlight_;
  int current_ = 0;  // that keys act on
};

}  // namespace stallcast::gui
