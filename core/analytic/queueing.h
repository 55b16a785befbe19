// Closed forms of queueing theory: what simulated waiting times are checked against.
//
// All describe Poisson arrivals at a steady state. Where the load reaches what the servers can do, no steady state
// exists and the mean time is infinity.
#pragma once

#include <cstdint>

#include "core/units/quantity.h"

namespace stallcast {

// Mean time in an M/M/1 queue, waiting and service.
// **Model** W = 1 / (mu - lambda)
// **Range** arrival >= 0, service > 0; infinity for arrival >= service
// **Source** Kleinrock 1975, Queueing Systems vol. 1, eq. 3.26
// **Checked by** tests/core/analytic/queueing_test.cpp
Seconds mm1_mean_sojourn(PerSecond arrival, PerSecond service);

// Probability that an arrival finds all servers busy (Erlang C).
// **Model** C = B / (1 - rho (1 - B)), B from the recursion B(k) = a B(k-1) / (k + a B(k-1)), rho = a / servers
// **Units** `offered_load` a = arrival rate * mean service time, in erlangs
// **Range** servers >= 1, offered_load >= 0; 1 for offered_load >= servers
// **Source** Erlang 1917; Kleinrock 1975, eq. 3.43; the stable recursion: Jagerman 1974
// **Checked by** tests/core/analytic/queueing_test.cpp
double erlang_c(std::int64_t servers, double offered_load);

// Mean time waiting for service in an M/M/c queue.
// **Model** Wq = C(c, a) / (c mu - lambda)
// **Range** as erlang_c(); infinity for arrival >= servers * service
// **Source** Kleinrock 1975, section 3.5
// **Checked by** tests/core/analytic/queueing_test.cpp
Seconds mmc_mean_wait(std::int64_t servers, PerSecond arrival, PerSecond service);

// Mean time waiting for service in an M/G/1 queue, first come first served.
// **Model** Wq = lambda (sd^2 + mean^2) / (2 (1 - rho)), rho = lambda * mean (Pollaczek-Khinchine)
// **Range** all >= 0; infinity for rho >= 1
// **Source** Pollaczek 1930, Khinchine 1932; Kleinrock 1975, eq. 5.63
// **Checked by** tests/core/analytic/queueing_test.cpp
Seconds mg1_mean_wait(PerSecond arrival, Seconds service_mean, Seconds service_sd);

// Mean time waiting for service in an M/D/1 queue: mg1_mean_wait() without spread, half of M/M/1's.
// **Checked by** tests/core/analytic/queueing_test.cpp
Seconds md1_mean_wait(PerSecond arrival, Seconds service);

// Mean time in an M/G/1 queue with processor sharing: only the mean of the service time matters.
// **Model** T = mean / (1 - rho)
// **Range** as mg1_mean_wait()
// **Source** Kleinrock 1976, Queueing Systems vol. 2, eq. 4.17
// **Checked by** tests/core/analytic/queueing_test.cpp
Seconds mg1_ps_mean_sojourn(PerSecond arrival, Seconds service_mean);

// Fraction of arrivals lost by an M/M/1/k queue: k places in all, the one in service included.
// **Model** P = (1 - rho) rho^k / (1 - rho^(k+1)), 1 / (k + 1) at rho = 1
// **Range** arrival >= 0, service > 0, places >= 0
// **Source** Kleinrock 1975, eq. 3.47
// **Checked by** tests/core/analytic/queueing_test.cpp
double mm1k_loss(PerSecond arrival, PerSecond service, std::int64_t places);

}  // namespace stallcast
