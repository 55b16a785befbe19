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
// the mark. A click sets the field to that value.
class CurveView : public ChartView {
  Q_OBJECT
 public:
  explicit CurveView(Session& session, QWidget* parent = nullptr);
  ~CurveView() override;
  QString title() const override { return tr("Curve"); }

  const Curve& curve() const { return curve_; }
  void setField(const std::string& pointer);

 protected:
  void refresh() override;
  void onPicked(const QString& key, int series, int datum) override;

 private:
  // A step as it is done, by its place among the values.
  using Done = std::pair<std::size_t, CurveStep>;

  std::string pointer() const;
  const Kpi& kpi() const;
  void compute(const std::string& basis);
  void take(std::vector<Done> steps);
  void finish(Curve curve);
  void markNow();
  void draw();

  QComboBox *field_ = nullptr, *kpi_ = nullptr;
  Curve curve_;
  std::string basis_;             // all that curve_ depends on but the field itself; "" of none
  std::uint64_t generation_ = 0;  // of computations: what an older one still says is dropped
};

// Fields that a curve can be drawn along: numbers and words of the job, not of how to simulate it.
std::vector<std::string> curveFields();

}  // namespace stallcast::gui
