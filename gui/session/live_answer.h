// Keeps an answer beside a document: the bound at once, then simulations off the GUI thread, coarse and final.
//
//   document changed
//     errors:    nothing is under way any more; the last answer stays
//     otherwise: estimate -> coarse simulation -> final simulation, each one an Answer; outdated ones are stopped
//                a run that was simulated before (equal simulation_key) is priced again and nothing else
//                after the final one, once the document rests: how far assumed inputs leave it open
#pragma once

#include <QObject>
#include <QTimer>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "gui/session/answer.h"
#include "gui/session/background.h"
#include "gui/session/document.h"
#include "gui/session/final_answer.h"
#include "gui/session/live_progress.h"

namespace stallcast::gui {

class LiveAnswer : public QObject {
  Q_OBJECT
 public:
  LiveAnswer(Document& document, Background& background, QObject* parent = nullptr);
  ~LiveAnswer() override;

  bool isConverging() const { return progress_.running; }
  const LiveProgress& progress() const { return progress_; }

  void stop();     // simulating; the answer stays what it is
  void restart();  // from the estimate on

 signals:
  void answered(const stallcast::gui::Answer& answer);
  void progressChanged();

 private:
  void estimate();
  void simulateCoarsely();
  void simulateFinally();
  void drawRanges();
  void drawRangesOfLoads();
  void stopAll();
  RunOptions runOptions() const;
  void enter(AnswerStage stage);
  void readProgress();
  void finish();
  void learn(const Evaluation& evaluation);

  std::shared_ptr<const RunResult> known(const std::string& key) const;
  void remember(const std::string& key, const Evaluation& evaluation);

  Document& document_;
  Background& background_;
  Answer answer_;    // as it grows
  std::string key_;  // of the run that is under way; "" for what is not remembered
  LiveProgress progress_;
  std::shared_ptr<SharedProgress> shared_ = std::make_shared<SharedProgress>();
  QTimer reading_;
  QTimer resting_;              // since the final answer
  double part_of_bound_ = 1.0;  // what the last simulated answer had of its bound
  std::deque<std::pair<std::string, std::shared_ptr<const RunResult>>> known_;  // latest first
};

}  // namespace stallcast::gui
