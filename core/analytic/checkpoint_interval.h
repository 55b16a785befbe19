// How often to write a checkpoint, and what a run with failures takes, in closed form.
//
// Symbols as in the papers: delta = time that training stands still for one checkpoint, M = mean time to interruption
// of the job, R = time from an interruption until training goes on, tau = training time between two checkpoints.
// **Units** seconds throughout; M and tau > 0, all others >= 0.
// **Checked by** tests/core/analytic/checkpoint_interval_test.cpp
#pragma once

namespace stallcast {

// sqrt(2 delta M). **Source** Young 1974, CACM 17(9): a first order approximation to the optimum checkpoint interval.
double young_interval(double delta, double mtti);

// sqrt(2 delta (M + R)) - delta: delta counts as part of what an interruption throws away. Below 0 for delta beyond
// 2 (M + R), where it does not hold. **Source** Daly 2006, Future Gener. Comput. Syst. 22(3), first order.
double daly_first_order_interval(double delta, double mtti, double restart);

// sqrt(2 delta M) (1 + sqrt(delta / 2M) / 3 + delta / 18 M) - delta for delta < 2 M, else M: the first three terms of
// optimal_interval() in sqrt(2 delta / M). **Source** Daly 2006, higher order.
double daly_interval(double delta, double mtti);

// The tau that minimises expected_wall_time(): M (1 + W(-exp(-1 - delta / M))), W the principal branch of Lambert's
// function. Does not depend on R. Exact to 1e-9 of itself.
double optimal_interval(double delta, double mtti);

// Expected wall time of `solve` seconds of training with exponential interruptions, which strike training,
// checkpoints and recovery alike: M exp(R/M) (exp((tau + delta)/M) - 1) solve / tau.
// **Source** Daly 2006, the complete model (no failure-free last segment: solve >> tau).
double expected_wall_time(double solve, double tau, double delta, double mtti, double restart);

// 1 - solve / expected_wall_time(): the share of wall time that is not training.
double wasted_fraction(double tau, double delta, double mtti, double restart);

// Expected effective training time ratio: (1 - rate (u0 + tau/2)) / (1 + delta/tau), rate = 1/M interruptions per
// second of the job, u0 = restart overhead. Holds where rate (u0 + tau/2) << 1; below 0 it is 0.
// **Source** Kokolis et al. 2025 (HPCA), arXiv 2410.21680, queueing left out.
double expected_ettr(double tau, double delta, double mtti, double restart);

}  // namespace stallcast
