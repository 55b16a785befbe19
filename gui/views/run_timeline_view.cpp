#include "gui/views/run_timeline_view.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QScrollArea>
#include <QVBoxLayout>

#include "core/timeline/logged_run.h"
#include "gui/palette.h"
#include "gui/panel/field_handles.h"
#include "gui/session/qt_text.h"
#include "gui/timeline/run_timeline_look.h"
#include "gui/timeline/time_scale.h"

namespace stallcast::gui {
namespace {

QTableWidgetItem* cell(const QString& text, bool number) {
  auto* const item = new QTableWidgetItem(text);
  item->setFlags(Qt::ItemIsSelectable | Qt::ItemIsEnabled);
  if (number) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  return item;
}

// As low as it can be before one has to scroll: the strip has fewer rows then.
class Drawing : public QWidget {
 public:
  using QWidget::QWidget;
  int heightForWidth(int width) const override { return layout()->minimumHeightForWidth(width); }
};

}  // namespace

RunTimelineView::RunTimelineView(Session& session, QWidget* parent) : View(session, parent) {
  setObjectName(QStringLiteral("runTimelineView"));
  which_ = new QSpinBox(this);
  which_->setObjectName(QStringLiteral("runNumber"));
  which_->setAccessibleName(tr("Which of the simulated runs"));
  which_->setPrefix(tr("Run "));
  which_->hide();
  sentence_ = new QLabel(this);
  sentence_->setObjectName(QStringLiteral("runTimelineSentence"));
  sentence_->setWordWrap(true);
  chosen_ = new QLabel(this);
  chosen_->setObjectName(QStringLiteral("chosenInterruption"));
  chosen_->setWordWrap(true);
  status_ = new QLabel(this);
  status_->setObjectName(QStringLiteral("runTimelineStatus"));
  status_->setMinimumHeight(status_->fontMetrics().height());
  strip_ = new RunTimelineStrip(this);
  legend_ = new Legend(this);
  buildMeans();
  layOut();
  setFocusProxy(strip_);

  connect(which_, &QSpinBox::valueChanged, this, [this] {
    draw();
    showMeans();
  });
  connect(strip_, &RunTimelineStrip::interruptionSelected, this,
          [this](int interruption) { chosen_->setText(strip_->interruptionText(interruption)); });
  connect(&session_, &Session::answerChanged, this, &RunTimelineView::refreshWhenSeen);
}

void RunTimelineView::buildMeans() {
  means_ = new QTableWidget(0, 4, this);
  means_->setObjectName(QStringLiteral("runTimelineMeans"));
  means_->setAccessibleName(tr("Where wall time goes"));
  means_->setHorizontalHeaderLabels({tr("Wall time"), tr("This simulated run"), tr("Mean"), tr("Share of mean")});
  means_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  means_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
  means_->verticalHeader()->hide();
  means_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() * 3 / 2);
  means_->setSizeAdjustPolicy(QAbstractScrollArea::AdjustToContents);
  means_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Maximum);
  means_->setSelectionBehavior(QAbstractItemView::SelectRows);
  means_->setTabKeyNavigation(false);
}

void RunTimelineView::layOut() {
  auto* const head = new QHBoxLayout;
  head->addWidget(sentence_, 1);
  head->addWidget(which_);
  drawing_ = new Drawing(this);
  drawing_->hide();
  auto* const column = new QVBoxLayout(drawing_);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(strip_);
  column->addWidget(chosen_);
  column->addWidget(legend_);
  column->addWidget(means_);
  column->addStretch(1);
  auto* const scroll = new QScrollArea(this);  // a small window keeps its height
  scroll->setObjectName(QStringLiteral("runTimelineScroll"));
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setWidget(drawing_);
  auto* const layout = new QVBoxLayout(this);
  layout->addLayout(head);
  layout->addWidget(checkpointIntervalHandles(QStringLiteral("oneRun"), session_, this));
  layout->addWidget(scroll, 1);
  layout->addWidget(status_);
}

