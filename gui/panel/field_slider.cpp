#include "gui/panel/field_slider.h"

#include <QKeyEvent>
#include <QSignalBlocker>
#include <QWheelEvent>
#include <algorithm>

#include "core/scenario/fields/field_value.h"
#include "core/units/quantity_text.h"

namespace stallcast::gui {
namespace {

bool has_mean(const Distribution& distribution) {
  const std::vector<std::string> members = distribution_members(distribution.kind);
  return std::find(members.begin(), members.end(), "mean") != members.end();
}

std::string number_text(const Field& field, double number) {
  if (field.kind == FieldKind::kInteger) return value_text(field, static_cast<std::int64_t>(number));
  if (field.kind == FieldKind::kDistribution) return format_quantity(field.dimension, number, field.counted);
  return value_text(field, number);
}

}  // namespace

FieldSlider::FieldSlider(const Field& field, Document& document, const Catalogue& catalogue, QWidget* parent)
    : QSlider(Qt::Horizontal, parent), field_(field), document_(document), catalogue_(catalogue) {
  setFocusPolicy(Qt::StrongFocus);
  setTracking(true);
  connect(this, &QSlider::sliderPressed, this, [this] { gesture_ = document_.newGesture(); });
  connect(this, &QSlider::sliderReleased, this, &FieldSlider::refresh);
  connect(this, &QSlider::valueChanged, this, &FieldSlider::move);
}

bool FieldSlider::suits(const Field& field) {
  switch (field.kind) {
    case FieldKind::kInteger:
      return field.pointer != "/format_version" && field.pointer != "/run/seed";
    case FieldKind::kNumber:
    case FieldKind::kQuantity:
    case FieldKind::kDistribution:
      return true;
    default:
      return false;
  }
}

std::optional<double> FieldSlider::number() const {
  const FieldValue value = document_.value(field_);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  const auto& distribution = std::get<Distribution>(value);
  return has_mean(distribution) ? std::optional(distribution.mean) : std::nullopt;
}

// A distribution moves by its mean and keeps the rest.
std::string FieldSlider::movedPointer() const {
  if (field_.kind != FieldKind::kDistribution) return field_.pointer;
  const bool constant = std::get<Distribution>(document_.value(field_)).kind == DistributionKind::kConstant;
  return constant ? field_.pointer : field_.pointer + "/mean";
}

void FieldSlider::refresh() {
  if (isSliderDown()) return;
  const std::optional<double> now = number();
  setEnabled(now.has_value());
  if (!now) return;
  rescale(*now);
  const QSignalBlocker quiet(this);
  setValue(scale_->position(*now));
}

void FieldSlider::rescale(double number) {
  const Scenario& scenario = document_.file().scenario;
  const std::string& tier = field_.group == "origin" ? scenario.origin.tier : scenario.storage.tier;
  const bool fits = scale_ && number >= scale_->value(0) && number <= scale_->value(scale_->count() - 1);
  // A key is a gesture too: as long as the slider has the focus, its scale stays under the hand.
  if (fits && (hasFocus() || scale_->value(scale_->position(number)) == number) && tier == tier_) return;
  tier_ = tier;
  scale_ = soldSizes(field_, scenario, catalogue_);
  if (!scale_) scale_ = usualScale(field_, number);
  const QSignalBlocker quiet(this);
  setRange(0, scale_->count() - 1);
  setPageStep(std::max(1, scale_->count() / 10));
}

void FieldSlider::move(int position) {
  if (!scale_) return;
  document_.setValue(movedPointer(), number_text(field_, scale_->value(position)), nullptr, gesture_);
}

void FieldSlider::keyPressEvent(QKeyEvent* event) {
  if (!event->isAutoRepeat()) gesture_ = document_.newGesture();
  QSlider::keyPressEvent(event);
}

void FieldSlider::wheelEvent(QWheelEvent* event) {
  if (!hasFocus()) return event->ignore();
  gesture_ = document_.newGesture();
  QSlider::wheelEvent(event);
}

}  // namespace stallcast::gui
