// A view that is one chart, with controls above it and a line below that says what it is of.
#pragma once

#include <QLabel>
#include <QProgressBar>
#include <QVBoxLayout>

#include "gui/charts/chart_widget.h"
#include "gui/views/view.h"

namespace stallcast::gui {

// What is selected elsewhere stands out here; what is picked here is selected everywhere.
class ChartView : public View {
  Q_OBJECT
 public:
  ChartWidget& chart() { return *chart_; }

 protected:
  // `name` is the objectName; the chart is "NAME.chart", the line below "NAME.status".
  ChartView(const QString& name, Session& session, QWidget* parent);

  QVBoxLayout* body() { return body_; }                   // controls go to its top
  void setStatus(const QString& text);                    // "": an empty line
  void setProgress(std::int64_t done, std::int64_t all);  // of 0: how much there is to do is not known
  void hideProgress();
  // A row for controls at the top, and a label before each.
  QHBoxLayout* addControls();
  static void addLabelled(QHBoxLayout* row, const QString& label, QWidget* control);

  // What a pick does beside selecting `key`.
  virtual void onPicked(const QString& key, int series, int datum);

 private:
  QVBoxLayout* body_ = nullptr;
  ChartWidget* chart_ = nullptr;
  QLabel* status_ = nullptr;
  QProgressBar* progress_ = nullptr;
};

}  // namespace stallcast::gui
