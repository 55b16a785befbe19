#include "gui/views/headline_view.h"

#include <QHBoxLayout>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/model/path_limits.h"
#include "core/plan/space/point_file.h"
#include "core/report/charts/chart_parts.h"
#include "core/report/words/kpi_text.h"
#include "core/scenario/fields/field_title.h"
#include "gui/palette.h"
#include "gui/session/final_answer.h"
#include "gui/session/qt_text.h"
#include "gui/views/load_ranges_text.h"

namespace stallcast::gui {
namespace {

struct Headline {
  const char* figure;
  const char* endless;  // where the length of the run is not given; nullptr = the same
  const char* of_load;  // what it is of machines that load a model, which train nothing; nullptr = nothing
};
constexpr Headline kFigures[] = {
    {"gpu_utilization", nullptr, nullptr},
    {"effective_usd_per_useful_gpu_hour", nullptr, nullptr},
    {"time_to_train_s", "samples_per_s", QT_TRANSLATE_NOOP("HeadlineView", "All machines ready after")},
    {"cost.wasted_usd", "cost.usd_per_hour.total_usd",
     QT_TRANSLATE_NOOP("HeadlineView", "Machines that wait for it cost")}};
constexpr const char* kCureWork = "cure";

constexpr double kLeastPoints = 0.001;  // of utilization: less decides nothing

// Signs that align with digits and are read aloud.
QString signedText(const QString& magnitude, double value) {
  return (value < 0.0 ? QStringLiteral("\u2212") : QStringLiteral("+")) + magnitude;
}

std::optional<LostTime> causeNamed(std::string_view name) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(LostTime::kCount); ++i)
    if (lost_time_name(static_cast<LostTime>(i)) == name) return static_cast<LostTime>(i);
  return std::nullopt;
}

// Whether nobody has said what the GPUs have to do; then no advice has a meaning.
bool workIsMissing(const Document& document) {
  const auto& findings = document.findings().list();
  return std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.code == "missing_value" && finding.pointer.starts_with("/workload/");
  });
}

// Why a figure is not known, and the field that would tell it; "" where none would.
struct Missing {
  QString why, field;
};
Missing missing(const Evaluation& evaluation) {
  if (!evaluation.cost.run_ends) return {HeadlineView::tr("interruptions undo what the run does"), {}};
  if (!evaluation.cost.run_is_sized)
    return {HeadlineView::tr("the run has no length: click to enter the samples"), QStringLiteral("/dataset/samples")};
  const auto& unknown = evaluation.cost.unknown;
  const auto of_machines = [](const UnknownCost& one) { return one.category == CostCategory::kCompute; };
  if (!unknown.empty() && std::none_of(unknown.begin(), unknown.end(), of_machines)) {
    const UnknownCost& first = unknown.front();
    return {QStringLiteral("%1: %2").arg(fromView(first.what), fromView(first.why)), QStringLiteral("/storage/tier")};
  }
  return {HeadlineView::tr("a price is missing: click to enter that of a machine"), QStringLiteral("/cost/node_price")};
}

QLabel* copyableText(const char* name, QWidget* parent) {
  auto* const label = new QLabel(parent);
  label->setObjectName(QString::fromUtf8(name));
  label->setWordWrap(true);
  label->setTextFormat(Qt::PlainText);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  return label;
}

}  // namespace

QString differenceText(const Kpi& kpi, double now, double before) {
  const double change = now - before;
  if (kpi.dimension == Dimension::kFraction)
    return signedText(QString::number(100.0 * std::abs(change), 'f', 1), change) + HeadlineView::tr(" points");
  const QString amount = signedText(QString::fromStdString(kpi_text(kpi, std::abs(change))), change);
  if (before == 0.0) return amount;
  const QString relative = signedText(percentText(std::abs(change / before)), change);
  return QStringLiteral("%1 (%2)").arg(relative, amount);
}

