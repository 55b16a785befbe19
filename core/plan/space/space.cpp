#include "core/plan/space/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/random/sobol.hpp>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "core/catalogue/capacity_rule.h"
#include "core/catalogue/match_record.h"
#include "core/catalogue/records/records.h"
#include "core/scenario/scenario.h"
#include "core/units/quantity.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

constexpr std::int64_t kMostPoints = std::int64_t{1} << 62;

const Variable* find_variable(const std::vector<Variable>& variables, const std::string& pointer) {
  for (const Variable& variable : variables)
    if (variable.pointer == pointer) return &variable;
  return nullptr;
}

void add_error(Findings& findings, std::string code, std::string pointer, std::string got, std::string allowed,
               std::string fix) {
  findings.add({Severity::kError, std::move(code), kVaryOption, std::move(pointer), std::move(got), std::move(allowed),
                std::move(fix), ""});
}

std::string size_text(Bytes size) { return format_quantity(Dimension::kBytes, size.base()); }

// Tier and capacity of /storage or /origin as one axis.
class TierAxis {
 public:
  TierAxis(std::string group, const ScenarioFile& base, const std::vector<Variable>& variables,
           const Catalogue& catalogue, Findings& findings)
      : group_(std::move(group)), base_(base), catalogue_(catalogue), findings_(findings) {
    tier_ = find_variable(variables, group_ + "/tier");
    capacity_ = find_variable(variables, group_ + "/capacity");
  }

  // Whether capacities cannot be told without the tier.
  bool wanted() const { return tier_ != nullptr || (capacity_ != nullptr && capacity_->every_valid_size); }

  Axis make() {
    if (tier_ != nullptr) axis_.pointers.push_back(tier_->pointer);
    const bool base_gives = base_.given_anywhere().contains(group_ + "/capacity");
    if (capacity_ != nullptr || base_gives) axis_.pointers.push_back(group_ + "/capacity");
    const StorageSpec& spec = group_ == "/storage" ? base_.scenario.storage : base_.scenario.origin;
    const std::vector<std::string> tiers = tier_ != nullptr ? tier_->values : std::vector<std::string>{spec.tier};
    for (const std::string& name : tiers) add_tier(name, spec.capacity);
    if (axis_.choices.empty() && !findings_.has_errors()) {
      add_error(findings_, "no_valid_size", group_ + "/capacity", "", "sizes that one of the tiers is sold in",
                "widen the range, or write valid for all of them");
    }
    return axis_;
  }

 private:
  void add_tier(std::string name, Bytes given) {
    const TierRecord* tier = nullptr;
    if (!name.empty()) {
      tier = find_record(catalogue_.tiers, name, "tier", kVaryOption, group_ + "/tier", findings_);
      if (tier == nullptr) return;
    }
    if (tier != nullptr) name = tier->name;  // as the catalogue spells it
    if (tier != nullptr && !is_provisioned(*tier)) {
      add(name, "");
    } else if (capacity_ == nullptr) {
      add(name, given.base() > 0.0 ? size_text(given) : "");
    } else if (!capacity_->every_valid_size) {
      for (const std::string& value : capacity_->values)
        if (tier == nullptr || is_sold(*tier, value)) add(name, value);
    } else if (tier == nullptr) {
      add_error(findings_, "no_tier", capacity_->pointer, "", "capacities of a tier of the catalogue",
                "set storage.tier, or give a step: lo..hi:step");
    } else {
      add_valid_sizes(name, *tier);
    }
  }

  bool is_sold(const TierRecord& tier, const std::string& text) const {
    const auto size = parse_quantity(Dimension::kBytes, text).base;
    return size && is_valid_capacity(tier, bytes(*size));
  }

  void add_valid_sizes(const std::string& name, const TierRecord& tier) {
    if (capacity_->size_factor > 0.0) {
      for (const Bytes size : spaced_capacities(tier, capacity_->size_factor)) add(name, size_text(size));
      return;
    }
    const ValidSizes sizes = valid_capacities(tier, bytes(capacity_->low), bytes(capacity_->high), kMaxValues);
    if (!sizes.countable) {
      add_error(findings_, "sizes_without_end", capacity_->pointer, name,
                "a tier that is sold in steps up to a largest size",
                tier.capacity_step ? "give both ends: lo..hi, or a distance: valid:x1.1"
                                   : "it is sold in any size: give a step, lo..hi:step, or a distance: valid:x1.1");
    }
    for (const Bytes size : sizes.sizes) add(name, size_text(size));
  }

  void add(const std::string& tier, const std::string& capacity) {
    std::vector<std::string> choice;
    if (tier_ != nullptr) choice.push_back(tier);
    if (axis_.pointers.size() > choice.size()) choice.push_back(capacity);
    axis_.choices.push_back(std::move(choice));
  }

