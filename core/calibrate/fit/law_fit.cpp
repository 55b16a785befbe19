#include "core/calibrate/fit/law_fit.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <unsupported/Eigen/LevenbergMarquardt>
#include <unsupported/Eigen/NumericalDiff>
#include <utility>

#include "core/units/student_t.h"

namespace stallcast {
namespace {

using Observations = std::vector<LawObservation>;
using Parameters = std::vector<LawParameter>;

constexpr double kLeastScatter = 1e-4;  // nobody measures better
constexpr double kHuber = 3.0;          // robust standard deviations
constexpr double kFarthest = 60.0;      // of a logarithm: e^60 is beyond any storage

std::size_t index_of(LawParameter parameter) { return static_cast<std::size_t>(parameter); }

bool contains(const Parameters& parameters, LawParameter parameter) {
  return std::find(parameters.begin(), parameters.end(), parameter) != parameters.end();
}

// What the optimiser moves: the parameters, with the held fraction as an angle.
LawVector values_of(const Parameters& parameters, const Eigen::VectorXd& free) {
  LawVector values{};
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const double x = free(static_cast<Eigen::Index>(p));
    values[index_of(parameters[p])] =
        parameters[p] == LawParameter::kHeld ? (1.0 + std::sin(x)) / 2.0 : std::clamp(x, -kFarthest, kFarthest);
  }
  return values;
}

Eigen::VectorXd free_of(const Parameters& parameters, const LawVector& values) {
  Eigen::VectorXd free(static_cast<Eigen::Index>(parameters.size()));
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const double x = values[index_of(parameters[p])];
    free(static_cast<Eigen::Index>(p)) = parameters[p] == LawParameter::kHeld ? std::asin(2.0 * x - 1.0) : x;
  }
  return free;
}

struct Residuals : Eigen::DenseFunctor<double> {
  Residuals(const Parameters& p, const Observations& o, const Eigen::VectorXd& w)
      : DenseFunctor(static_cast<int>(p.size()), static_cast<int>(o.size())),
        parameters(p),
        observations(o),
        root_weights(w) {}

  int operator()(const Eigen::VectorXd& free, Eigen::VectorXd& out) const {
    const StorageLaw law = law_of(parameters, values_of(parameters, free));
    for (std::size_t i = 0; i < observations.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      out(row) = root_weights(row) * (predicted_log_rate(law, observations[i]) - observations[i].log_rate);
    }
    return 0;
  }

  const Parameters& parameters;
  const Observations& observations;
  const Eigen::VectorXd& root_weights;
};

struct Minimum {
  LawVector values{};
  double squares = std::numeric_limits<double>::infinity();
};

Minimum minimise(const Parameters& parameters, const Observations& observations, const Eigen::VectorXd& weights,
                 const LawVector& start) {
  const Eigen::VectorXd roots = weights.cwiseSqrt();
  Eigen::NumericalDiff<Residuals> residuals(Residuals(parameters, observations, roots));
  Eigen::LevenbergMarquardt<Eigen::NumericalDiff<Residuals>> solver(residuals);
  solver.setMaxfev(400);
  solver.setXtol(1e-9);
  solver.setFtol(1e-12);
  Eigen::VectorXd free = free_of(parameters, start);
  solver.minimize(free);
  Eigen::VectorXd left(static_cast<Eigen::Index>(observations.size()));
  residuals(free, left);
  return {values_of(parameters, free), left.squaredNorm()};
}

// What single observations say: the least time of a request, the most bytes/s and requests/s.
LawVector rough_values(const Observations& observations) {
  double least_s = std::numeric_limits<double>::infinity(), most_bytes = 1.0, most_requests = 1e-9;
  for (const LawObservation& o : observations) {
    const double rate = std::exp(o.log_rate);
    least_s = std::min(least_s, o.in_flight / rate);
    most_requests = std::max(most_requests, rate);
    if (!o.first_byte) most_bytes = std::max(most_bytes, rate * o.request_bytes);
  }
  return {std::log(0.7 * least_s),
          std::log(1.1 * most_bytes),
          std::log(0.3 / most_requests),
          std::log(most_bytes),
          0.5,
          0.0};
}

