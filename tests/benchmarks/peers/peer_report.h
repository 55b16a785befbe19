// One JSON line per measurement: what all peers print, and what tests/benchmarks/peers/run makes a table of.
#pragma once

#include <chrono>
#include <cstdio>

namespace stallcast::peers {

class Stopwatch {
 public:
  double elapsed_s() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct Measurement {
  const char* engine = "";
  const char* model = "";
  const char* item = "";  // what is counted: "events" or "samples"
  double items = 0.0;
  double wall_s = 0.0;
  const char* check_name = "";  // a simulated number that says whether the model is right
  double check = 0.0;
};

inline void print_measurement(const Measurement& m) {
  std::printf(
      "{\"engine\": \"%s\", \"model\": \"%s\", \"item\": \"%s\", \"items\": %.0f, \"wall_s\": %.4f, "
      "\"items_per_s\": %.0f, \"check\": \"%s %.4g\"}\n",
      m.engine, m.model, m.item, m.items, m.wall_s, m.items / m.wall_s, m.check_name, m.check);
}

}  // namespace stallcast::peers
