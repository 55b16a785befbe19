#include "gui/session/session.h"

#include <utility>

#include "gui/session/live_answer.h"

namespace stallcast::gui {

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
  baseline_ = answer_;
  emit baselineChanged();
}

void Session::unpinBaseline() {
  baseline_.reset();
  emit baselineChanged();
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
