#include "gui/session/session.h"

#include <utility>

#include "core/model/resource_graph.h"
#include "core/scenario/resolve/resolve.h"
#include "gui/session/final_answer.h"
#include "gui/session/live_answer.h"

namespace stallcast::gui {
namespace {

const QString kBaselineWork = QStringLiteral("answer of the baseline");

}  // namespace

Session::Session(Catalogue catalogue, QObject* parent)
    : QObject(parent),
      catalogue_(std::move(catalogue)),
      document_(catalogue_),
      live_(std::make_unique<LiveAnswer>(document_, background_)) {
  connect(live_.get(), &LiveAnswer::answered, this, &Session::take);
  connect(live_.get(), &LiveAnswer::progressChanged, this, &Session::progressChanged);
}

Session::~Session() = default;

bool Session::isConverging() const { return live_->isConverging(); }

const LiveProgress& Session::progress() const { return live_->progress(); }

void Session::stopSimulating() { live_->stop(); }

void Session::simulateAgain() { live_->restart(); }

void Session::pinBaseline() {
  background_.stop(kBaselineWork);
  baseline_ = answer_;
  emit baselineChanged();
}

void Session::pinBaseline(std::shared_ptr<const ScenarioFile> file) {
  Loaded<ResolvedScenario> resolved = resolve(*file, catalogue_);
  if (!resolved.ok()) return;
  Answer pinned;  // of no revision of the document
  pinned.file = std::move(file);
  pinned.resolved = std::make_shared<const ResolvedScenario>(std::move(*resolved.value));
  pinned.bound = utilization_bound(pinned.resolved->scenario);
  baseline_ = pinned;
  emit baselineChanged();
  background_.run<FinalAnswer>(
      kBaselineWork, this,
      [pinned](std::stop_token stop) {
        RunOptions options;
        options.threads = Background::threads();
        options.stop = std::move(stop);
        return finalAnswer(*pinned.resolved, options, std::nullopt);
      },
      [this](FinalAnswer answer) {
        baseline_->stage = AnswerStage::kFinal;
        baseline_->evaluation = std::move(answer.evaluation);
        baseline_->document = std::move(answer.document);
        emit baselineChanged();
      });
}

void Session::unpinBaseline() {
  background_.stop(kBaselineWork);
  baseline_.reset();
  emit baselineChanged();
}

void Session::setMistakes(const QStringList& fields) {
  if (std::exchange(mistakes_, fields) != fields) emit mistakesChanged();
}

void Session::take(const Answer& answer) {
  answer_ = answer;
  if (answer.evaluation) simulated_ = answer;
  if (baseline_ && baseline_->revision == answer.revision) {
    baseline_ = answer;
    emit baselineChanged();
  }
  emit answerChanged();
}

}  // namespace stallcast::gui
