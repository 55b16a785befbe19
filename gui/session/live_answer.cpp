#include "gui/session/live_answer.h"

#include <algorithm>
#include <optional>

#include "core/model/resource_graph.h"
#include "core/scenario/fields/simulation_key.h"

namespace stallcast::gui {
namespace {

constexpr const char* kCoarseWork = "coarse answer";
constexpr const char* kFinalWork = "final answer";
constexpr const char* kRangesWork = "ranges of the answer";
constexpr int kRest = 400;              // ms without a change before the ranges are worth drawing
constexpr std::size_t kKnownRuns = 64;  // steps back and forth that need no simulation
constexpr int kReadingInterval = 100;   // ms

}  // namespace

LiveAnswer::LiveAnswer(Document& document, Background& background, QObject* parent)
    : QObject(parent), document_(document), background_(background) {
  reading_.setInterval(kReadingInterval);
  connect(&reading_, &QTimer::timeout, this, &LiveAnswer::readProgress);
  resting_.setInterval(kRest);
  resting_.setSingleShot(true);
  connect(&resting_, &QTimer::timeout, this, &LiveAnswer::drawRanges);
  connect(&document_, &Document::changed, this, &LiveAnswer::restart);
  connect(&background_, &Background::failed, this, [this](const QString& kind) {
    if (kind == kCoarseWork || kind == kFinalWork) finish();
  });
  restart();
}

LiveAnswer::~LiveAnswer() { stopAll(); }

void LiveAnswer::stop() {
  stopAll();
  finish();
}

void LiveAnswer::stopAll() {
  for (const char* const work : {kCoarseWork, kFinalWork, kRangesWork}) background_.stop(work);
  resting_.stop();
}

void LiveAnswer::restart() {
  stopAll();
  if (!document_.resolved()) return finish();
  answer_ = {};
  answer_.revision = document_.revision();
  answer_.file = std::make_shared<const ScenarioFile>(document_.file());
  answer_.resolved = document_.resolved();
  const bool alone = isOneTrainingJob(*answer_.resolved);
  key_ = alone ? simulation_key(answer_.resolved->scenario) : std::string();
  alone && !known(key_) ? simulateCoarsely() : simulateFinally();
  estimate();
}

void LiveAnswer::estimate() {
  const Scenario& scenario = answer_.resolved->scenario;
  if (scenario.job == JobKind::kTraining) answer_.bound = utilization_bound(scenario);
  answer_.estimated_utilization = answer_.bound.gpu_utilization * part_of_bound_;
  emit answered(Answer(answer_));
}

void LiveAnswer::simulateCoarsely() {
  enter(AnswerStage::kCoarse);
  background_.run<std::shared_ptr<const Evaluation>>(
      kCoarseWork, this,
      [base = runOptions(), resolved = answer_.resolved](std::stop_token stop) {
        RunOptions options = base;
        options.stop = std::move(stop);
        return coarseAnswer(*resolved, options);
      },
      [this](std::shared_ptr<const Evaluation> evaluation) {
        answer_.stage = AnswerStage::kCoarse;
        answer_.evaluation = std::move(evaluation);
        learn(*answer_.evaluation);
        simulateFinally();
        emit answered(Answer(answer_));
      });
}

void LiveAnswer::simulateFinally() {
  enter(AnswerStage::kFinal);
  background_.run<FinalAnswer>(
      kFinalWork, this,
      [base = runOptions(), resolved = answer_.resolved, before = known(key_)](std::stop_token stop) {
        RunOptions options = base;
        options.stop = std::move(stop);
        return finalAnswer(*resolved, options, before ? std::optional(*before) : std::nullopt);
      },
      [this](FinalAnswer final_answer) {
        answer_.stage = AnswerStage::kFinal;
        answer_.evaluation = std::move(final_answer.evaluation);
        answer_.document = std::move(final_answer.document);
        learn(*answer_.evaluation);
        if (!key_.empty()) remember(key_, *answer_.evaluation);
        finish();
        resting_.start();
        emit answered(Answer(answer_));
      });
}

void LiveAnswer::drawRanges() {
  if (!isOneTrainingJob(*answer_.resolved)) return drawRangesOfLoads();
  RunOptions base;
  base.threads = Background::threads();
  background_.run<std::shared_ptr<const InputRanges>>(
      kRangesWork, this,
      [base, resolved = answer_.resolved, evaluation = answer_.evaluation](std::stop_token stop) {
        RunOptions options = base;
        options.stop = std::move(stop);
        return std::make_shared<const InputRanges>(input_ranges(*resolved, evaluation->result, options));
      },
      [this](std::shared_ptr<const InputRanges> ranges) {
        answer_.ranges = std::move(ranges);
        emit answered(Answer(answer_));
      });
}

// The document says them; the figures are those that were there before.
void LiveAnswer::drawRangesOfLoads() {
  RunOptions base;
  base.threads = Background::threads();
  background_.run<FinalAnswer>(
      kRangesWork, this,
      [base, resolved = answer_.resolved](std::stop_token stop) {
        RunOptions options = base;
        options.stop = std::move(stop);
        return loadsAnswer(*resolved, options, AssumedInputs::kRanges);
      },
      [this](FinalAnswer with_ranges) {
        answer_.document = std::move(with_ranges.document);
        emit answered(Answer(answer_));
      });
}

RunOptions LiveAnswer::runOptions() const {
  RunOptions options;
  options.threads = Background::threads();
  options.progress = [shared = shared_](const Progress& progress) { shared->put(progress); };
  return options;
}

void LiveAnswer::enter(AnswerStage stage) {
  shared_ = std::make_shared<SharedProgress>();
  progress_ = {true, stage, 0.0, {0.0, -1.0, 1.0}};
  reading_.start();
  emit progressChanged();
}

void LiveAnswer::readProgress() {
  const Progress progress = shared_->take();
  progress_.fraction = std::max(progress_.fraction, finishedFraction(progress, answer_.resolved->scenario));
  progress_.gpu_utilization = progress.gpu_utilization;
  emit progressChanged();
}

void LiveAnswer::finish() {
  reading_.stop();
  progress_ = {};
  emit progressChanged();
}

void LiveAnswer::learn(const Evaluation& evaluation) {
  if (answer_.bound.gpu_utilization > 0.0) {
    part_of_bound_ = evaluation.result.gpu_utilization.mean / answer_.bound.gpu_utilization;
  }
}

std::shared_ptr<const RunResult> LiveAnswer::known(const std::string& key) const {
  if (key.empty()) return nullptr;
  const auto found = std::find_if(known_.begin(), known_.end(), [&](const auto& run) { return run.first == key; });
  return found == known_.end() ? nullptr : found->second;
}

void LiveAnswer::remember(const std::string& key, const Evaluation& evaluation) {
  if (known(key)) return;
  known_.emplace_front(key, std::make_shared<const RunResult>(evaluation.result));
  if (known_.size() > kKnownRuns) known_.pop_back();
}

}  // namespace stallcast::gui
