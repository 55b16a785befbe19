// How much sooner the steps of a run would end if some of its nodes were not there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stallcast {

// A rank that has come to the barrier of a step.
struct RankAtBarrier {
  double busy_s = 0.0;   // since the step began, without waits for a batch
  double slack_s = 0.0;  // how long its batch had been there when it asked for it; below 0: as long as it waited
  // Its batch's maker has loaded without waiting for a place in the queue since before so many steps.
  std::int64_t ahead = 0;
  double total_s() const { return busy_s + (slack_s < 0.0 ? -slack_s : 0.0); }
  // Where all of this step is `sooner_s` earlier and the loading of its batch is not.
  RankAtBarrier sooner(double sooner_s) const { return {busy_s, slack_s - sooner_s, ahead}; }
};

// When the last of them is there.
double last_of(std::span<const RankAtBarrier> ranks);
// Of node `node`, where they are in order of their nodes.
double last_of_node(std::span<const RankAtBarrier> ranks, std::size_t node, std::size_t ranks_per_node);

// How far one clock is ahead of another, step by step.
class Lead {
 public:
  double now() const { return now_; }
  // What of it was gained in the latest `steps` steps; of more than are kept in those.
  double gained_in(std::int64_t steps) const;
  void add(double gained_s);
  void start_over();

 private:
  static constexpr std::size_t kKept = 1024;
  std::vector<double> before_;  // ring: the lead before each of the latest steps
  std::size_t steps_ = 0;
  double now_ = 0.0;
};

// **Model** A step ends when its slowest node is there, so that without some nodes it ends sooner, and the next begins
// sooner. What is then sooner, too, is what follows from the clock: compute, and batches of workers that had to wait
// for a place in the queue, which has become free sooner. A worker that has been busy since before the gain is done
// when it is done: waits at the same time count once. Nor is a clock ahead by more than the time in which the storage
// could have served more: a run that its storage holds up would not be faster.
//
//   rank's step                                    |- wait for its batch -|---- busy ----|
//   who makes it    waits for a place |- a batch --|------ its batch ---->|
//                                     `ahead` steps before
//
// **Checked by** EarlierClocks tests
class EarlierClocks {
 public:
  // Clocks of about `kept` of the nodes each, which are alike; fewer clocks where many ranks tell. Every node is in as
  // many of them as any other, where nodes are a multiple of the clocks.
  // **Range** 1 <= `kept` <= `nodes`
  EarlierClocks(std::size_t nodes, std::size_t ranks_per_node, double kept);

  // A step of all ranks, node by node; no clock is ahead by more than `most_s`.
  // **Units** seconds, by which the mean clock's lead grew; below 0 where it shrank
  double step(std::span<const RankAtBarrier> ranks, double most_s);

  // Sum over the steps so far of the mean clock's lead, and how much of it the storage held back.
  double sum() const { return sum_; }
  double held_back_sum() const { return held_back_sum_; }
  void start_over();

 private:
  static constexpr std::size_t kFewestClocks = 4, kMostClocks = 16;
  static constexpr std::size_t kMostRanks = 8192;  // of all clocks, beyond the fewest
  struct Clock {
    std::vector<std::size_t> nodes;
    Lead lead;
  };

  std::size_t ranks_per_node_;
  std::vector<Clock> clocks_;
  double mean_lead_ = 0.0, sum_ = 0.0, held_back_sum_ = 0.0;
};

}  // namespace stallcast
