// Student's t distribution: what a mean of few observations may be off by.
#pragma once

namespace stallcast {

// The value that a t-distributed number with `degrees` > 0 of freedom is below with probability `p` in (0, 1).
// **Range** throws std::domain_error or std::overflow_error outside. **Source** Boost.Math.
// **Checked by** StudentT.
double student_t_quantile(double degrees, double p);

// P(T > t), for `degrees` > 0 of freedom.
double student_t_tail(double degrees, double t);

}  // namespace stallcast
