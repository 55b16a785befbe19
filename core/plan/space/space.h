// The configurations that a plan looks at: points of a space, numbered, so that any part of them can be done anywhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/diagnostics/finding.h"
#include "core/plan/space/variable.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {

// One field set to one value, as --set writes it. An empty `text` takes away what the file gives, so that the catalogue
// fills it in: the capacity of a tier that has none to choose.
struct Assignment {
  std::string pointer;
  std::string text;
  bool operator==(const Assignment&) const = default;
};
using Point = std::vector<Assignment>;

// Fields that vary together. Mostly one field; tier and capacity are one axis, since each tier has sizes of its own.
struct Axis {
  std::vector<std::string> pointers;
  std::vector<std::vector<std::string>> choices;  // [choice][pointer]
};

enum class Design {
  kFull,            // every combination
  kLatinHypercube,  // each variable's range cut into as many parts as points, each part taken once
  kSobol,           // a low-discrepancy sequence
};

struct DesignSpec {
  Design kind = Design::kFull;
  std::int64_t points = 0;  // of a sampling design
  std::uint64_t seed = 1;   // of a Latin hypercube
};

// Numbers points from 0 to size() - 1; point(i) depends on i alone. In a full design the last axis changes fastest.
class Space {
 public:
  std::int64_t size() const { return size_; }
  Point point(std::int64_t index) const;

  // Every field that varies, in the order of the axes.
  const std::vector<std::string>& pointers() const { return pointers_; }

  // Of a full design: its axes, and the choice of each at a point and back. Shapes [axes].
  const std::vector<Axis>& axes() const { return axes_; }
  std::vector<std::int64_t> choices_at(std::int64_t index) const;
  std::int64_t index_of(const std::vector<std::int64_t>& choices) const;

 private:
  friend Loaded<Space> make_space(const ScenarioFile&, const std::vector<Variable>&, const DesignSpec&,
                                  const Catalogue&);
  double fraction(std::int64_t index, std::size_t dimension) const;
  static std::size_t sampled_choice(const Axis& axis, double first, double second);

  std::vector<Axis> axes_;        // without choices where a sampling design takes a range
  std::vector<Variable> ranges_;  // [axis], used where it has no choices
  std::vector<std::string> pointers_;
  std::int64_t size_ = 0;
  std::vector<double> fractions_;  // of a sampling design: [point][2 * axis], of a tier and of its size
};

// **Model** With storage.tier among the variables, a tier that is sold by capacity takes the given capacities that it
// is sold in, and any other tier none. A sampled capacity is one of the tier's sizes in the range. Sobol points are
// those of Boost's sequence, which begins after the point of all zeros; a Latin hypercube is drawn by `seed` alone.
// **Errors** findings, file "--vary": a field varied twice, a range without steps in a full design, "too_many_points"
// (more than 2^62, or more than kMaxSampledPoints sampled), no variable at all, more than kMaxSampledVariables
// dimensions sampled, two for each field, no capacity that any of the tiers is sold in, a tier that is not in the
// catalogue.
Loaded<Space> make_space(const ScenarioFile& base, const std::vector<Variable>& variables, const DesignSpec& design,
                         const Catalogue& catalogue);
inline constexpr std::int64_t kMaxSampledPoints = 1'000'000;
inline constexpr std::size_t kMaxSampledVariables = 128;

// "/storage/tier=parallelstore /loader/num_workers=8"
std::string point_text(const Point& point);

}  // namespace stallcast
