// Where a field's values lie on a slider.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/scenario.h"

namespace stallcast::gui {

// Positions 0 .. count() - 1, ascending values in base units.
class SliderScale {
 public:
  explicit SliderScale(std::vector<double> values) : values_(std::move(values)) {}

  int count() const { return static_cast<int>(values_.size()); }
  double value(int position) const { return values_[static_cast<std::size_t>(position)]; }
  // The nearest position, in ratio where both neighbours are above 0.
  int position(double value) const;

 private:
  std::vector<double> values_;
};

// The scale of a field whose present value is `present`, in base units.
// **Model** a range of up to 200 whole steps or hundredths, from 0 or of ends less than a hundred apart: all of it,
// evenly. Otherwise a decade to both sides of the present value (of a usual one where it is 0), within the range, in
// steps of two digits: 1.0 1.1 ... 9.9; and first 0 where that is allowed, since 0 mostly says "unlimited" or "none".
SliderScale usualScale(const Field& field, double present);

// Of a capacity: the sizes that its tier is sold in, if they can be counted. Nothing for other fields.
std::optional<SliderScale> soldSizes(const Field& field, const Scenario& scenario, const Catalogue& catalogue);

}  // namespace stallcast::gui