void RunTimelineView::refresh() {
  status_->setText(stalenessText(session_));
  const auto& simulated = session_.simulated();
  if (!simulated || (shown_ && simulated->evaluation == shown_->evaluation)) return;
  shown_ = simulated;
  const auto runs = shown_->evaluation->result.timeline.replications;
  {
    const QSignalBlocker quiet(which_);
    which_->setRange(1, static_cast<int>(std::max<std::int64_t>(1, runs)));
    which_->setSuffix(runs > 1 ? tr(" of %1").arg(runs) : QString());
  }
  which_->setVisible(runs > 1);
  draw();
  showMeans();
}

void RunTimelineView::draw() {
  chosen_->clear();
  const RunResult& result = shown_->evaluation->result;
  auto drawn = logged_run(shown_->resolved->scenario, result, static_cast<std::uint64_t>(which_->value() - 1));
  drawn_ = drawn ? drawn->run : SimulatedRun();
  drawing_->setVisible(drawn.has_value());
  if (!drawn) {
    sentence_->setText(tr("The length of the run is not known: give dataset.samples or run.steps_per_epoch."));
    strip_->setLog({});
    legend_->setEntries({});
    return;
  }
  const auto interruptions = drawn->log.interruptions.size();
  QString text =
      interruptions == 0
          ? tr("Nothing interrupts this simulated run: %1 from start to end.").arg(durationText(drawn_.wall_s))
          : tr("%1 from start to end, with %2 interruptions and %3 checkpoints.")
                .arg(durationText(drawn_.wall_s))
                .arg(interruptions)
                .arg(QString::number(drawn_.checkpoints, 'f', 0));
  if (result.timeline.replications > 1)
    text +=
        QLatin1Char(' ') + tr("Most simulated runs take %1 to %2.")
                               .arg(durationText(result.timeline.wall_p10_s), durationText(result.timeline.wall_p90_s));
  sentence_->setText(text);
  strip_->setLog(std::move(drawn->log));
  strip_->setAccessibleDescription(text);
  showLegend();
}

void RunTimelineView::showMeans() {
  means_->setRowCount(0);
  if (drawn_.wall_s <= 0.0) return;
  const TimelineResult& timeline = shown_->evaluation->result.timeline;
  const SimulatedRun& mean = timeline.replications > 0 ? timeline.mean : drawn_;
  const auto add = [this](const QString& name, const QString& here, const QString& of_all, const QString& share) {
    const int row = means_->rowCount();
    means_->insertRow(row);
    means_->setItem(row, 0, cell(name, false));
    means_->setItem(row, 1, cell(here, true));
    means_->setItem(row, 2, cell(of_all, true));
    means_->setItem(row, 3, cell(share, true));
  };
  for (std::size_t k = 0; k < kWallTimes; ++k) {
    if (mean.time_s[k] <= 0.0 && drawn_.time_s[k] <= 0.0) continue;
    add(fromView(wall_time_phrase(static_cast<WallTime>(k))), durationText(drawn_.time_s[k]),
        durationText(mean.time_s[k]), tr("%1 %").arg(QString::number(100.0 * mean.time_s[k] / mean.wall_s, 'f', 2)));
  }
  add(tr("total"), durationText(drawn_.wall_s), durationText(mean.wall_s), tr("100 %"));
  for (std::size_t k = 0; k < kInterruptions; ++k) {
    if (mean.interruptions[k] <= 0.0 && drawn_.interruptions[k] <= 0.0) continue;
    add(tr("interruptions by %1").arg(interruptionName(static_cast<Interruption>(k))),
        QString::number(drawn_.interruptions[k], 'f', 0), QString::number(mean.interruptions[k], 'f', 1), QString());
  }
}

void RunTimelineView::showLegend() {
  std::vector<LegendEntry> entries = runTimelineLegend(strip_->log(), palette());
  if (!strip_->log().checkpoints_s.empty())
    entries.push_back({tr("checkpoint"), mutedText(palette(), 0.5), LegendEntry::Mark::kTick});
  legend_->setEntries(std::move(entries));
}

void RunTimelineView::changeEvent(QEvent* event) {
  View::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) showLegend();
}

}  // namespace stallcast::gui
