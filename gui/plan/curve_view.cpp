#include "gui/plan/curve_view.h"

#include <QCompleter>
#include <QHBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/plan/explain/curve_values.h"
#include "core/report/charts/charts.h"
#include "core/scenario/fields/field_title.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast::gui {
namespace {

constexpr std::int64_t kTellings = 2;  // of each value: simulated, and with its range

// Everything that a curve along `pointer` depends on: what is given, without that field.
std::string basisOf(const ScenarioFile& file, const std::string& pointer) {
  static const Scenario kDefaults;
  Scenario scenario = file.scenario;
  if (const Field* field = find_field(pointer)) field->set(scenario, field->get(kDefaults));
  std::string text = pointer + '\n' + scenario_to_json(scenario).dump();
  for (const std::string& given : file.given_anywhere())
    if (given != pointer) text += '\n' + given;
  return text;
}

// Marks the step that `scenario` has; whether that is another one than before.
bool markNow(Curve& curve, const Scenario& scenario) {
  const std::string text = text_of_field(scenario, curve.pointer);
  const auto found = std::find_if(curve.steps.begin(), curve.steps.end(),
                                  [&text](const CurveStep& step) { return step.text == text; });
  std::optional<std::size_t> now;
  if (found != curve.steps.end()) now = static_cast<std::size_t>(found - curve.steps.begin());
  return std::exchange(curve.now, now) != now;
}

}  // namespace

std::vector<std::string> curveFields() {
  std::vector<std::string> out;
  for (const Field& field : field_table()) {
    if (field.group.empty() || field.group == "run" || field.group == "plan") continue;
    const bool words = field.kind == FieldKind::kEnum || field.kind == FieldKind::kBoolean;
    if (words || has_order(field.pointer)) out.push_back(field.pointer);
  }
  return out;
}

CurveView::CurveView(Session& session, QWidget* parent) : ChartView(QStringLiteral("curve"), session, parent) {
  kpi_ = new QComboBox(this);
  kpi_->setObjectName(QStringLiteral("curve.kpi"));
  kpi_->setAccessibleName(tr("Figure"));
  for (const Kpi& one : kpi_table()) {
    kpi_->addItem(QString::fromStdString(one.label), QString::fromStdString(one.name));
    kpi_->setItemData(kpi_->count() - 1, QString::fromStdString(one.help), Qt::ToolTipRole);
  }
  field_ = new QComboBox(this);
  field_->setObjectName(QStringLiteral("curve.field"));
  field_->setAccessibleName(tr("Field"));
  field_->setEditable(true);
  field_->setInsertPolicy(QComboBox::NoInsert);
  for (const std::string& pointer : curveFields()) {
    field_->addItem(QString::fromStdString(field_title(pointer)), QString::fromStdString(pointer));
    field_->setItemData(field_->count() - 1, QString::fromStdString(find_field(pointer)->help), Qt::ToolTipRole);
  }
  field_->completer()->setFilterMode(Qt::MatchContains);
  field_->completer()->setCompletionMode(QCompleter::PopupCompletion);
  field_->setMaxVisibleItems(24);
  QHBoxLayout* row = addControls();
  addLabelled(row, tr("Fig&ure"), kpi_);
  addLabelled(row, tr("&along"), field_);
  row->addStretch(1);
  setField("/loader/num_workers");
  chart().setEmptyText(tr("The curve is computed when the scenario is simulated."));

  connect(&chart(), &ChartWidget::ruleDragged, this, [this](const QString& /*key*/, double at) { setNearest(at); });
  connect(&chart(), &ChartWidget::ruleMoved, this, [this](const QString& /*key*/, double at) {
    setNearest(at);
    gesture_.reset();
  });
  connect(kpi_, &QComboBox::currentIndexChanged, this, [this] { draw(); });
  connect(field_, &QComboBox::currentIndexChanged, this, [this] { refreshWhenSeen(); });
  connect(&session, &Session::answerChanged, this, &CurveView::refreshWhenSeen);
  connect(&session, &Session::baselineChanged, this, &CurveView::refreshWhenSeen);
  connect(&session.background(), &Background::failed, this, [this](const QString& kind, const QString& message) {
    if (kind != own_.work && kind != baseline_.work) return;
    hideProgress();
    setStatus(message);
  });
  connect(&session.selection(), &Selection::changed, this, [this](const QString& key) {
    if (field_->findData(key) >= 0) setField(key.toStdString());
  });
}

CurveView::~CurveView() {
  for (const Line* line : {&own_, &baseline_}) session_.background().stop(line->work);
}

std::string CurveView::pointer() const { return field_->currentData().toString().toStdString(); }

const Kpi& CurveView::kpi() const { return kpi_table()[static_cast<std::size_t>(std::max(0, kpi_->currentIndex()))]; }

void CurveView::setField(const std::string& pointer) {
  const int at = field_->findData(QString::fromStdString(pointer));
  if (at >= 0) field_->setCurrentIndex(at);
}

// Computes what is missing, behind the answer: while a value moves, its own simulation goes first.
void CurveView::refresh() {
  if (!session_.document().resolved()) return;
  refreshBaseline();
  const ScenarioFile& file = session_.document().file();
  const std::string basis = basisOf(file, pointer());
  if (basis == own_.basis) {
    if (markNow(own_.curve, session_.document().resolved()->scenario)) draw();
    if (own_.curve.now) return;  // else the value is a new one
  }
  if (!session_.isConverging()) compute(own_, file, basis);
}

