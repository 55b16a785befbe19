#include "gui/views/chart_view.h"

#include <QHBoxLayout>

namespace stallcast::gui {

ChartView::ChartView(const QString& name, Session& session, QWidget* parent) : View(session, parent) {
  setObjectName(name);
  chart_ = new ChartWidget(name + QStringLiteral(".chart"), this);
  status_ = new QLabel(this);
  status_->setObjectName(name + QStringLiteral(".status"));
  status_->setWordWrap(true);
  status_->setTextFormat(Qt::PlainText);
  status_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  status_->setMinimumHeight(status_->fontMetrics().height());
  progress_ = new QProgressBar(this);
  progress_->setObjectName(name + QStringLiteral(".progress"));
  progress_->setAccessibleName(tr("Progress"));
  progress_->setMaximumWidth(24 * fontMetrics().averageCharWidth());
  progress_->hide();
  body_ = new QVBoxLayout(this);
  const int gap = fontMetrics().height() / 2;
  body_->setContentsMargins(gap, gap, gap, gap);
  body_->setSpacing(gap);
  body_->addWidget(chart_, 1);
  auto* foot = new QHBoxLayout;
  foot->addWidget(status_, 1);
  foot->addWidget(progress_);
  body_->addLayout(foot);
  connect(chart_, &ChartWidget::picked, this,
          [this](const QString& key, int series, int datum) { onPicked(key, series, datum); });
  connect(&session.selection(), &Selection::changed, chart_, &ChartWidget::highlight);
}

void ChartView::onPicked(const QString& key, int /*series*/, int /*datum*/) {
  Selection& selection = session_.selection();
  selection.select(selection.key() == key ? QString() : key);
}

void ChartView::setStatus(const QString& text) {
  if (status_->text() != text) status_->setText(text);
}

void ChartView::setProgress(std::int64_t done, std::int64_t all) {
  constexpr int kParts = 1000;
  progress_->setRange(0, all > 0 ? kParts : 0);
  if (all > 0)
    progress_->setValue(
        static_cast<int>(static_cast<double>(kParts) * static_cast<double>(done) / static_cast<double>(all)));
  progress_->show();
}

void ChartView::hideProgress() { progress_->hide(); }

QHBoxLayout* ChartView::addControls() {
  auto* row = new QHBoxLayout;
  body_->insertLayout(0, row);
  return row;
}

void ChartView::addLabelled(QHBoxLayout* row, const QString& label, QWidget* control) {
  auto* text = new QLabel(label);
  text->setBuddy(control);
  row->addWidget(text);
  row->addWidget(control);
}

}  // namespace stallcast::gui