HeadlineView::HeadlineView(Session& session, QWidget* parent) : View(session, parent) {
  setObjectName(QStringLiteral("headline"));
  const int gap = fontMetrics().height() / 2;
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(gap, gap, gap, gap);
  all->setSpacing(gap);
  grid_ = new QGridLayout;
  grid_->setSpacing(gap);
  for (const auto& [name, endless, of_load] : kFigures) {
    const Kpi* kpi = find_kpi(name);
    auto* gauge = new Gauge(QStringLiteral("headline.") + QString::fromLatin1(name), QString::fromStdString(kpi->label),
                            QString::fromStdString(kpi->help), this);
    connect(gauge, &Gauge::picked, this, [this, key = QString::fromLatin1(name)] { pick(key); });
    entries_.push_back({kpi, endless != nullptr ? find_kpi(endless) : nullptr, of_load, gauge});
  }
  all->addLayout(grid_);

  mistakes_ = copyableText("headline.mistakes", this);
  all->addWidget(mistakes_);
  QLayout* const advice = makeAdvice();
  progress_ = new QProgressBar(this);
  progress_->setObjectName(QStringLiteral("headline.progress"));
  progress_->setAccessibleName(tr("Progress of the simulation"));
  progress_->setRange(0, 100);
  progress_->setTextVisible(false);
  progress_->setMaximumHeight(fontMetrics().height() / 3);
  QSizePolicy policy = progress_->sizePolicy();
  policy.setRetainSizeWhenHidden(true);
  progress_->setSizePolicy(policy);
  all->addWidget(progress_);
  all->addLayout(advice);
  connectSignals();
  showProgress();
}

QLayout* HeadlineView::makeAdvice() {
  sentence_ = copyableText("headline.sentence", this);
  cure_text_ = copyableText("headline.cure", this);
  bound_ = copyableText("headline.bound", this);
  ranges_ = copyableText("headline.ranges", this);
  cause_ = new QPushButton(tr("Show the &cause"), this);
  cause_->setObjectName(QStringLiteral("headline.cause"));
  cause_->setToolTip(tr("Select the largest loss in all views"));
  apply_ = new QPushButton(tr("Try the change"), this);
  apply_->setObjectName(QStringLiteral("headline.applyCure"));
  apply_->setToolTip(tr("Pin this answer as baseline and set what the sentence says; Undo takes it back"));
  pin_ = new QPushButton(this);
  pin_->setObjectName(QStringLiteral("headline.pin"));
  pin_->setToolTip(tr("Show changes against this answer from now on"));
  auto* words = new QVBoxLayout;
  words->addWidget(sentence_);
  words->addWidget(cure_text_);
  words->addWidget(bound_);
  words->addWidget(ranges_);
  auto* buttons = new QVBoxLayout;
  buttons->addWidget(cause_);
  buttons->addWidget(apply_);
  buttons->addWidget(pin_);
  auto* below = new QHBoxLayout;
  below->addLayout(words, 1);
  below->addLayout(buttons);
  return below;
}

void HeadlineView::connectSignals() {
  connect(cause_, &QPushButton::clicked, this, [this] {
    wanted_field_.isEmpty() ? session_.selection().select(cause_key_) : session_.askFor(wanted_field_);
  });
  connect(apply_, &QPushButton::clicked, this, &HeadlineView::applyCure);
  connect(pin_, &QPushButton::clicked, this,
          [this] { session_.baseline() ? session_.unpinBaseline() : session_.pinBaseline(); });
  connect(&session_, &Session::answerChanged, this, &HeadlineView::refreshWhenSeen);
  connect(&session_, &Session::baselineChanged, this, &HeadlineView::refreshWhenSeen);
  connect(&session_, &Session::mistakesChanged, this, &HeadlineView::refreshWhenSeen);
  connect(&session_, &Session::progressChanged, this, &HeadlineView::showProgress);
  connect(&session_.selection(), &Selection::changed, this, [this](const QString& key) {
    for (const Entry& entry : entries_) entry.gauge->setHighlighted(key.toStdString() == entry.kpi->name);
  });
}

HeadlineView::~HeadlineView() { session_.background().stop(QString::fromLatin1(kCureWork)); }

// As many gauges side by side as can be read: four, two or one.
void HeadlineView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  const int room = width() / entries_.front().gauge->sizeHint().width();
  const int columns = room >= 4 ? 4 : room >= 2 ? 2 : 1;
  if (columns != columns_) {
    columns_ = columns;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const int at = static_cast<int>(i);
      grid_->addWidget(entries_[i].gauge, at / columns, at % columns);
      grid_->setColumnStretch(at, at < columns ? 1 : 0);
    }
  }
  keepHeight();
}

// No higher than it needs: what is below has the rest of the window.
void HeadlineView::keepHeight() {
  const int needed = layout()->totalHeightForWidth(width());
  if (needed <= 0 || needed == maximumHeight()) return;
  setMaximumHeight(needed);
  setMinimumHeight(std::min(needed, 9 * window()->height() / 20));  // Qt counts one line for text that has several
}

