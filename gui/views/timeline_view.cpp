#include "gui/views/timeline_view.h"

#include <QEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <sstream>

#include "core/diagnostics/atomic_file.h"
#include "core/diagnostics/finding.h"
#include "core/report/json/trace_json.h"
#include "core/run/simulate.h"
#include "core/timeline/logged_run.h"
#include "core/timeline/weeks.h"
#include "gui/palette.h"
#include "gui/panel/field_handles.h"
#include "gui/session/qt_text.h"
#include "gui/timeline/run_timeline_look.h"
#include "gui/timeline/time_scale.h"

namespace stallcast::gui {
namespace {

constexpr int kUsualRecords = 300'000, kMostRecords = 2'000'000;
const QString kTraceWork = QStringLiteral("trace");

// The beginning of the run, until `limit` records are there: what `simulate --trace` writes, without the simulated runs
// and replications that come after it.
std::shared_ptr<const Trace> traceOf(const ResolvedScenario& resolved, std::size_t limit, const std::stop_token& stop) {
  auto trace = std::make_shared<Trace>();
  trace->limit = limit;
  Scenario scenario = with_inputs_as_given(resolved).scenario;
  scenario.failures = {};
  std::stop_source enough;
  const std::stop_callback outside(stop, [&enough] { enough.request_stop(); });
  RunOptions options;
  options.threads = 1;
  options.trace = trace.get();
  options.stop = enough.get_token();
  options.progress = [&, reached_s = 0.0](const Progress& progress) mutable {
    if (trace->truncated || progress.simulated_s < reached_s) enough.request_stop();
    reached_s = progress.simulated_s;
  };
  simulate(scenario, options);
  return trace;
}

}  // namespace

TimelineView::TimelineView(Session& session, QWidget* parent) : View(session, parent) {
  setObjectName(QStringLiteral("timelineView"));
  const auto button = [this](const QString& text, const char* name) {
    auto* const made = new QPushButton(text, this);
    made->setObjectName(QString::fromUtf8(name));
    return made;
  };
  simulate_ = button(tr("Sim&ulate trace"), "simulateTrace");
  to_trace_ = button(tr("&Zoom to trace"), "zoomToTrace");
  whole_run_ = button(tr("&Whole run"), "wholeRun");
  export_ = button(tr("E&xport for Perfetto…"), "exportTrace");
  limit_ = new QSpinBox(this);
  limit_->setObjectName(QStringLiteral("traceLimit"));
  limit_->setAccessibleName(tr("Most records of the trace"));
  limit_->setRange(1'000, kMostRecords);
  limit_->setSingleStep(100'000);
  limit_->setGroupSeparatorShown(true);
  limit_->setValue(kUsualRecords);
  limit_->setSuffix(tr(" records"));
  state_ = new QLabel(this);
  state_->setObjectName(QStringLiteral("traceState"));
  state_->setWordWrap(true);
  span_ = new QLabel(this);
  span_->setObjectName(QStringLiteral("selectedSpan"));
  span_->setWordWrap(true);
  canvas_ = new TimelineCanvas(this);
  legend_ = new Legend(this);
  auto* const head = new QHBoxLayout;
  for (QWidget* widget : std::initializer_list<QWidget*>{simulate_, limit_, to_trace_, whole_run_, export_})
    head->addWidget(widget);
  head->addStretch(1);
  auto* const layout = new QVBoxLayout(this);
  layout->addLayout(head);
  layout->addWidget(checkpointIntervalHandles(QStringLiteral("timeline"), session, this));
  layout->addWidget(state_);
  layout->addWidget(canvas_, 1);
  layout->addWidget(span_);
  layout->addWidget(legend_);
  setFocusProxy(canvas_);

  connect(simulate_, &QPushButton::clicked, this, [this] {
    session_.background().isBusy(kTraceWork) ? session_.background().stop(kTraceWork) : simulateTrace();
  });
  connect(to_trace_, &QPushButton::clicked, canvas_, &TimelineCanvas::showTrace);
  connect(whole_run_, &QPushButton::clicked, canvas_, &TimelineCanvas::showAll);
  connect(export_, &QPushButton::clicked, this, &TimelineView::askWhereToExport);
  connect(canvas_, &TimelineCanvas::spanSelected, this, [this](const QString& text, const QString& key) {
    span_->setText(text);
    if (!key.isEmpty()) session_.selection().select(key);
  });
  connect(&session_.selection(), &Selection::changed, canvas_, &TimelineCanvas::setHighlight);
  connect(&session_, &Session::answerChanged, this, [this] {
    dropOutdatedTrace();
    refreshWhenSeen();
  });
  connect(&session_.background(), &Background::busyChanged, this, [this](const QString& kind, bool) {
    if (kind == kTraceWork) showState();
  });
  showState();
}

void TimelineView::refresh() {
  const auto& simulated = session_.simulated();
  if (simulated && simulated->evaluation != shown_) {
    shown_ = simulated->evaluation;
    const RunResult& result = shown_->result;
    TimelineData shown = canvas_->data();
    shown.timeline.reset();
    if (auto drawn = logged_run(simulated->resolved->scenario, result)) shown.timeline = std::move(drawn->log);
    shown.end_s = result.time_to_train_s;
    shown.trace_begin_s = result.totals.listing_s + result.totals.staging_s;
    canvas_->setData(std::move(shown));
    showLegend();
  }
  showState();
}

// At once, seen or not: it may be large.
void TimelineView::dropOutdatedTrace() {
  const auto& answer = session_.answer();
  if (trace_of_ == 0 || (answer && answer->revision == trace_of_)) return;
  session_.background().stop(kTraceWork);
  trace_.reset();
  trace_of_ = 0;
  TimelineData shown = canvas_->data();
  shown.trace.reset();
  canvas_->setData(std::move(shown));
  showLegend();
  showState();
}

void TimelineView::simulateTrace() {
  const auto& answer = session_.answer();
  if (!answer || !answer->resolved) return;
  const auto limit = static_cast<std::size_t>(limit_->value());
  session_.background().run<Traced>(
      kTraceWork, this,
      [resolved = answer->resolved, revision = answer->revision, limit](const std::stop_token& stop) {
        Traced traced;
        traced.trace = traceOf(*resolved, limit, stop);
        traced.index = makeTraceIndex(*traced.trace);
        traced.revision = revision;
        return traced;
      },
      [this](Traced traced) { takeTrace(std::move(traced)); });
}

void TimelineView::takeTrace(Traced traced) {
  const auto& answer = session_.answer();
  if (!answer || answer->revision != traced.revision) return;
  trace_ = std::move(traced.trace);
  trace_of_ = traced.revision;
  TimelineData shown = canvas_->data();
  shown.trace = std::move(traced.index);
  canvas_->setData(std::move(shown));
  canvas_->showTrace();
  showLegend();
  showState();
}

void TimelineView::showLegend() {
  std::vector<LegendEntry> entries;
  if (const auto& trace = canvas_->data().trace)
    for (const std::uint8_t kind : trace->kinds) {
      const auto of = static_cast<TraceSpanKind>(kind);
      entries.push_back({spanKindName(of), chartColour(spanKindColour(of), palette())});
    }
  if (const auto& timeline = canvas_->data().timeline)
    for (LegendEntry& entry : runTimelineLegend(*timeline, palette(), tr("Run: %1")))
      entries.push_back(std::move(entry));
  legend_->setEntries(std::move(entries));
}

void TimelineView::showState() {
  const auto& answer = session_.answer();
  const bool busy = session_.background().isBusy(kTraceWork);
  const bool possible = answer && answer->resolved && answer->resolved->scenario.job == JobKind::kTraining &&
                        answer->resolved->concurrent_jobs.empty();
  simulate_->setText(busy ? tr("St&op") : tr("Sim&ulate trace"));
  simulate_->setEnabled(possible);
  to_trace_->setEnabled(trace_ != nullptr);
  whole_run_->setEnabled(trace_ != nullptr || canvas_->data().end_s > 0.0);
  export_->setEnabled(trace_ != nullptr);
  QString text;
  if (busy) {
    text = tr("Simulating the trace …");
  } else if (!possible) {
    text = tr("Only one training job at a time has a trace.");
  } else if (const QString stale = stalenessText(session_); !trace_ && !stale.isEmpty()) {
    text = stale;
  } else if (!trace_) {
    text = canvas_->data().timeline ? tr("The timeline of one simulated run. ")
                                    : tr("The length of the run is not known. ");
    text += tr("A trace shows the first steps of every rank and worker.");
  } else {
    const auto& index = *canvas_->data().trace;
    text = tr("%1 spans on %2 lanes, the first %3 of training%4.")
               .arg(QLocale().toString(static_cast<qlonglong>(index.spans)))
               .arg(index.lanes.size())
               .arg(durationText(static_cast<double>(index.end_ns) * 1e-9),
                    index.truncated ? tr(" (the limit was reached)") : QString());
  }
  state_->setText(text);
}

void TimelineView::exportTrace(const QString& path) {
  if (!trace_) return;
  state_->setText(tr("Writing %1 …").arg(path));
  session_.background().run<QString>(
      QStringLiteral("trace export"), this,
      [trace = trace_, path](const std::stop_token&) {
        std::ostringstream out;
        write_trace_json(*trace, out);
        try {
          write_file_atomically(path.toStdString(), std::move(out).str());
        } catch (const WorldError& error) {
          return QString::fromUtf8(error.what());
        }
        return tr("Written to %1; open it at ui.perfetto.dev.").arg(path);
      },
      [this](const QString& message) { state_->setText(message); });
}

void TimelineView::askWhereToExport() {
  auto* const dialog = new QFileDialog(this, tr("Export trace"), QStringLiteral("trace.json"), tr("Trace (*.json)"));
  dialog->setObjectName(QStringLiteral("exportTraceDialog"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(QStringLiteral("json"));
  connect(dialog, &QFileDialog::fileSelected, this, &TimelineView::exportTrace);
  dialog->open();
}

void TimelineView::changeEvent(QEvent* event) {
  View::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) showLegend();
}

}  // namespace stallcast::gui
