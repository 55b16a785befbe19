#include "gui/plan/curve_view.h"

#include <QCompleter>
#include <QHBoxLayout>
#include <algorithm>

#include "core/plan/explain/curve_values.h"
#include "core/report/charts/charts.h"
#include "core/scenario/fields/field_title.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast::gui {
namespace {

constexpr const char* kCurveWork = "curve";

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

  connect(kpi_, &QComboBox::currentIndexChanged, this, [this] { draw(); });
  connect(field_, &QComboBox::currentIndexChanged, this, [this] { refreshWhenSeen(); });
  connect(&session, &Session::answerChanged, this, &CurveView::refreshWhenSeen);
  connect(&session.background(), &Background::failed, this, [this](const QString& kind, const QString& message) {
    if (kind != QLatin1String(kCurveWork)) return;
    hideProgress();
    setStatus(message);
  });
  connect(&session.selection(), &Selection::changed, this, [this](const QString& key) {
    if (field_->findData(key) >= 0) setField(key.toStdString());
  });
}

CurveView::~CurveView() { session_.background().stop(QString::fromLatin1(kCurveWork)); }

std::string CurveView::pointer() const { return field_->currentData().toString().toStdString(); }

const Kpi& CurveView::kpi() const { return kpi_table()[static_cast<std::size_t>(std::max(0, kpi_->currentIndex()))]; }

void CurveView::setField(const std::string& pointer) {
  const int at = field_->findData(QString::fromStdString(pointer));
  if (at >= 0) field_->setCurrentIndex(at);
}

// Computes what is missing, behind the answer: while a value moves, its own simulation goes first.
void CurveView::refresh() {
  if (!session_.document().resolved()) return;
  const std::string basis = basisOf(session_.document().file(), pointer());
  if (basis == basis_) {
    markNow();
    if (curve_.now) return;  // else the value is a new one
  }
  if (!session_.isConverging()) compute(basis);
}

void CurveView::compute(const std::string& basis) {
  const std::string along = pointer();
  ScenarioFile file = session_.document().file();
  const std::vector<std::string> values = usual_values(file, session_.catalogue(), along);
  const std::uint64_t generation = ++generation_;
  basis_ = basis;
  curve_ = {};
  curve_.pointer = along;
  for (const std::string& text : values) {
    CurveStep step;
    step.text = text;
    step.value = number_of_text(along, text).value_or(static_cast<double>(curve_.steps.size()));
    curve_.steps.push_back(std::move(step));
  }
  if (values.empty()) {
    setStatus(tr("There are no values of %1 to compare.").arg(field_->currentText()));
    return;
  }
  setStatus(tr("Simulating %1 at %n value(s)…", "", static_cast<int>(values.size())).arg(field_->currentText()));
  setProgress(0, static_cast<std::int64_t>(values.size()));
  const auto feed = Feed<Done>::make(this, [this, generation](std::vector<Done> steps) {
    if (generation == generation_) take(std::move(steps));
  });
  session_.background().run<Curve>(
      QString::fromLatin1(kCurveWork), this,
      [file = std::move(file), &catalogue = session_.catalogue(), along, values, feed](std::stop_token stop) {
        CurveOptions options;
        options.run.stop = std::move(stop);
        options.run.threads = Background::threads();
        options.done = [feed](std::size_t step, const CurveStep& done) { feed->put({step, done}); };
        return field_curve(file, catalogue, along, values, options);
      },
      [this, generation](Curve curve) {
        if (generation == generation_) finish(std::move(curve));
      });
}

void CurveView::take(std::vector<Done> steps) {
  for (Done& done : steps) {
    if (done.first >= curve_.steps.size()) curve_.steps.resize(done.first + 1);
    curve_.steps[done.first] = std::move(done.second);
  }
  const auto known = std::count_if(curve_.steps.begin(), curve_.steps.end(),
                                   [](const CurveStep& step) { return step.figures || !step.why_not.empty(); });
  setProgress(known, static_cast<std::int64_t>(curve_.steps.size()));
  draw();
}

void CurveView::finish(Curve curve) {
  curve_ = std::move(curve);
  hideProgress();
  QStringList cannot;
  for (const CurveStep& step : curve_.steps)
    if (!step.why_not.empty()) cannot.append(QString::fromStdString(step.text + ": " + step.why_not));
  setStatus(cannot.isEmpty() ? tr("Return or a click on a point sets the field to its value.")
                             : tr("Cannot be: %1").arg(cannot.join(QStringLiteral("; "))));
  draw();
}

void CurveView::markNow() {
  const std::string text = text_of_field(session_.document().resolved()->scenario, curve_.pointer);
  const auto found = std::find_if(curve_.steps.begin(), curve_.steps.end(),
                                  [&text](const CurveStep& step) { return step.text == text; });
  std::optional<std::size_t> now;
  if (found != curve_.steps.end()) now = static_cast<std::size_t>(found - curve_.steps.begin());
  if (now == curve_.now) return;
  curve_.now = now;
  draw();
}

void CurveView::draw() {
  const bool any = std::any_of(curve_.steps.begin(), curve_.steps.end(),
                               [](const CurveStep& step) { return step.figures.has_value(); });
  if (any) chart().setChart(curve_chart(curve_, kpi()));
}

void CurveView::onPicked(const QString& key, int /*series*/, int datum) {
  const int equals = static_cast<int>(key.indexOf('='));
  if (datum < 0 || equals < 0) return;
  const QString field = key.left(equals);
  session_.selection().select(field);
  session_.document().setValue(field.toStdString(), key.mid(equals + 1).toStdString());
}

}  // namespace stallcast::gui