void HeadlineView::showProgress() {
  const LiveProgress& progress = session_.progress();
  progress_->setVisible(progress.running);
  progress_->setValue(static_cast<int>(100.0 * progress.fraction));
}

void HeadlineView::refresh() {
  for (const Entry& entry : entries_) {
    entry.gauge->setState(stateOf(entry));
    entry.gauge->setVisible(!isLoad() || entry.of_load != nullptr);
  }
  pin_->setEnabled(session_.answer().has_value());
  pin_->setText(session_.baseline() ? tr("Un&pin baseline") : tr("&Pin as baseline"));
  lookForCure();
  sayMistakes();
  sayBottleneck();
  sayCure();
  sayRanges();
  keepHeight();
  QTimer::singleShot(0, this, &HeadlineView::keepHeight);  // what the new texts take is known then
}

// A figure that is not known leads to the field that would tell it.
void HeadlineView::pick(const QString& key) {
  session_.selection().select(key);
  const auto& answer = session_.answer();
  if (!answer || !answer->evaluation) return;
  const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& one) { return key.toStdString() == one.kpi->name; });
  const Evaluation& now = *answer->evaluation;
  if (entry == entries_.end() || entry->kpi->of(now)) return;
  if (entry->endless != nullptr && entry->endless->of(now)) return;  // which is shown instead
  if (const QString field = missing(now).field; !field.isEmpty()) session_.askFor(field);
}

bool HeadlineView::isLoad() const {
  return session_.answer() && session_.answer()->resolved->scenario.job != JobKind::kTraining;
}

GaugeState HeadlineView::stateOf(const Entry& entry) const {
  GaugeState state;
  const auto& answer = session_.answer();
  if (!answer) return state;
  // An endless run has no time and no bill, but a rate and dollars per hour.
  const auto& shown = answer->evaluation     ? answer->evaluation
                      : session_.simulated() ? session_.simulated()->evaluation
                                             : nullptr;
  const bool endless = shown && entry.endless != nullptr && shown->cost.run_ends && !shown->cost.run_is_sized &&
                       entry.endless->of(*shown).has_value();
  const Kpi& kpi = endless ? *entry.endless : *entry.kpi;
  if (endless) state.caption = QString::fromStdString(kpi.label);
  if (isLoad() && entry.of_load != nullptr) state.caption = tr(entry.of_load);
  state.stage = stageText(answer->stage);
  const bool is_utilization = kpi.name == "gpu_utilization";
  if (is_utilization) {
    state.mark = answer->bound.gpu_utilization;
    state.mark_text = tr("bound %1").arg(percentText(answer->bound.gpu_utilization));
  }
  std::optional<Estimate> value;
  if (answer->evaluation) {
    value = kpi.of(*answer->evaluation);
  } else if (is_utilization) {
    value = Estimate{answer->estimated_utilization, answer->estimated_utilization, answer->estimated_utilization};
  } else if (const auto& before = session_.simulated()) {
    value = kpi.of(*before->evaluation);
    state.outdated = true;
    state.stage = tr("before");
  }
  if (!value) {
    state.value = answer->evaluation || state.outdated ? tr("unknown") : QStringLiteral("\u2026");
    if (answer->evaluation) state.mark_text = missing(*answer->evaluation).why;
    return state;
  }
  state.value = QString::fromStdString(kpi_text(kpi, value->mean));
  const QString low = QString::fromStdString(kpi_text(kpi, value->ci95_low));
  const QString high = QString::fromStdString(kpi_text(kpi, value->ci95_high));
  if (low != high) state.interval = tr("%1 to %2").arg(low, high);  // else narrower than the digits shown
  if (is_utilization) {
    if (answer->evaluation) state.caption = fromView(headline_name(answer->evaluation->result));
    state.share = value->mean;
    state.share_low = value->ci95_low;
    state.share_high = value->ci95_high;
    if (answer->ranges && answer->ranges->drawn) {
      const Estimate& range = answer->ranges->widened.gpu_utilization;
      state.range_low = range.ci95_low;
      state.range_high = range.ci95_high;
      const QString least = percentText(range.ci95_low), most = percentText(range.ci95_high);
      if (least != most) state.range_text = tr("%1 to %2 with assumed inputs").arg(least, most);
    }
  }
  if (!state.outdated) adoptChange(kpi, *value, state);
  return state;
}

