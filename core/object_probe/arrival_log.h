// When bytes came: enough to say how many came between two moments.
#pragma once

#include <vector>

namespace stallcast {

class ArrivalLog {
 public:
  // Times do not go back. Arrivals within a millisecond of each other are kept as one.
  void add(double at_s, double bytes);
  // **Cost** logarithmic in the milliseconds with arrivals.
  double bytes_between(double from_s, double to_s) const;

 private:
  struct Arrival {
    double at_s = 0.0;
    double total_bytes = 0.0;  // up to and with it
  };
  double total_until(double at_s) const;
  std::vector<Arrival> arrivals_;
};

}  // namespace stallcast
