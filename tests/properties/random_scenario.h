// Small jobs drawn at random over every feature of a scenario, the same ones everywhere.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "core/scenario/scenario.h"

namespace stallcast {

// Numbers from a seed by arithmetic that the language fixes (the standard library's distributions are not).
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53;
  }
  std::int64_t whole(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(double p) { return uniform(0.0, 1.0) < p; }

 private:
  std::mt19937_64 random_;
};

// Job `number` of an endless list: whole runs of one to a hundred steps that take a few milliseconds. check_scenario()
// finds no error in any; every enumerator, distribution and limit turns up in a few dozen of them.
Scenario random_scenario(std::uint64_t number);

// A distribution of any kind with about this mean.
Distribution random_distribution(Dice& dice, double mean);

// The settings that tell one job from another, for the message of a failed check.
std::string describe(const Scenario& scenario);

}  // namespace stallcast
