// The epochs that a model goes through and the steps after which it saves: those of the run, or fewer and shorter ones
// that stand for them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/scenario/scenario.h"

namespace stallcast {

// One epoch of every rank.
struct EpochCourse {
  static constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();
  std::int64_t batches = kEndless;  // of a rank; kEndless = the epoch does not end
  std::int64_t shards = 0;          // of a rank that reads them one after the other; 0 = they do not end
  std::int64_t file_samples = 0;    // of a file, where each is as much shorter as the epoch is; 0 = samples_per_shard
  std::size_t kind = 0;             // epochs of one kind read from the same levels: cold, half warm, warm
  // How many steps of the run a step of this epoch stands for, and one of its first `head` and its last `tail` steps.
  // What is used up or arrives in the course of a run (credit for bursts, a copy of the dataset) is so as many times as
  // fast.
  double head_stands_for = 1.0, stands_for = 1.0, tail_stands_for = 1.0;
  std::int64_t head = 0, tail = 0;

  std::int64_t samples_of_file(const Scenario& scenario) const {
    return file_samples > 0 ? file_samples : scenario.dataset.samples_per_shard;
  }
  bool counts_once() const { return head_stands_for == 1.0 && stands_for == 1.0 && tail_stands_for == 1.0; }
  double most_stands_for() const { return std::max({head_stands_for, stands_for, tail_stands_for}); }
  // Of step `at`, counted from 0, of `steps`.
  double step_stands_for(std::int64_t at, std::int64_t steps) const {
    return at < head ? head_stands_for : at >= steps - tail ? tail_stands_for : stands_for;
  }
};

// Whether a reader opens the `nth` file, from 0, that it begins in an epoch: files that are shortened are opened as
// seldom as those of the run.
// **Range** 1 <= `file_samples` <= `samples_per_shard`
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters): a number and two sizes
inline bool opens_file(std::int64_t nth, std::int64_t file_samples, std::int64_t samples_per_shard) {
  return nth == 0 || nth * file_samples / samples_per_shard != (nth - 1) * file_samples / samples_per_shard;
}

// A checkpoint after so many steps of the model, which is the `number`-th of the run: that says where it goes.
struct PlannedSave {
  std::int64_t step = 0;
  std::int64_t number = 0;
};

struct Course {
  std::vector<EpochCourse> epochs;  // in order; the last one again as long as there are more
  std::int64_t count = 1;           // of epochs
  bool plans_saves = false;         // `saves` says when; else the scenario's cadence does
  std::vector<PlannedSave> saves;   // in order of steps
  double save_stands_for = 1.0;     // how many checkpoints of the run one of `saves` stands for
  double saved_part = 1.0;          // of the bytes of a checkpoint, that each of them writes beside training

  const EpochCourse& epoch(std::int64_t number) const {
    const auto at = static_cast<std::size_t>(number);
    return at < epochs.size() ? epochs[at] : epochs.back();
  }
};

// That of the run as it is.
Course course_of(const Scenario& scenario);

}  // namespace stallcast
