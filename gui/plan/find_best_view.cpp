#include "gui/plan/find_best_view.h"

#include <QHBoxLayout>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "core/plan/space/point_file.h"
#include "core/report/charts/charts.h"
#include "core/report/text/size_text.h"
#include "core/report/words/kpi_text.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/field_title.h"
#include "core/units/quantity_text.h"
#include "core/units/rounded.h"
#include "gui/session/qt_text.h"
#include "gui/views/feed.h"

namespace stallcast::gui {
namespace {

constexpr const char* kSizeWork = "size";

const Figure kAcross[] = {Figure::kTotal, Figure::kGpuHour, Figure::kTime};

bool knows(const SizeResult& result, Figure figure) {
  return std::any_of(result.front.points.begin(), result.front.points.end(),
                     [figure](const FrontPoint& front) { return front.point.figures.of(figure).has_value(); });
}

// What was found, in words and below them as a chart, which may be as small as it can be before one has to scroll.
class WordsAndChart : public QWidget {
 public:
  WordsAndChart(QLabel* words, QWidget* chart) : words_(words), chart_(chart) {
    auto* const all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(words);
    all->addWidget(chart, 1);
  }

  int heightForWidth(int width) const override {
    const int words = words_->isHidden() ? 0 : words_->heightForWidth(width) + layout()->spacing();
    return words + chart_->minimumSizeHint().height();
  }

 private:
  QLabel* words_;
  QWidget* chart_;
};

QScrollArea* scrollArea(const char* name, const QString& accessible, QWidget* parent) {
  auto* const made = new QScrollArea(parent);
  made->setObjectName(QString::fromUtf8(name));
  made->setAccessibleName(accessible);
  made->setFrameShape(QFrame::NoFrame);
  made->setWidgetResizable(true);
  made->setFocusPolicy(Qt::NoFocus);
  return made;
}

}  // namespace

FindBestView::FindBestView(Session& session, QWidget* parent) : ChartView(QStringLiteral("best"), session, parent) {
  question_ = new SearchQuestion(session, this);
  buildControls();
  layOut();
  chart().setEmptyText(
      tr("Search finds the cheapest configuration that keeps the targets, and those that no other one beats in cost,\n"
         "time and utilization."));
  setSearching(false);
  sayBest();

  connect(across_, &QComboBox::currentIndexChanged, this, [this] { draw(); });
  connect(&chart(), &ChartWidget::ruleMoved, this, &FindBestView::setTarget);
  connect(start_, &QPushButton::clicked, this, &FindBestView::search);
  connect(stop_, &QPushButton::clicked, this, &FindBestView::stop);
  connect(take_, &QPushButton::clicked, this, [this] {
    if (result_ && !result_->best.empty()) load(result_->best.front());
  });
  connect(&session.document(), &Document::changed, this, [this] {
    refreshWhenSeen();
    if (result_ && !searching_) setStatus(foundText());
  });
  connect(&session.background(), &Background::failed, this, [this](const QString& kind, const QString& message) {
    if (kind != QLatin1String(kSizeWork)) return;
    setSearching(false);
    setStatus(message);
  });
}

void FindBestView::buildControls() {
  across_ = new QComboBox(this);
  across_->setObjectName(QStringLiteral("best.across"));
  across_->setAccessibleName(tr("Figure across"));
  across_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);  // a small window stays small
  across_->setMinimumContentsLength(10);
  for (const QString& name : {tr("Total cost"), tr("Cost per useful GPU-hour"), tr("Time to train")})
    across_->addItem(name);
  start_ = new QPushButton(tr("Sea&rch"), this);
  start_->setObjectName(QStringLiteral("best.search"));
  start_->setToolTip(tr("Finds the cheapest of all these configurations that keeps the targets"));
  stop_ = new QPushButton(tr("St&op"), this);
  stop_->setObjectName(QStringLiteral("best.stop"));
  take_ = new QPushButton(tr("Ta&ke it"), this);
  take_->setObjectName(QStringLiteral("best.take"));
  take_->setToolTip(tr("Sets the scenario to the best configuration; Undo takes it back"));
  best_ = new QLabel(this);
  best_->setObjectName(QStringLiteral("best.answer"));
  best_->setWordWrap(true);
  best_->setTextFormat(Qt::PlainText);
  best_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
}

