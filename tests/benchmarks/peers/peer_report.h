// What the peers have in common: arguments, the constants of the models, and one JSON line per measurement.
//
// {"items": ..., "wall_s": ..., "check": ...}; tests/benchmarks/rows.py says what the items are, and what the check
// must be.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace stallcast::peers {

class Stopwatch {
 public:
  double elapsed_s() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// The `nth` argument, a positive number; ends the program when it is missing.
inline std::int64_t argument(int argc, char** argv, int nth) {
  const std::int64_t value = nth < argc ? std::atoll(argv[nth]) : 0;
  if (value > 0) return value;
  std::fprintf(stderr, "%s: argument %d must be a positive number\n", argv[0], nth);
  std::exit(2);
}

inline void print_measurement(std::int64_t items, double wall_s, double check) {
  std::printf("{\"items\": %lld, \"wall_s\": %.6f, \"check\": %.6g}\n", static_cast<long long>(items), wall_s, check);
}

// M/M/1: customers come at kArrivalRate and are served at kServiceRate, per simulated second.
constexpr double kArrivalRate = 0.75;
constexpr double kServiceRate = 1.0;

// Two holds per customer; the check is the mean time in the system, of `total_s` for all.
inline void print_mm1(std::int64_t customers, double wall_s, double total_s) {
  print_measurement(2 * customers, wall_s, total_s / static_cast<double>(customers));
}

// The hold model: `pending` waits of mean 1 s at any time, as long as makes `holds` of them in the mean.
struct HoldModel {
  HoldModel(int argc, char** argv) : pending(argument(argc, argv, 1)), holds(argument(argc, argv, 2)) {}
  double simulated_s() const { return static_cast<double>(holds) / static_cast<double>(pending); }
  // The check: holds per process and simulated second.
  void print(std::int64_t held, double wall_s) const {
    print_measurement(held, wall_s, static_cast<double>(held) / static_cast<double>(holds));
  }
  std::int64_t pending, holds;
};

}  // namespace stallcast::peers