  std::string group_;
  const ScenarioFile& base_;
  const Catalogue& catalogue_;
  Findings& findings_;
  const Variable* tier_ = nullptr;
  const Variable* capacity_ = nullptr;
  Axis axis_;
};

// Fractions in [0, 1), shape [points][dimensions], row by row.
std::vector<double> sobol_fractions(std::int64_t points, std::size_t dimensions) {
  boost::random::sobol sequence(dimensions);
  std::vector<double> fractions(static_cast<std::size_t>(points) * dimensions);
  for (double& fraction : fractions) fraction = std::ldexp(static_cast<double>(sequence() >> 11), -53);
  return fractions;
}

double unit_draw(std::mt19937_64& random) { return std::ldexp(static_cast<double>(random() >> 11), -53); }

std::vector<double> latin_fractions(std::int64_t points, std::size_t dimensions, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto count = static_cast<std::size_t>(points);
  std::vector<double> fractions(count * dimensions);
  std::vector<std::size_t> parts(count);
  for (std::size_t d = 0; d < dimensions; ++d) {
    std::iota(parts.begin(), parts.end(), std::size_t{0});
    for (std::size_t i = count; i > 1; --i) std::swap(parts[i - 1], parts[random() % i]);
    for (std::size_t i = 0; i < count; ++i)
      fractions[i * dimensions + d] = (static_cast<double>(parts[i]) + unit_draw(random)) / static_cast<double>(points);
  }
  return fractions;
}

void check_names(const std::vector<Variable>& variables, Findings& findings) {
  if (variables.empty()) {
    add_error(findings, "nothing_varies", "", "no --vary", "at least one",
              "say what to vary, like --vary loader.num_workers=4,8,16");
  }
  std::set<std::string> seen;
  for (const Variable& variable : variables) {
    if (!seen.insert(variable.pointer).second)
      add_error(findings, "varied_twice", variable.pointer, "two --vary", "one for each field", "join the two lists");
  }
}

}  // namespace

// Builds a Space; reads as one list of steps in make_space().
class SpaceMaker {
 public:
  SpaceMaker(const ScenarioFile& base, const std::vector<Variable>& variables, const Catalogue& catalogue,
             Findings& findings)
      : base_(base), variables_(variables), catalogue_(catalogue), findings_(findings) {}

  // Axes in the order of the variables; an axis of a tier stands where the first of its two does.
  std::vector<Axis> axes(Design design) {
    std::vector<Axis> axes;
    std::set<std::string> done;
    for (const Variable& variable : variables_) {
      if (done.contains(variable.pointer)) continue;
      const std::string group = variable.pointer.substr(0, variable.pointer.rfind('/'));
      const bool tier_or_capacity = variable.pointer == group + "/tier" || variable.pointer == group + "/capacity";
      if (tier_or_capacity && (group == "/storage" || group == "/origin")) {
        TierAxis tier(group, base_, variables_, catalogue_, findings_);
        if (tier.wanted()) {
          axes.push_back(tier.make());
          done.insert({group + "/tier", group + "/capacity"});
          continue;
        }
      }
      axes.push_back(plain_axis(variable, design));
    }
    return axes;
  }

 private:
  Axis plain_axis(const Variable& variable, Design design) {
    Axis axis;
    axis.pointers = {variable.pointer};
    for (const std::string& value : variable.values) axis.choices.push_back({value});
    if (variable.values.empty() && design == Design::kFull) {
      add_error(findings_, "range_without_step", variable.pointer, "lo..hi", "lo..hi:step, lo..hi:xFACTOR, or a list",
                "give a step, or sample the range with a design");
    }
    return axis;
  }

  const ScenarioFile& base_;
  const std::vector<Variable>& variables_;
  const Catalogue& catalogue_;
  Findings& findings_;
};

namespace {

// The number of combinations; 0 with a finding when there are more than can be numbered.
std::int64_t combinations(const std::vector<Axis>& axes, Findings& findings) {
  double size = 1.0;
  for (const Axis& axis : axes) size *= static_cast<double>(axis.choices.size());
  if (size > static_cast<double>(kMostPoints)) {
    add_error(findings, "too_many_points", "", fmt::format("{:.3g} points", size), "at most 2^62", "vary less");
    return 0;
  }
  std::int64_t exact = 1;
  for (const Axis& axis : axes) exact *= static_cast<std::int64_t>(axis.choices.size());
  return exact;
}

bool check_sampling(const DesignSpec& design, std::size_t dimensions, Findings& findings) {
  if (design.points < 1) {
    add_error(findings, "no_points", "", fmt::format("{} points", design.points), "1 or more",
              "say how many points to sample");
  } else if (design.points > kMaxSampledPoints) {
    add_error(findings, "too_many_points", "", fmt::format("{} points", design.points),
              fmt::format("at most {} sampled points", kMaxSampledPoints), "sample fewer");
  }
  if (dimensions > kMaxSampledVariables) {
    add_error(findings, "too_many_variables", "", fmt::format("{} variables", dimensions),
              fmt::format("at most {} in a sampling design", kMaxSampledVariables), "vary fewer fields");
  }
  return !findings.has_errors();
}

// Of a list of `count`, the one at `fraction` of it.
std::size_t pick(double fraction, std::size_t count) {
  return std::min(count - 1, static_cast<std::size_t>(fraction * static_cast<double>(count)));
}

}  // namespace

