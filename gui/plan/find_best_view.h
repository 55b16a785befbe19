// Which configuration: the question that `size` answers, its answer, and the front of cost, time and utilization.
#pragma once

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <cstdint>
#include <optional>
#include <string>

#include "core/answers/choice_answers.h"
#include "gui/plan/search_question.h"
#include "gui/views/chart_view.h"

namespace stallcast::gui {

// Searches what the question asks, off the GUI thread, and says what is best, why, and in how many samples of the
// assumed inputs it meets the targets. Taking it, or a click on another point, loads it into the document: one
// step back.
class FindBestView : public ChartView {
  Q_OBJECT
 public:
  explicit FindBestView(Session& session, QWidget* parent = nullptr);
  ~FindBestView() override;
  QString title() const override { return tr("Find the best"); }

  const std::optional<SizeResult>& result() const { return result_; }
  bool isSearching() const { return searching_; }
  void search();
  void stop();  // shows the best so far

 protected:
  void onPicked(const QString& key, int series, int datum) override;
  void refresh() override { question_->refresh(); }
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Progress {
    std::int64_t decided = 0, points = 0, simulations = 0;
    std::optional<double> utilization;  // of the best so far
  };
  // What a search gives: its result, or why there was none.
  struct Outcome {
    std::optional<SizeAnswer> answer;
    Findings findings;
  };
  void buildControls();
  void layOut();
  static Outcome searchFor(const ScenarioFile& file, const std::vector<std::string>& asked, const Catalogue& catalogue,
                           const RunOptions& run, const SearchWatch& watch);
  void setSearching(bool searching);
  void sayProgress(const Progress& progress);
  void finish(Outcome outcome);
  void draw();
  void setTarget(const QString& figure, double at);  // `at` as the chart's rule of that figure has it
  void load(const SizedPoint& point);
  QString foundText() const;
  QString bestText() const;
  void sayBest();

  SearchQuestion* question_ = nullptr;
  QHBoxLayout* columns_ = nullptr;
  QComboBox* across_ = nullptr;
  QPushButton *start_ = nullptr, *stop_ = nullptr, *take_ = nullptr;
  QLabel* best_ = nullptr;
  std::optional<SizeResult> result_;
  OptionDraws draws_;
  std::stop_source stop_search_;
  std::uint64_t revision_ = 0;  // of the document that result_ is about
  std::uint64_t generation_ = 0;
  bool searching_ = false;
};

}  // namespace stallcast::gui
