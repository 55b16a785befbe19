// Which level answers a read of the timed simulation: the shares that were played, by epoch and position.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/storage/cache_play.h"
#include "core/model/storage/course.h"

namespace stallcast {

struct ReadPlan {
  // One epoch of the simulation. It may be shorter than the epoch that it stands for: its first and last samples then
  // have the positions of that one's first and last, and those between are spread over the rest.
  struct Sweep {
    std::size_t mix = 0;            // of `mixes`
    double samples = 1.0;           // of one rank
    double stands_for = 1.0;        // samples of the epoch of the run
    double head = 0.0, tail = 0.0;  // samples at its start and its end that stand for themselves
  };
  std::vector<EpochMix> mixes;       // empty: nothing but storage answers
  std::vector<Sweep> sweeps;         // in order; the last one again as long as there are more
  std::int64_t samples_per_key = 1;  // that one draw decides on together
  // A copy of the dataset from the origin that goes on meanwhile: what has not come is read there.
  double copy_bytes = 0.0;                       // still to come; 0 = no copy
  double copy_requests = 0.0, copy_files = 0.0;  // of it: at the origin and of storage; files that have a rate
  double copy_most_stands_for = 1.0;             // seconds of the run that one stands for, at the most
  double copied = 0.0;                           // share of the dataset that is there at the start
  bool in_order = false;                         // the job reads in the order in which the dataset is copied
};

// One mix for all epochs and all positions.
ReadPlan plan_of_mix(const ReadMix& mix, std::int64_t samples_per_key);

// Samples of a rank, as its loader counts them, in an epoch of `course`.
double counted_samples(const Scenario& scenario, const EpochCourse& epoch);

// Where a rank's sample lies by its number, counted over all epochs.
class Sweeps {
 public:
  Sweeps() = default;
  explicit Sweeps(const ReadPlan& plan);

  struct Place {
    std::size_t mix = 0;
    double position = 0.0;  // in the epoch of the run, 0 to 1
  };
  Place place_of(std::int64_t number) const;

 private:
  std::vector<ReadPlan::Sweep> sweeps_;
  std::vector<double> first_;  // sample of each
  bool alike_ = true;
};

// The shares of one part of an epoch, ready to draw from: level l answers where the draw is below upto[l].
struct LevelCuts {
  LevelShares upto{};
  double fills_node = 0.0;  // of the reads that no node answers: kept by the node cache
};
std::vector<LevelCuts> cuts_of(const ReadPlan& plan);

}  // namespace stallcast