// What was computed of the document before it changed is often just that of the baseline.
void CurveView::refreshBaseline() {
  const std::optional<Answer>& pinned = session_.baseline();
  const std::string basis = pinned ? basisOf(*pinned->file, pointer()) : std::string();
  if (basis == baseline_.basis) return;
  drop(baseline_);
  const bool is_same = pinned && basis == basisOf(session_.document().file(), pointer());
  if (!pinned || is_same) return draw();
  if (basis == own_.basis && own_.curve.ranged) {
    baseline_.basis = basis;
    baseline_.curve = own_.curve;
    return draw();
  }
  if (!session_.isConverging()) compute(baseline_, *pinned->file, basis);
}

void CurveView::drop(Line& line) {
  session_.background().stop(line.work);
  ++line.generation;
  line.told = 0;
  line.basis.clear();
  line.curve = {};
}

void CurveView::compute(Line& line, const ScenarioFile& file, const std::string& basis) {
  const std::string along = pointer();
  const std::vector<std::string> values = usual_values(file, session_.catalogue(), along);
  drop(line);
  line.basis = basis;
  line.curve.pointer = along;
  for (const std::string& text : values) {
    CurveStep step;
    step.text = text;
    step.value = number_of_text(along, text).value_or(static_cast<double>(line.curve.steps.size()));
    line.curve.steps.push_back(std::move(step));
  }
  if (values.empty()) {
    setStatus(tr("There are no values of %1 to compare.").arg(field_->currentText()));
    return;
  }
  setStatus(tr("Simulating %1 at %n value(s)…", "", static_cast<int>(values.size())).arg(field_->currentText()));
  setProgress(0, kTellings * static_cast<std::int64_t>(values.size()));
  const auto is_wanted = [&line, generation = line.generation] { return generation == line.generation; };
  const auto feed = Feed<Done>::make(this, [this, &line, is_wanted](std::vector<Done> steps) {
    if (is_wanted()) take(line, std::move(steps));
  });
  session_.background().run<Curve>(
      line.work, this,
      [file, &catalogue = session_.catalogue(), along, values, feed](std::stop_token stop) {
        CurveOptions options;
        options.run.stop = std::move(stop);
        options.run.threads = Background::threads();
        options.ranges = true;
        options.done = [feed](std::size_t step, const CurveStep& done) { feed->put({step, done}); };
        return field_curve(file, catalogue, along, values, options);
      },
      [this, &line, is_wanted](Curve curve) {
        if (is_wanted()) finish(line, std::move(curve));
      });
}

void CurveView::take(Line& line, std::vector<Done> steps) {
  for (Done& done : steps) {
    if (done.first >= line.curve.steps.size()) line.curve.steps.resize(done.first + 1);
    line.curve.steps[done.first] = std::move(done.second);
  }
  line.told += static_cast<std::int64_t>(steps.size());
  setProgress(line.told, kTellings * static_cast<std::int64_t>(line.curve.steps.size()));
  draw();
}

void CurveView::finish(Line& line, Curve curve) {
  line.curve = std::move(curve);
  hideProgress();
  QStringList cannot;
  for (const CurveStep& step : line.curve.steps)
    if (!step.why_not.empty()) cannot.append(QString::fromStdString(step.text + ": " + step.why_not));
  QString status = cannot.isEmpty() ? tr("Click a point to set the field, or drag the present one along the curve.")
                                    : tr("Cannot be: %1").arg(cannot.join(QStringLiteral("; ")));
  if (own_.curve.ranged) status += tr(" Bands: 90 % ranges with assumed inputs.");
  setStatus(status);
  draw();
}

// A value may have changed while its curve was computed.
void CurveView::draw() {
  Curve& curve = own_.curve;
  const bool any = std::any_of(curve.steps.begin(), curve.steps.end(),
                               [](const CurveStep& step) { return step.figures.has_value(); });
  if (!any) return;
  if (const auto resolved = session_.document().resolved()) markNow(curve, resolved->scenario);
  std::optional<CurveBaseline> beside;
  if (const auto& pinned = session_.baseline()) {
    beside = CurveBaseline{text_of_field(pinned->resolved->scenario, curve.pointer), nullptr};
    if (baseline_.curve.pointer == curve.pointer) {
      markNow(baseline_.curve, pinned->resolved->scenario);
      beside->curve = &baseline_.curve;
    }
  }
  chart().setChart(curve_chart(curve, kpi(), beside));
}

// All that is passed on the way is one step back.
void CurveView::setNearest(double at) {
  const std::vector<ChartDatum>& points = chart().chart().series.front().data;
  const auto away = [at](const ChartDatum& datum) { return std::abs(datum.x - at); };
  const auto nearest = std::min_element(points.begin(), points.end(),
                                        [&away](const auto& a, const auto& b) { return away(a) < away(b); });
  if (nearest == points.end()) return;
  if (!gesture_) gesture_ = session_.document().newGesture();
  if (session_.document().valueText(own_.curve.pointer) != QString::fromStdString(nearest->label))
    session_.document().setValue(own_.curve.pointer, nearest->label, nullptr, *gesture_);
  draw();
}

void CurveView::onPicked(const QString& key, int /*series*/, int datum) {
  const int equals = static_cast<int>(key.indexOf('='));
  if (datum < 0 || equals < 0) return;
  const QString field = key.left(equals);
  session_.selection().select(field);
  session_.document().setValue(field.toStdString(), key.mid(equals + 1).toStdString());
}

}  // namespace stallcast::gui
