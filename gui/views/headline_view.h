// What the scenario comes to: four figures with their intervals and changes, what holds it back and the change that
// pays best, the bound, and how far inputs that nobody gave leave it open.
#pragma once

#include <QGridLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <vector>

#include "core/plan/evaluate/kpi.h"
#include "core/plan/explain/best_cure.h"
#include "gui/views/gauge.h"
#include "gui/views/view.h"

namespace stallcast::gui {

// Keys of the gauges are the names of their figures; the sentence selects the cause that it names.
class HeadlineView : public View {
  Q_OBJECT
 public:
  explicit HeadlineView(Session& session, QWidget* parent = nullptr);
  ~HeadlineView() override;
  QString title() const override { return tr("Headline"); }

 protected:
  void refresh() override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Entry {
    const Kpi* kpi = nullptr;
    const Kpi* endless = nullptr;   // what stands in its place where the length of the run is not given
    const char* of_load = nullptr;  // its name where machines load a model; null: it says nothing of them
    Gauge* gauge = nullptr;
  };
  QLayout* makeAdvice();  // words, and buttons that act on them
  void connectSignals();
  bool isLoad() const;
  void showProgress();
  void keepHeight();
  GaugeState stateOf(const Entry& entry) const;
  void adoptChange(const Kpi& kpi, const Estimate& now, GaugeState& state) const;
  bool isApart(const Estimate& now, const Estimate& before) const;
  void pick(const QString& key);
  void sayMistakes();
  void sayBottleneck();
  void lookForCure();
  void sayCure();
  void applyCure();
  void sayRanges();

  std::vector<Entry> entries_;
  QGridLayout* grid_ = nullptr;
  int columns_ = 0;  // of the gauges
  QLabel *mistakes_ = nullptr, *sentence_ = nullptr, *cure_text_ = nullptr, *bound_ = nullptr, *ranges_ = nullptr;
  QPushButton *cause_ = nullptr, *apply_ = nullptr, *pin_ = nullptr;
  QProgressBar* progress_ = nullptr;
  QString cause_key_;
  QString wanted_field_;  // without which the rest has no meaning; "" = none
  std::optional<Cure> cure_;
  bool cure_sought_ = false;              // to its end: without a cure there is none
  std::optional<std::uint64_t> cure_of_;  // revision of the document that it is of, or is being looked for
};

// "+2.1 points" of fractions, else "-12.3 % (-$34.20)".
QString differenceText(const Kpi& kpi, double now, double before);

}  // namespace stallcast::gui
