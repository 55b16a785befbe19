#include "gui/views/path/data_path_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include "gui/panel/field_handles.h"

namespace stallcast::gui {

DataPathView::DataPathView(Session& session, QWidget* parent) : View(session, parent) {
  setObjectName(QStringLiteral("dataPathView"));
  sentence_ = new QLabel(this);
  sentence_->setObjectName(QStringLiteral("dataPathSentence"));
  sentence_->setWordWrap(true);
  auto* const unit = new QComboBox(this);
  unit->setObjectName(QStringLiteral("dataPathUnit"));
  unit->setAccessibleName(tr("Unit of flows"));
  unit->addItems({tr("Bytes/s"), tr("Samples/s")});
  canvas_ = new DataPathCanvas(this);
  auto* const head = new QHBoxLayout;
  head->addWidget(sentence_, 1);
  head->addWidget(unit);
  canvas_->setToolTip(
      tr("Every sample passes every limit; a pipe is as full as its limit is used. Caches take their share off."));
  auto* const layout = new QVBoxLayout(this);
  layout->addLayout(head);
  layout->addWidget(new FieldHandles(
      QStringLiteral("dataPath"), {"/storage/capacity", "/loader/num_workers"},
      [](const Scenario& s, const std::string& pointer) {
        return pointer != "/storage/capacity" || s.storage.capacity > bytes(0.0);
      },
      session, this));
  layout->addWidget(canvas_, 1);
  setFocusProxy(canvas_);

  connect(unit, &QComboBox::currentIndexChanged, this, [this](int index) { canvas_->setInSamples(index == 1); });
  connect(canvas_, &DataPathCanvas::edgeActivated, this, &DataPathView::select);
  connect(&session_.selection(), &Selection::changed, canvas_, &DataPathCanvas::setHighlight);
  connect(&session_, &Session::answerChanged, this, &DataPathView::refreshWhenSeen);
}

// Limits take milliseconds where there are caches: in the background, and once per document.
void DataPathView::refresh() {
  const auto& answer = session_.answer();
  if (!answer || !answer->resolved || answer->resolved->scenario.job != JobKind::kTraining) {
    sentence_->setText(tr("No training job to show."));
    canvas_->setPicture({});
    return;
  }
  if (limits_of_ == answer->revision && !limits_.empty()) {
    canvas_->setPicture(pathPicture(limits_, *answer));
    sentence_->setText(canvas_->picture().sentence());
    return;
  }
  session_.background().run<std::vector<PathLimit>>(
      QStringLiteral("data path"), this,
      [resolved = answer->resolved](const std::stop_token&) { return path_limits(resolved->scenario); },
      [this, revision = answer->revision](std::vector<PathLimit> limits) {
        limits_ = std::move(limits);
        limits_of_ = revision;
        const auto& now = session_.answer();
        if (!now || now->revision != revision) return;
        canvas_->setPicture(pathPicture(limits_, *now));
        sentence_->setText(canvas_->picture().sentence());
      });
}

// Selecting what is selected already selects nothing.
void DataPathView::select(int edge) {
  const QStringList& keys = canvas_->picture().edges[static_cast<std::size_t>(edge)].keys;
  session_.selection().select(session_.selection().key() == keys.front() ? QString() : keys.front());
}

}  // namespace stallcast::gui