// Whether a change is more than the intervals leave open. Figures without one go with the utilization, or its inverse:
// they are as uncertain as that is.
bool HeadlineView::isApart(const Estimate& now, const Estimate& before) const {
  if (now.half_width() > 0.0 || before.half_width() > 0.0)
    return now.ci95_low > before.ci95_high || now.ci95_high < before.ci95_low;
  const auto relative = [](const Evaluation& evaluation) {
    const Estimate& utilization = evaluation.result.gpu_utilization;
    return utilization.mean > 0.0 ? utilization.half_width() / utilization.mean : 0.0;
  };
  const double open = relative(*session_.answer()->evaluation) + relative(*session_.baseline()->evaluation);
  return std::abs(now.mean - before.mean) > open * std::abs(before.mean);
}

void HeadlineView::adoptChange(const Kpi& kpi, const Estimate& now, GaugeState& state) const {
  const auto& baseline = session_.baseline();
  if (!baseline || !baseline->evaluation || !session_.answer()->evaluation) return;
  const std::optional<Estimate> before = kpi.of(*baseline->evaluation);
  if (!before) return;
  state.change_text = differenceText(kpi, now.mean, before->mean);
  if (now.mean == before->mean || !isApart(now, *before)) {
    state.change = ChangeKind::kUnclear;
    if (now.mean == before->mean) state.change_text = tr("no change");
    return;
  }
  const bool up = now.mean > before->mean;
  state.change = up == (kpi.better == Better::kHigher) ? ChangeKind::kBetter : ChangeKind::kWorse;
}

// Above everything that the figures are said to be.
void HeadlineView::sayMistakes() {
  const QStringList& wrong = session_.mistakes();
  mistakes_->setVisible(!wrong.isEmpty());
  mistakes_->setText(tr("✗ Not in this answer, because the value is wrong: %1.").arg(wrong.join(tr(", "))));
  QPalette colours = mistakes_->palette();
  colours.setColor(QPalette::WindowText, findingColour(palette(), true));
  mistakes_->setPalette(colours);
}

void HeadlineView::sayBottleneck() {
  const auto& answer = session_.answer();
  cause_key_.clear();
  wanted_field_ = workIsMissing(session_.document()) ? QStringLiteral("/workload/step_time") : QString();
  cause_->setText(wanted_field_.isEmpty() ? tr("Show the &cause") : tr("Enter it"));
  bound_->setVisible(!isLoad());  // theirs is a time, which the document says
  if (!answer) {
    sentence_->setText(tr("Nothing is simulated yet."));
    bound_->clear();
  } else {
    QStringList tied;
    for (const std::string& one : answer->bound.tied) tied.append(fromView(resource_label(one)));
    const std::string above =
        answer->evaluation ? above_bound_text(answer->evaluation->result.gpu_utilization, answer->bound.gpu_utilization)
                           : "";
    bound_->setText(tr("Upper bound of the same hardware: %1, set by %2%3.")
                        .arg(percentText(answer->bound.gpu_utilization), tied.join(tr(" and ")),
                             above.empty() ? QString() : "; " + fromView(above)));
  }
  if (!wanted_field_.isEmpty()) {
    sentence_->setText(
        tr("What the GPUs compute is not known yet: choose a workload, or give the compute time of a step."));
  } else if (const auto& simulated = session_.simulated()) {
    const RunResult& result = simulated->evaluation->result;
    const auto cause = causeNamed(bottleneck_name(result));
    if (cause) {
      cause_key_ = QString::fromLatin1(lost_time_name(*cause).data());
      sentence_->setText(tr("Largest loss: %1, %2 of GPU time.")
                             .arg(QString::fromStdString(std::string(lost_time_phrase(*cause))),
                                  percentText(result.lost_fraction[static_cast<std::size_t>(*cause)])));
    } else {
      sentence_->setText(tr("The GPUs themselves are the limit: less than 2 % of their time is lost."));
    }
  } else if (answer) {
    sentence_->setText(tr("The largest loss is being simulated."));
  }
  cause_->setEnabled(!cause_key_.isEmpty() || !wanted_field_.isEmpty());
}

