// Where in an epoch a step is, as far as that tells how long it takes.
//
//   an epoch    | head: each step a place of its own | waves of one batch from each worker | tail: likewise |
//                                                      a place = which of the wave
//
// The head of the run's first epoch, which starts workers, has places apart from those of heads that follow upon an
// epoch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/result/ledger.h"

namespace stallcast {

// Steps of an epoch by where they are in it.
inline constexpr std::array kCells{PhaseKind::kStart, PhaseKind::kTurn, PhaseKind::kTraining, PhaseKind::kEpochEnd};
// Of kCells.
std::size_t cell_of(PhaseKind kind);

class Places {
 public:
  // **Range** `head` and `tail` >= 0 steps, `wave` >= 1. Where they are more than a few thousand steps, a cell is one
  // place.
  Places(std::int64_t head, std::int64_t tail, std::int64_t wave);

  std::size_t size() const { return first_.back(); }
  std::size_t cell(std::size_t place) const;
  std::size_t first(std::size_t cell) const { return first_[cell]; }
  std::size_t last(std::size_t cell) const { return first_[cell + 1]; }  // one past it

  // Step `at` of an epoch of `steps`, which is in `cell`.
  std::size_t of(std::size_t cell, std::int64_t at, std::int64_t steps) const;

 private:
  std::array<std::size_t, kCells.size() + 1> first_{};
};

// Of steps that no checkpoint is near. **Units** seconds
struct PlaceTimes {
  std::vector<double> sum_s, steps;  // by place

  bool known() const { return !steps.empty(); }
  void add(std::size_t place, double wall_s) {
    sum_s[place] += wall_s;
    steps[place] += 1.0;
  }
};

// Mean over both of them of the places from `first` to before `last`; 0 where neither has any.
double mean_time(const PlaceTimes& one, const PlaceTimes& other, std::size_t first, std::size_t last);

}  // namespace stallcast
