// A mean with its uncertainty.
#pragma once

namespace stallcast {

// A mean with its 95 % confidence interval (Student t over batches or replications).
struct Estimate {
  double mean = 0.0;
  double ci95_low = 0.0;
  double ci95_high = 0.0;
  double half_width() const { return 0.5 * (ci95_high - ci95_low); }
};

}  // namespace stallcast
