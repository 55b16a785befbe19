// Least squares: the storage law through measured rates, with as many parameters as they determine.
//
// **Model** ln X measured = ln X(law) + error, the variance of an error being that of its point's own mean plus a
// scatter common to all: what the law leaves unexplained. The scatter is the one that makes the weighted squares add up
// to the degrees of freedom (Paule & Mandel), so intervals contain the law's own error. Points further off than three
// robust standard deviations have their weight reduced (Huber), once there are five degrees of freedom to tell.
// Parameters are logarithms, the held fraction is itself (fitted as (1 + sin u) / 2, so that it stays in 0 to 1).
// **Which parameters** each is left out in turn; the one whose absence costs the fewest squares goes and the rest are
// fitted anew, until each saves more than t^2 mean squares, with Student's t of the 90 % interval (99 % for the rate of
// a stream, a kink that chance finds more easily). The held fraction stays as long as there is a latency: between 0 and
// 1 it does no harm where it is not known, and without it the others are biased (measured: 82 instead of 92 of 100
// intervals of s covered the truth).
// **Source** Marquardt, "An algorithm for least-squares estimation of nonlinear parameters", J. SIAM 11(2), 1963
// (Eigen's module); Paule & Mandel, "Consensus values and weighting factors", J. Res. NBS 87(5), 1982; Huber, "Robust
// estimation of a location parameter", Ann. Math. Stat. 35(1), 1964.
#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "core/calibrate/fit/storage_law.h"

namespace stallcast {

// In the order in which ties are kept: those further down are left out first.
enum class LawParameter { kLatency, kBandwidth, kRequestTime, kStream, kHeld, kSequential };
inline constexpr std::size_t kLawParameters = 6;

// ln L, ln B, ln s, ln b_s, h, ln of the sequential ratio
using LawVector = std::array<double, kLawParameters>;

// A measured rate, or a measured time to the first byte of requests that are alone.
struct LawObservation {
  AccessPattern pattern = AccessPattern::kRandom;
  double in_flight = 1.0;
  double request_bytes = 0.0;
  double log_rate = 0.0;    // ln of requests/s; for a first byte, of 1 / s
  double variance = 0.0;    // of log_rate, its own; 0 = not known
  bool first_byte = false;  // L + s is what was measured
};

struct LawFit {
  std::vector<LawParameter> parameters;  // that the observations determine, in the order above
  LawVector values{};                    // those of `parameters`
  StorageLaw law;
  Eigen::MatrixXd covariance;  // of `parameters`
  Eigen::VectorXd weights;     // of the observations
  double degrees_of_freedom = 0.0;
  double t90 = 0.0;      // Student's t: times a standard deviation, half a 90 % interval
  double scatter = 0.0;  // standard deviation of ln X about the law
};

StorageLaw law_of(const std::vector<LawParameter>& parameters, const LawVector& values);

// ln of the rate that the law gives for an observation.
double predicted_log_rate(const StorageLaw& law, const LawObservation& observation);

// d predicted_log_rate / d parameter, in the order of `parameters`.
Eigen::VectorXd log_rate_gradient(const std::vector<LawParameter>& parameters, const LawVector& values,
                                  const LawObservation& observation);

// **Range** more observations than one; `candidates` not empty, in the order of the enumeration. Fewer are fitted than
// there are observations. **Errors** none: with nothing determined `parameters` is empty.
LawFit fit_law(const std::vector<LawObservation>& observations, std::vector<LawParameter> candidates);

}  // namespace stallcast