Loaded<Space> make_space(const ScenarioFile& base, const std::vector<Variable>& variables, const DesignSpec& design,
                         const Catalogue& catalogue) {
  Loaded<Space> loaded;
  check_names(variables, loaded.findings);
  if (loaded.findings.has_errors()) return loaded;
  Space space;
  space.axes_ = SpaceMaker(base, variables, catalogue, loaded.findings).axes(design.kind);
  for (const Axis& axis : space.axes_)
    space.pointers_.insert(space.pointers_.end(), axis.pointers.begin(), axis.pointers.end());
  if (loaded.findings.has_errors()) return loaded;
  for (const Axis& axis : space.axes_) {
    const bool range = axis.choices.empty();
    space.ranges_.push_back(range ? *find_variable(variables, axis.pointers.front()) : Variable());
  }
  if (design.kind == Design::kFull) {
    space.size_ = combinations(space.axes_, loaded.findings);
  } else if (check_sampling(design, 2 * space.axes_.size(), loaded.findings)) {
    // Two dimensions for each axis: a tier, then one of its sizes.
    const std::size_t dimensions = 2 * space.axes_.size();
    space.size_ = design.points;
    space.fractions_ = design.kind == Design::kSobol ? sobol_fractions(design.points, dimensions)
                                                     : latin_fractions(design.points, dimensions, design.seed);
  }
  if (!loaded.findings.has_errors()) loaded.value = std::move(space);
  return loaded;
}

Point Space::point(std::int64_t index) const {
  Point point;
  const bool sampled = !fractions_.empty();
  const std::vector<std::int64_t> choices = sampled ? std::vector<std::int64_t>() : choices_at(index);
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    if (axes_[a].choices.empty()) {
      point.push_back({axes_[a].pointers.front(), value_at(ranges_[a], fraction(index, 2 * a))});
      continue;
    }
    const std::size_t choice = sampled ? sampled_choice(axes_[a], fraction(index, 2 * a), fraction(index, 2 * a + 1))
                                       : static_cast<std::size_t>(choices[a]);
    for (std::size_t p = 0; p < axes_[a].pointers.size(); ++p)
      point.push_back({axes_[a].pointers[p], axes_[a].choices[choice][p]});
  }
  return point;
}

double Space::fraction(std::int64_t index, std::size_t dimension) const {
  return fractions_[static_cast<std::size_t>(index) * 2 * axes_.size() + dimension];
}

// Every tier equally often, and within one every size.
std::size_t Space::sampled_choice(const Axis& axis, double first, double second) {
  std::vector<std::size_t> starts;  // of each value of the first field
  for (std::size_t c = 0; c < axis.choices.size(); ++c)
    if (c == 0 || axis.choices[c].front() != axis.choices[c - 1].front()) starts.push_back(c);
  const std::size_t group = pick(first, starts.size());
  const std::size_t end = group + 1 < starts.size() ? starts[group + 1] : axis.choices.size();
  return starts[group] + pick(second, end - starts[group]);
}

std::vector<std::int64_t> Space::choices_at(std::int64_t index) const {
  std::vector<std::int64_t> choices(axes_.size());
  for (std::size_t a = axes_.size(); a-- > 0;) {
    const auto count = static_cast<std::int64_t>(axes_[a].choices.size());
    choices[a] = index % count;
    index /= count;
  }
  return choices;
}

std::int64_t Space::index_of(const std::vector<std::int64_t>& choices) const {
  std::int64_t index = 0;
  for (std::size_t a = 0; a < axes_.size(); ++a)
    index = index * static_cast<std::int64_t>(axes_[a].choices.size()) + choices[a];
  return index;
}

std::string point_text(const Point& point) {
  std::string text;
  for (const Assignment& assignment : point) {
    if (!text.empty()) text += ' ';
    text += assignment.pointer + "=" + assignment.text;
  }
  return text;
}

}  // namespace stallcast