void FindBestView::layOut() {
  auto* const searching = new QHBoxLayout;
  searching->addWidget(start_);
  searching->addWidget(stop_);
  searching->addStretch(1);
  auto* const scroll = scrollArea("best.question", tr("What is asked"), this);  // a small window keeps its height
  scroll->setWidget(question_);
  auto* const left = new QVBoxLayout;
  left->addWidget(scroll, 1);
  left->addLayout(searching);
  auto* const across = new QHBoxLayout;
  across->addWidget(take_);
  across->addStretch(1);
  addLabelled(across, tr("Utilization aga&inst"), across_);
  // The answer in words takes more lines the narrower it is: in a small window one scrolls from it to the chart.
  auto* const answer = scrollArea("best.found", tr("What was found"), this);
  answer->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  body()->removeWidget(&chart());
  answer->setWidget(new WordsAndChart(best_, &chart()));
  auto* const right = new QVBoxLayout;
  right->addWidget(answer, 1);
  right->addLayout(across);
  columns_ = new QHBoxLayout;
  columns_->addLayout(left);
  columns_->addLayout(right);
  body()->insertLayout(0, columns_, 1);
}

FindBestView::~FindBestView() {
  stop_search_.request_stop();
  session_.background().stop(QString::fromLatin1(kSizeWork));
}

// The question has the room that it needs, what is left goes to the chart.
void FindBestView::resizeEvent(QResizeEvent* event) {
  ChartView::resizeEvent(event);
  const bool narrow = width() < 100 * fontMetrics().averageCharWidth();
  columns_->setStretch(0, narrow ? 1 : 2);
  columns_->setStretch(1, narrow ? 1 : 3);
}

FindBestView::Outcome FindBestView::searchFor(const ScenarioFile& file, const std::vector<std::string>& asked,
                                              const Catalogue& catalogue, const RunOptions& run,
                                              const SearchWatch& watch) {
  Outcome outcome;
  const Loaded<std::vector<Variable>> variables = parse_variables(asked, file);
  outcome.findings.append(variables.findings);
  if (!variables.ok()) return outcome;
  Loaded<Space> space = make_space(file, *variables.value, {}, catalogue);
  outcome.findings.append(space.findings);
  if (!space.ok()) return outcome;
  SizeRequest request;
  add_planned_targets(file.scenario.plan, request);
  outcome.findings.append(check_request(file, *space.value, catalogue, request));
  if (outcome.findings.has_errors()) return outcome;
  outcome.answer = answer_size(file, *space.value, catalogue, request, run, AssumedInputs::kRanges, watch);
  return outcome;
}

void FindBestView::search() {
  if (!session_.document().resolved()) {
    setStatus(tr("The scenario has errors; they come first."));
    return;
  }
  question_->refresh();
  setSearching(true);
  setStatus(tr("Searching…"));
  setProgress(0, 0);
  revision_ = session_.document().revision();
  const std::uint64_t generation = ++generation_;
  const auto feed = Feed<Progress>::make(this, [this, generation](const std::vector<Progress>& all) {
    if (generation == generation_ && searching_) sayProgress(all.back());
  });
  // Stopped by the button, a search still says what it has; stopped by Background, nobody hears of it.
  stop_search_ = {};
  session_.background().run<Outcome>(
      QString::fromLatin1(kSizeWork), this,
      [file = session_.document().file(), asked = question_->asked(), &catalogue = session_.catalogue(),
       own = stop_search_, feed](const std::stop_token& stop) {
        std::stop_source both = own;
        const std::stop_callback forward(stop, [&both] { both.request_stop(); });
        RunOptions run;
        run.stop = both.get_token();
        run.threads = Background::threads();
        return searchFor(file, asked, catalogue, run, [feed](const SearchState& state) {
          Progress progress{state.decided, state.points, state.simulations, std::nullopt};
          if (state.best != nullptr) progress.utilization = state.best->figures.at(Figure::kUtilization);
          feed->put(progress);
        });
      },
      [this, generation](Outcome outcome) {
        if (generation == generation_) finish(std::move(outcome));
      });
}

void FindBestView::stop() {
  if (!searching_) return;
  stop_search_.request_stop();
  setStatus(tr("Stopping…"));
}

void FindBestView::setSearching(bool searching) {
  searching_ = searching;
  showRunning(*start_, *stop_, searching);
  if (!searching) hideProgress();
}

void FindBestView::sayProgress(const Progress& progress) {
  setProgress(progress.decided, progress.points);
  QString text = tr("%1 of %2 configurations decided, %3 runs")
                     .arg(progress.decided)
                     .arg(progress.points)
                     .arg(progress.simulations);
  if (progress.utilization) text += tr("; the best so far at %1 utilization").arg(percentText(*progress.utilization));
  setStatus(text);
}