// Once the answer is the last one; what belongs to an older one is shown no more.
void HeadlineView::lookForCure() {
  const auto& answer = session_.answer();
  if (!answer || cure_of_ == answer->revision) return;
  cure_of_.reset();
  cure_.reset();
  cure_sought_ = false;
  session_.background().stop(QString::fromLatin1(kCureWork));
  if (answer->stage != AnswerStage::kFinal || session_.isConverging() || !isOneTrainingJob(*answer->resolved)) return;
  cure_of_ = answer->revision;
  RunOptions base;
  base.threads = Background::threads();
  session_.background().run<std::optional<Cure>>(
      QString::fromLatin1(kCureWork), this,
      [base, file = session_.document().file(), resolved = answer->resolved, evaluation = answer->evaluation,
       &catalogue = session_.catalogue()](std::stop_token stop) {
        RunOptions options = base;
        options.stop = std::move(stop);
        const Loaded<std::vector<Rule>> rules = load_rules(catalogue.identity.directory);
        return best_cure(file, *resolved, *evaluation, rules.value.value_or(std::vector<Rule>()), catalogue, options);
      },
      [this](std::optional<Cure> cure) {
        cure_ = std::move(cure);
        cure_sought_ = true;
        sayCure();
        keepHeight();
      });
}

// "The change that pays best: use 16 loader workers per GPU. GPU utilization +12.3 points; Total cost -9.1 % (-$312)."
void HeadlineView::sayCure() {
  apply_->setEnabled(cure_.has_value());
  const auto& answer = session_.answer();
  const bool is_missed =
      wanted_field_.isEmpty() && cure_sought_ && !cure_ && answer && answer->gpuUtilization() < kNothingToCure;
  cure_text_->setVisible(cure_ || is_missed);
  if (is_missed)
    cure_text_->setText(
        tr("No single change to the loader, the checkpoints or the size of the storage brings a point more."));
  if (!cure_) return;
  QStringList effects;
  for (const char* name : {"gpu_utilization", "cost.total_usd"}) {
    const Kpi& kpi = *find_kpi(name);
    const auto &after = value_of(kpi, cure_->after), &now = value_of(kpi, cure_->now);
    if (!after || !now) continue;
    const QString label = kpi.name == "gpu_utilization" && answer && answer->evaluation
                              ? fromView(headline_name(answer->evaluation->result))
                              : QString::fromStdString(kpi.label);
    effects.append(tr("%1 %2").arg(label, differenceText(kpi, after->mean, now->mean)));
  }
  cure_text_->setText(
      tr("The change that pays best: %1. %2.").arg(QString::fromStdString(cure_->phrase), effects.join(tr("; "))));
}

// Beside the answer before it, so that one sees what it did.
void HeadlineView::applyCure() {
  if (!cure_) return;
  Loaded<ScenarioFile> file = scenario_file_at(session_.document().file(), cure_->point);
  if (!file.value) return;
  if (!session_.baseline()) session_.pinBaseline();
  session_.document().replaceScenario(std::move(*file.value), tr("Try %1").arg(QString::fromStdString(cure_->phrase)));
}

// Which of the inputs that nobody gave decide, and how to know them better.
void HeadlineView::sayRanges() {
  const auto& answer = session_.answer();
  if (!answer || !answer->ranges || answer->ranges->inputs.empty()) {
    const bool loads = answer && answer->document && !isOneTrainingJob(*answer->resolved);
    const RangesText text = loads ? loadRangesText(*answer->document) : RangesText();
    ranges_->setText(text.sentence);
    ranges_->setToolTip(text.how);
    return;
  }
  QStringList names, how;
  for (const AssumedInput& input : answer->ranges->inputs) {
    if (names.size() == kDecidingInputs || input.utilization_effect < kLeastPoints) break;
    const QString name = QString::fromStdString(field_title(input.assumed.range.pointer));
    names.append(tr("%1 (%2 points)").arg(name, QString::number(100.0 * input.utilization_effect, 'f', 1)));
    how.append(tr("%1: %2").arg(name, QString::fromStdString(input.assumed.narrow_by)));
  }
  const auto count = static_cast<int>(answer->ranges->inputs.size());
  ranges_->setText(names.isEmpty() ? tr("None of the %n assumed input(s) matters here.", nullptr, count)
                                   : tr("Of the assumed inputs these decide most: %1.").arg(names.join(tr(", "))));
  ranges_->setToolTip(how.join(QLatin1Char('\n')));
}

}  // namespace stallcast::gui