// The best minimum from several starts: the law has few, but more than one.
Minimum search(const Parameters& parameters, const Observations& observations, const Eigen::VectorXd& weights) {
  std::vector<LawVector> starts = {rough_values(observations)};
  const auto vary = [&](LawParameter parameter, std::initializer_list<double> values) {
    if (!contains(parameters, parameter)) return;
    std::vector<LawVector> varied;
    for (const double value : values) {
      for (LawVector start : starts) {
        start[index_of(parameter)] = value;
        varied.push_back(start);
      }
    }
    starts = std::move(varied);
  };
  vary(LawParameter::kHeld, {0.1, 0.9});
  const double stream = starts.front()[index_of(LawParameter::kStream)];
  vary(LawParameter::kStream, {stream - 0.7, stream - 2.5});
  Minimum best;
  for (const LawVector& start : starts) {
    const Minimum found = minimise(parameters, observations, weights, start);
    if (found.squares < best.squares) best = found;
  }
  return best;
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Weights of the observations: own variance and common scatter, less for outliers.
struct Weighting {
  Eigen::VectorXd weights;
  double scatter2 = 0.0;

  void update(const Observations& observations, const Eigen::VectorXd& residuals, double degrees_of_freedom) {
    const Eigen::VectorXd trust = trust_of(observations, residuals, degrees_of_freedom);
    const auto excess = [&](double candidate) {
      double sum = 0.0;
      for (Eigen::Index i = 0; i < residuals.size(); ++i) {
        const double variance = observations[static_cast<std::size_t>(i)].variance + candidate;
        sum += trust(i) * residuals(i) * residuals(i) / variance;
      }
      return sum - degrees_of_freedom;
    };
    double low = kLeastScatter * kLeastScatter, high = low + residuals.squaredNorm();
    if (excess(low) <= 0.0) high = low;
    for (int step = 0; step < 60 && high > low * 1.0001; ++step) {
      const double middle = std::sqrt(low * high);
      (excess(middle) > 0.0 ? low : high) = middle;
    }
    scatter2 = high;
    for (Eigen::Index i = 0; i < residuals.size(); ++i)
      weights(i) = trust(i) / (observations[static_cast<std::size_t>(i)].variance + scatter2);
  }

 private:
  Eigen::VectorXd trust_of(const Observations& observations, const Eigen::VectorXd& residuals,
                           double degrees_of_freedom) const {
    Eigen::VectorXd trust = Eigen::VectorXd::Ones(residuals.size());
    if (degrees_of_freedom < 5.0) return trust;
    std::vector<double> sizes;
    for (Eigen::Index i = 0; i < residuals.size(); ++i)
      sizes.push_back(std::abs(standardised(observations, residuals, i)));
    constexpr double kMedianOfNormal = 0.6744897501960817;
    const double scale = std::max(median_of(sizes) / kMedianOfNormal, 1e-9) *
                         std::sqrt(static_cast<double>(residuals.size()) / degrees_of_freedom);
    for (Eigen::Index i = 0; i < residuals.size(); ++i)
      trust(i) = std::min(1.0, kHuber * scale / std::max(sizes[static_cast<std::size_t>(i)], 1e-12));
    return trust;
  }

  double standardised(const Observations& observations, const Eigen::VectorXd& residuals, Eigen::Index i) const {
    const double floor2 = std::max(scatter2, kLeastScatter * kLeastScatter);
    return residuals(i) / std::sqrt(observations[static_cast<std::size_t>(i)].variance + floor2);
  }
};

Eigen::VectorXd residuals_of(const Observations& observations, const StorageLaw& law) {
  Eigen::VectorXd out(static_cast<Eigen::Index>(observations.size()));
  for (std::size_t i = 0; i < observations.size(); ++i)
    out(static_cast<Eigen::Index>(i)) = predicted_log_rate(law, observations[i]) - observations[i].log_rate;
  return out;
}

double weighted_squares(const Eigen::VectorXd& residuals, const Eigen::VectorXd& weights) {
  return residuals.cwiseAbs2().dot(weights);
}

// The inverse of the normal matrix; directions that no observation sees get a variance without bound.
Eigen::MatrixXd inverse_of(const Eigen::MatrixXd& normal) {
  const Eigen::VectorXd size = normal.diagonal().cwiseMax(1e-300).cwiseSqrt();
  const Eigen::MatrixXd scaled = (normal.array() / (size * size.transpose()).array()).matrix();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(scaled);
  const Eigen::VectorXd inverse = solver.eigenvalues().cwiseMax(1e-12).cwiseInverse();
  const Eigen::MatrixXd unscaled = solver.eigenvectors() * inverse.asDiagonal() * solver.eigenvectors().transpose();
  return (unscaled.array() / (size * size.transpose()).array()).matrix();
}

LawFit fit_all(const Observations& observations, const Parameters& parameters) {
  LawFit fit;
  fit.parameters = parameters;
  const auto count = static_cast<double>(observations.size());
  fit.degrees_of_freedom = count - static_cast<double>(parameters.size());
  Weighting weighting{Eigen::VectorXd::Ones(static_cast<Eigen::Index>(observations.size())), 0.0};
  Minimum minimum = search(parameters, observations, weighting.weights);
  Eigen::VectorXd residuals;
  constexpr int kReweightings = 4;
  for (int pass = 0;; ++pass) {
    fit.values = minimum.values;
    fit.law = law_of(parameters, fit.values);
    residuals = residuals_of(observations, fit.law);
    weighting.update(observations, residuals, fit.degrees_of_freedom);
    if (pass == kReweightings) break;
    minimum = minimise(parameters, observations, weighting.weights, fit.values);
  }

  Eigen::MatrixXd jacobian(residuals.size(), static_cast<Eigen::Index>(parameters.size()));
  for (std::size_t i = 0; i < observations.size(); ++i)
    jacobian.row(static_cast<Eigen::Index>(i)) = log_rate_gradient(parameters, fit.values, observations[i]);
  const Eigen::VectorXd& w = weighting.weights;
  const double least = kLeastScatter * kLeastScatter * w.mean();
  const double unit = std::max(weighted_squares(residuals, w) / fit.degrees_of_freedom, least);
  fit.covariance = unit * inverse_of(jacobian.transpose() * w.asDiagonal() * jacobian);
  fit.scatter = std::sqrt(weighted_squares(residuals, w) / w.sum() * count / fit.degrees_of_freedom);
  fit.weights = w;
  fit.t90 = student_t_quantile(fit.degrees_of_freedom, 0.95);
  return fit;
}

// Without a latency nothing of it is held and no pattern has another one.
void leave_out(Parameters& parameters, LawParameter parameter) {
  std::erase(parameters, parameter);
  if (parameter != LawParameter::kLatency) return;
  std::erase(parameters, LawParameter::kHeld);
  std::erase(parameters, LawParameter::kSequential);
}

// How much worse the law fits without each parameter: the weighted squares that it saves, in units of their mean.
std::vector<double> savings(const Observations& observations, const LawFit& fit) {
  const double with = weighted_squares(residuals_of(observations, fit.law), fit.weights);
  const double least = kLeastScatter * kLeastScatter * fit.weights.sum();
  const double unit = std::max(with, least) / fit.degrees_of_freedom;
  std::vector<double> out;
  for (const LawParameter parameter : fit.parameters) {
    Parameters others = fit.parameters;
    leave_out(others, parameter);
    const double without =
        others.empty() ? std::numeric_limits<double>::infinity() : search(others, observations, fit.weights).squares;
    out.push_back((without - with) / unit);
  }
  return out;
}

// Squares that a parameter must save to stay. A stream's rate is a kink that may lie anywhere, so chance finds one more
// easily. The held fraction stays anyway: it cannot run away, and setting it to 0 would bias the others.
double least_saving(LawParameter parameter, double degrees_of_freedom) {
  if (parameter == LawParameter::kHeld) return 0.0;
  const double level = parameter == LawParameter::kStream ? 0.995 : 0.95;
  const double t = student_t_quantile(degrees_of_freedom, level);
  return t * t;
}

}  // namespace

