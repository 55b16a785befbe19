#include "gui/panel/field_slider.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QSignalBlocker>
#include <QStyle>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "core/scenario/fields/field_value.h"
#include "core/units/quantity_text.h"

namespace stallcast::gui {
namespace {

constexpr int kBandHeight = 4;  // pixels
constexpr int kReachOfEnd = 5;  // pixels from the end of a band at which the mouse still means it

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
  setMouseTracking(true);
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
  update();  // the band
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

int FieldSlider::pixelOf(double value) const {
  const int knob = style()->pixelMetric(QStyle::PM_SliderLength, nullptr, this);
  const int position = scale_->position(value);
  return knob / 2 + QStyle::sliderPositionFromValue(minimum(), maximum(), position, width() - knob);
}

double FieldSlider::valueAt(int pixel) const {
  const int knob = style()->pixelMetric(QStyle::PM_SliderLength, nullptr, this);
  return scale_->value(QStyle::sliderValueFromPosition(minimum(), maximum(), pixel - knob / 2, width() - knob));
}

std::optional<std::pair<int, int>> FieldSlider::band() const {
  const UncertainInput* const range = document_.range(field_.pointer);
  const std::optional<double> now = number();
  if (range == nullptr || !now || !scale_ || *now == 0.0) return std::nullopt;
  return std::pair(pixelOf(range->low_factor * *now), pixelOf(range->high_factor * *now));
}

void FieldSlider::paintEvent(QPaintEvent* event) {
  QSlider::paintEvent(event);
  const auto ends = band();
  if (!ends) return;
  QPainter painter(this);
  const int y = height() - kBandHeight;
  QColor colour = palette().color(QPalette::Highlight);
  colour.setAlphaF(0.45F);
  painter.fillRect(QRect(ends->first, y + 1, std::max(1, ends->second - ends->first), kBandHeight - 2), colour);
  for (const int x : {ends->first, ends->second})
    painter.fillRect(QRect(x - 1, y - 1, 2, kBandHeight), palette().color(QPalette::Highlight));
}

FieldSlider::End FieldSlider::endAt(const QPoint& at) const {
  const auto ends = band();
  if (!ends || at.y() < height() / 2) return End::kNone;
  const int low = std::abs(at.x() - ends->first), high = std::abs(at.x() - ends->second);
  if (std::min(low, high) > kReachOfEnd) return End::kNone;
  // Where both are at one place, that which has room to go.
  if (low == high) return at.x() > ends->first ? End::kHigh : End::kLow;
  return low < high ? End::kLow : End::kHigh;
}

void FieldSlider::moveEnd(int pixel) {
  const UncertainInput* const range = document_.range(field_.pointer);
  const std::optional<double> now = number();
  if (range == nullptr || !now || *now == 0.0) return;
  const double factor = std::max(kLeastFactor, valueAt(std::clamp(pixel, 0, width())) / *now);
  const double low = held_ == End::kLow ? factor : range->low_factor;
  const double high = held_ == End::kHigh ? factor : range->high_factor;
  document_.setRange(field_.pointer, low, high, gesture_);
  update();
}

void FieldSlider::mousePressEvent(QMouseEvent* event) {
  held_ = event->button() == Qt::LeftButton ? endAt(event->position().toPoint()) : End::kNone;
  if (held_ == End::kNone) return QSlider::mousePressEvent(event);
  gesture_ = document_.newGesture();
}

void FieldSlider::mouseMoveEvent(QMouseEvent* event) {
  if (held_ != End::kNone) return moveEnd(event->position().toPoint().x());
  setCursor(endAt(event->position().toPoint()) == End::kNone ? Qt::ArrowCursor : Qt::SizeHorCursor);
  QSlider::mouseMoveEvent(event);
}

void FieldSlider::mouseReleaseEvent(QMouseEvent* event) {
  if (held_ == End::kNone) return QSlider::mouseReleaseEvent(event);
  held_ = End::kNone;
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