void FindBestView::finish(Outcome outcome) {
  setSearching(false);
  if (!outcome.answer) {
    setStatus(errorsText(outcome.findings));
    return;
  }
  result_ = std::move(outcome.answer->result);
  draws_ = std::move(outcome.answer->draws);
  sayBest();
  if (!knows(*result_, Figure::kTotal) && across_->currentIndex() == 0)
    across_->setCurrentIndex(knows(*result_, Figure::kGpuHour) ? 1 : 2);
  setStatus(foundText());
  draw();
}

QString FindBestView::foundText() const {
  QStringList parts;
  if (!result_->complete) parts.append(tr("Stopped before the end: others may be better."));
  if (result_->best.empty() && result_->complete) parts.append(tr("No configuration keeps the targets."));
  if (session_.document().revision() != revision_) parts.append(tr("The scenario has changed since the search."));
  if (parts.isEmpty())
    parts.append(result_->targets.empty()
                     ? tr("Return or a click on a point loads that configuration.")
                     : tr("Return or a click on a point loads that configuration; drag a target's line to move it."));
  return parts.join(' ');
}

// "Best: storage tier Google Cloud Managed Lustre, capacity 99000 GiB, workers 2. $2,793.85, ..."
QString FindBestView::bestText() const {
  if (!result_ || result_->best.empty()) return {};
  const SizedPoint& best = result_->best.front();
  QStringList settings, figures;
  for (const Assignment& one : best.point) {
    const auto tier = one.pointer == "/storage/tier" ? result_->tier_titles.find(one.text) : result_->tier_titles.end();
    const std::string& value = tier != result_->tier_titles.end() && !tier->second.empty() ? tier->second : one.text;
    if (value.empty()) continue;  // a tier without sizes
    settings.append(QString::fromStdString(field_title(one.pointer) + ": " + value));
  }
  for (const Figure figure : {Figure::kTotal, Figure::kGpuHour, Figure::kTime})
    if (const auto& value = best.figures.of(figure))
      figures.append(QStringLiteral("%1 %2").arg(QString::fromStdString(std::string(figure_title(figure))),
                                                 QString::fromStdString(figure_text(figure, value->mean))));
  if (const auto& busy = best.figures.of(Figure::kUtilization))
    figures.append(tr("GPUs busy %1").arg(percentText(busy->mean)));
  QString text = tr("Best: %1.\n%2.").arg(settings.join(QStringLiteral("; ")), figures.join(QStringLiteral(", ")));
  if (draws_.draws() > 0 && !result_->targets.empty())
    text += QLatin1Char(' ') + tr("It meets the targets in %1 of %2 samples of the assumed inputs.")
                                   .arg(draws_.met(0, result_->targets))
                                   .arg(draws_.draws());
  return text + QLatin1Char('\n') + tr("Why: %1").arg(QString::fromStdString(why_text(*result_)));
}

void FindBestView::sayBest() {
  best_->setText(bestText());
  best_->setVisible(!best_->text().isEmpty());
  take_->setVisible(!best_->text().isEmpty());
}

void FindBestView::draw() {
  if (result_)
    chart().setChart(pareto_chart(*result_, kAcross[std::max(0, across_->currentIndex())], Figure::kUtilization));
}

// A target's line was moved: the scenario's target follows, and what is best is searched for again.
void FindBestView::setTarget(const QString& figure, double at) {
  const std::vector<ChartRule>& rules = chart().chart().rules;
  const auto rule =
      std::find_if(rules.begin(), rules.end(), [&](const ChartRule& one) { return one.key == figure.toStdString(); });
  if (!result_ || rule == rules.end() || rule->at == 0.0) return;
  for (const Target& target : result_->targets) {
    const std::string field(target_field(target.figure));
    if (figure_name(target.figure) != rule->key || field.empty()) continue;
    const double limit = rounded(target.limit * at / rule->at);
    Findings why;
    session_.document().setValue(field, format_quantity(find_field(field)->dimension, limit), &why);
    if (why.has_errors()) {
      draw();  // the line back where it was
      return setStatus(errorsText(why));
    }
    return search();
  }
}

void FindBestView::onPicked(const QString& key, int /*series*/, int datum) {
  session_.selection().select(key);
  if (!result_ || datum < 0) return;
  for (const FrontPoint& front : result_->front.points)
    if (key == QStringLiteral("point-%1").arg(front.point.index)) return load(front.point);
}

void FindBestView::load(const SizedPoint& point) {
  Loaded<ScenarioFile> file = scenario_file_at(session_.document().file(), point.point);
  if (!file.value) {
    setStatus(errorsText(file.findings));
    return;
  }
  session_.document().replaceScenario(std::move(*file.value), tr("configuration %1").arg(point.index));
}

}  // namespace stallcast::gui
