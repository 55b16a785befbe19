// The front of cost, time and utilization that `size` finds, searched off the GUI thread.
#pragma once

#include <QComboBox>
#include <QPushButton>
#include <cstdint>
#include <optional>
#include <string>

#include "core/plan/search/size.h"
#include "gui/views/chart_view.h"

namespace stallcast::gui {

// Searches what the scenario's plan asks to vary, else usual_variables(), under the targets of the plan. A click on a
// point loads it into the document, as one step back.
class ParetoView : public ChartView {
  Q_OBJECT
 public:
  explicit ParetoView(Session& session, QWidget* parent = nullptr);
  ~ParetoView() override;
  QString title() const override { return tr("Trade-offs"); }

  const std::optional<SizeResult>& result() const { return result_; }
  bool isSearching() const { return searching_; }
  void search();
  void stop();  // shows the best so far

 protected:
  void onPicked(const QString& key, int series, int datum) override;

 private:
  struct Progress {
    std::int64_t decided = 0, points = 0, simulations = 0;
    std::optional<double> utilization;  // of the best so far
  };
  // What a search gives: its result, or why there was none.
  struct Outcome {
    std::optional<SizeResult> result;
    Findings findings;
  };
  static Outcome searchFor(const ScenarioFile& file, const Catalogue& catalogue, const RunOptions& run,
                           const SearchWatch& watch);
  void setSearching(bool searching);
  void sayProgress(const Progress& progress);
  void finish(Outcome outcome);
  void draw();
  void load(const FrontPoint& point);
  QString foundText() const;

  QComboBox* across_ = nullptr;
  QPushButton *start_ = nullptr, *stop_ = nullptr;
  std::optional<SizeResult> result_;
  std::stop_source stop_search_;
  std::uint64_t revision_ = 0;  // of the document that result_ is about
  std::uint64_t generation_ = 0;
  bool searching_ = false;
};

}  // namespace stallcast::gui
