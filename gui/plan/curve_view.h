// A figure along one field, computed off the GUI thread, its points as they are done.
#pragma once

#include <QComboBox>
#include <memory>
#include <string>
#include <vector>

#include "core/plan/evaluate/kpi.h"
#include "core/plan/explain/curve.h"
#include "gui/views/chart_view.h"
#include "gui/views/feed.h"

namespace stallcast::gui {

// Follows the document while it is seen: a change of another field computes anew, one of the field itself only moves
// the mark. A click sets the field to that value, and so does dragging the present one along the curve. Beside it
// stands the curve of the baseline, where one is pinned.
class CurveView : public ChartView {
  Q_OBJECT
 public:
  explicit CurveView(Session& session, QWidget* parent = nullptr);
  ~CurveView() override;
  QString title() const override { return tr("Curve"); }

  const Curve& curve() const { return own_.curve; }
  // The baseline's; without steps where there is none or where it differs in nothing but the field.
  const Curve& baselineCurve() const { return baseline_.curve; }
  void setField(const std::string& pointer);

 protected:
  void refresh() override;
  void onPicked(const QString& key, int series, int datum) override;

 private:
  // A step as it is done, by its place among the values.
  using Done = std::pair<std::size_t, CurveStep>;

  struct Line {
    QString work;                  // in the background
    Curve curve = {};              // what is known of it so far
    std::string basis = {};        // all that it depends on but the field itself; "" of none
    std::uint64_t generation = 0;  // of computations: what an older one still says is dropped
    std::int64_t told = 0;         // steps that its computation has said, each once or twice
  };

  std::string pointer() const;
  const Kpi& kpi() const;
  void refreshBaseline();
  void compute(Line& line, const ScenarioFile& file, const std::string& basis);
  void take(Line& line, std::vector<Done> steps);
  void finish(Line& line, Curve curve);
  void drop(Line& line);
  void setNearest(double at);  // the field to the value of the step that is nearest to `at` of the chart
  void draw();

  QComboBox *field_ = nullptr, *kpi_ = nullptr;
  std::optional<int> gesture_;  // while the present value is dragged
  Line own_{QStringLiteral("curve")}, baseline_{QStringLiteral("curve of the baseline")};
};

// Fields that a curve can be drawn along: numbers and words of the job, not of how to simulate it.
std::vector<std::string> curveFields();

}  // namespace stallcast::gui
