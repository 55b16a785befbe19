#include "core/steps/places.h"

#include <algorithm>

namespace stallcast {

std::size_t cell_of(PhaseKind kind) {
  return static_cast<std::size_t>(std::find(kCells.begin(), kCells.end(), kind) - kCells.begin());
}

Places::Places(std::int64_t head, std::int64_t tail, std::int64_t wave) {
  constexpr std::int64_t kMost = 4096;
  const bool one_each = 2 * head + wave + tail > kMost;
  const std::array<std::int64_t, kCells.size()> sizes{head, head, wave, tail};
  for (std::size_t c = 0; c < sizes.size(); ++c)
    first_[c + 1] = first_[c] + static_cast<std::size_t>(one_each ? 1 : std::max<std::int64_t>(1, sizes[c]));
}

std::size_t Places::cell(std::size_t place) const {
  return static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), place) - first_.begin()) - 1;
}

std::size_t Places::of(std::size_t cell, std::int64_t at, std::int64_t steps) const {
  const auto size = static_cast<std::int64_t>(last(cell) - first(cell));
  const std::int64_t within = kCells[cell] == PhaseKind::kTraining   ? at % size
                              : kCells[cell] == PhaseKind::kEpochEnd ? size - (steps - at)
                                                                     : at;
  return first(cell) + static_cast<std::size_t>(std::clamp<std::int64_t>(within, 0, size - 1));
}

// NOLINTNEXTLINE(bugprone-easily-swappable-parameters): from and to
double mean_time(const PlaceTimes& one, const PlaceTimes& other, std::size_t first, std::size_t last) {
  double sum_s = 0.0, steps = 0.0;
  for (const PlaceTimes* const times : {&one, &other}) {
    if (!times->known()) continue;
    for (std::size_t place = first; place < last; ++place) {
      sum_s += times->sum_s[place];
      steps += times->steps[place];
    }
  }
  return steps > 0.0 ? sum_s / steps : 0.0;
}

}  // namespace stallcast