StorageLaw law_of(const std::vector<LawParameter>& parameters, const LawVector& values) {
  StorageLaw law;
  for (const LawParameter parameter : parameters) {
    const double x = values[index_of(parameter)];
    switch (parameter) {
      case LawParameter::kLatency:
        law.latency_s = std::exp(x);
        break;
      case LawParameter::kBandwidth:
        law.seconds_per_byte = std::exp(-x);
        break;
      case LawParameter::kRequestTime:
        law.request_time_s = std::exp(x);
        break;
      case LawParameter::kStream:
        law.stream_seconds_per_byte = std::exp(-x);
        break;
      case LawParameter::kHeld:
        law.held_fraction = x;
        break;
      case LawParameter::kSequential:
        law.sequential_latency_ratio = std::exp(x);
        break;
    }
  }
  return law;
}

double predicted_log_rate(const StorageLaw& law, const LawObservation& o) {
  if (!o.first_byte) return std::log(requests_per_s(law, o.pattern, o.in_flight, o.request_bytes));
  StorageLaw without_bytes = law;
  without_bytes.seconds_per_byte = without_bytes.stream_seconds_per_byte = 0.0;
  return std::log(requests_per_s(without_bytes, o.pattern, o.in_flight, o.request_bytes));
}

Eigen::VectorXd log_rate_gradient(const std::vector<LawParameter>& parameters, const LawVector& values,
                                  const LawObservation& observation) {
  constexpr double kStep = 1e-4;
  Eigen::VectorXd out(static_cast<Eigen::Index>(parameters.size()));
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const std::size_t k = index_of(parameters[p]);
    LawVector below = values, above = values;
    below[k] -= kStep;
    above[k] += kStep;
    if (parameters[p] == LawParameter::kHeld) {
      below[k] = std::max(0.0, below[k]);
      above[k] = std::min(1.0, above[k]);
    }
    const double rise = predicted_log_rate(law_of(parameters, above), observation) -
                        predicted_log_rate(law_of(parameters, below), observation);
    out(static_cast<Eigen::Index>(p)) = rise / (above[k] - below[k]);
  }
  return out;
}

LawFit fit_law(const std::vector<LawObservation>& observations, std::vector<LawParameter> candidates) {
  constexpr double kTie = 0.1;  // saving less, a parameter is one of several of which any would do
  while (!candidates.empty() && candidates.size() >= observations.size()) candidates.pop_back();
  while (!candidates.empty()) {
    LawFit fit = fit_all(observations, candidates);
    const std::vector<double> saving = savings(observations, fit);
    std::size_t least = candidates.size();
    double least_excess = 1.0;
    for (std::size_t p = candidates.size(); p-- > 0;) {
      const double needed = least_saving(candidates[p], fit.degrees_of_freedom);
      const double excess = std::max(saving[p], kTie) / needed;  // infinite for one that stays
      if (excess < least_excess) std::tie(least, least_excess) = std::pair(p, excess);
    }
    if (least == candidates.size()) return fit;
    leave_out(candidates, candidates[least]);
  }
  return {};
}

}  // namespace stallcast
