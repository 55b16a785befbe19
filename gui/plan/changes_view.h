// What to change: what each change by itself is worth, or one after the other to a target; a click makes it.
#pragma once

#include <QDoubleSpinBox>
#include <QPushButton>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan/explain/worded_change.h"
#include "gui/views/chart_view.h"

namespace stallcast::gui {

// What `explain` says, with --to where a target is set, computed off the GUI thread. Changes that a person can set are
// made by a click, as one step back; of a way, all up to the one that is picked.
class ChangesView : public ChartView {
  Q_OBJECT
 public:
  explicit ChangesView(Session& session, QWidget* parent = nullptr);
  ~ChangesView() override;
  QString title() const override { return tr("Changes"); }

  const std::vector<WordedChange>& shownChanges() const { return shown_; }
  bool isRunning() const { return running_; }
  void tryNow();
  void stop();

 protected:
  void onPicked(const QString& key, int series, int datum) override;

 private:
  struct Outcome {
    std::uint64_t revision = 0;  // of the document
    Scenario scenario;
    Explanation explanation;
    std::optional<ShortestWay> way;
  };
  double target() const { return to_->value() / 100.0; }  // 0 = none
  void setRunning(bool running);
  void finish(Outcome outcome);
  void draw();
  void make(const WordedChange& change);
  bool isOfNow() const;  // what is shown
  QString doneText() const;

  QDoubleSpinBox* to_ = nullptr;
  QPushButton *start_ = nullptr, *stop_ = nullptr;
  std::optional<Outcome> outcome_;  // that is shown
  std::vector<WordedChange> shown_;
  std::uint64_t generation_ = 0;
  bool running_ = false;
};

}  // namespace stallcast::gui
