#include "core/diagnose/outcome_fit.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/calibrate/fit/storage_fit.h"
#include "core/diagnose/outcome.h"
#include "core/diagnostics/finding.h"
#include "core/diagnostics/invariant.h"
#include "core/result/run_result.h"
#include "core/run/simulate.h"
#include "core/scenario/check/check.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/field_value.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/scenario/scenario.h"
#include "core/steps/parallel.h"
#include "core/units/distribution.h"
#include "core/units/quantity_text.h"
#include "core/units/rounded.h"

namespace stallcast {
namespace {

constexpr double kSamplesOfARun = 3e5;
constexpr int kMostSteps = 8;
constexpr double kSmallStep = 0.02;  // in deviations
constexpr double kFarthest = 5.0;    // deviations that an input may move
constexpr double kZ95 = 1.6448536269514722;
constexpr double kLeastLearned = 0.05, kLeastMoved = 0.02;
constexpr double kExplainedWithin = 3.0;

// The factor at score z. The tails of factor_at() end where draws do; a fit may go beyond.
double factor_of(const UncertainInput& range, double z) {
  return std::pow(z < 0.0 ? range.low_factor : range.high_factor, std::abs(z) / kZ95);
}

bool is_fraction(const Observation& seen) {
  return find_outcome_kind(seen.quantity)->dimension == Dimension::kFraction;
}

// What a meter that can show 0 does not tell from it: loggers print times to the millisecond.
double blur_of(const Observation& seen) { return find_outcome_kind(seen.quantity)->can_be_zero ? kLeastTime : 0.0; }

// The scale on which the outcome is compared, the way back, and its deviation on it.
double scale_of(const Observation& seen, double value) {
  return is_fraction(seen) ? value : std::log(std::max(value + blur_of(seen), 1e-12));
}
double shown(const Observation& seen, double scaled) {
  return is_fraction(seen) ? scaled : std::max(0.0, std::exp(scaled) - blur_of(seen));
}
double deviation_of(const Observation& seen) {
  if (is_fraction(seen)) return std::max(kLeastPoints, seen.spread);
  const double blur = blur_of(seen), size = seen.value + blur;
  return size > 0.0 ? std::max({kLeastShare, seen.spread / size, blur / size}) : kLeastShare;
}

struct Seen {
  std::size_t run;
  Observation outcome;
};

class Fitter {
 public:
  Fitter(const std::vector<WatchedRun>& runs, const RunOptions& options) : runs_(runs), options_(options) {
    options_.affordable_samples = std::min(options.affordable_samples, kSamplesOfARun);
    options_.threads = 1;
    options_.progress = nullptr;
    options_.trace = nullptr;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      for (const Observation& outcome : runs[r].outcomes) {
        const OutcomeKind* const kind = find_outcome_kind(outcome.quantity);
        if (kind != nullptr && (outcome.value > 0.0 || kind->can_be_zero)) seen_.push_back({r, outcome});
      }
    }
    invariant(!seen_.empty(), "nothing was seen that a simulation predicts");
    collect_inputs();
  }

  OutcomeFit run() {
    const auto inputs = static_cast<Eigen::Index>(inputs_.size());
    Descent start;
    start.z = Eigen::VectorXd::Zero(inputs);
    start.y = predictions({start.z}).front();
    start.covariance = Eigen::MatrixXd::Identity(inputs, inputs);
    const Eigen::VectorXd before = start.y;
    Descent best = descended(start);
    if (!is_explained(best.y)) {
      for (Descent& other : far_starts(start)) {
        Descent found = descended(std::move(other));
        if (cost(found.z, found.y) < cost(best.z, best.y)) best = std::move(found);
      }
    }
    return outcome_of(best.z, before, best.y, best.covariance);
  }

 private:
  struct Descent {
    Eigen::VectorXd z, y;
    Eigen::MatrixXd covariance;
  };

  bool stopped() const { return options_.stop.stop_requested(); }

  Descent descended(Descent at) const {
    double width = 1.0;
    for (int step = 0; step < kMostSteps && at.z.size() > 0 && !stopped(); ++step) {
      const Eigen::MatrixXd j = slopes(at.z, at.y, width);
      const Eigen::MatrixXd information =
          Eigen::MatrixXd::Identity(at.z.size(), at.z.size()) + j.transpose() * weights().asDiagonal() * j;
      at.covariance = information.inverse();
      const Eigen::VectorXd downhill = j.transpose() * weights().asDiagonal() * (targets() - at.y) - at.z;
      if (!take_step(at.covariance * downhill, at.z, at.y)) break;
      width = 0.5;
    }
    return at;
  }

  // Each input alone, far from its value: workers that prefetch hide a wait until it is long, so that nothing near has
  // a slope. Those that come closest to what was seen.
  std::vector<Descent> far_starts(const Descent& start) const {
    constexpr std::array kFar{-2.5, 2.5};
    constexpr std::size_t kMostStarts = 2;
    std::vector<Eigen::VectorXd> points;
    for (Eigen::Index i = 0; i < start.z.size(); ++i) {
      for (const double score : kFar) {
        points.push_back(start.z);
        points.back()[i] = score;
      }
    }
    const std::vector<Eigen::VectorXd> at = predictions(points);
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return cost(points[a], at[a]) < cost(points[b], at[b]); });
    order.resize(std::min(order.size(), kMostStarts));
    std::vector<Descent> out;
    for (const std::size_t p : order) out.push_back({points[p], at[p], start.covariance});
    return out;
  }

  bool is_explained(const Eigen::VectorXd& y) const {
    for (std::size_t s = 0; s < seen_.size(); ++s) {
      const auto at = static_cast<Eigen::Index>(s);
      if (std::abs(y[at] - targets()[at]) > kExplainedWithin * deviation_of(seen_[s].outcome)) return false;
    }
    return true;
  }

  void collect_inputs() {
    const ResolvedScenario& job = runs_.front().job;
    inputs_ = assumed_values(job);
    const auto given = parse_uncertain_inputs(job.scenario.run.uncertain, "");
    if (!given.value) return;
    for (const UncertainInput& range : *given.value) {
      std::erase_if(inputs_, [&](const AssumedValue& one) { return one.range.pointer == range.pointer; });
      inputs_.push_back({range, job.provenance.at(range.pointer), "run.uncertain of the file", ""});
    }
  }

  Scenario scenario_at(std::size_t run, const Eigen::VectorXd& z) const {
    Scenario out = runs_[run].job.scenario;
    out.run.uncertain.clear();
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const double score = z[static_cast<Eigen::Index>(i)];
      if (score != 0.0) out = scaled(out, inputs_[i].range.pointer, factor_of(inputs_[i].range, score));
    }
    return out;
  }

  // What was seen, as simulated with each of `points`.
  std::vector<Eigen::VectorXd> predictions(const std::vector<Eigen::VectorXd>& points) const {
    const std::size_t jobs = runs_.size();
    std::vector<Eigen::VectorXd> out(points.size(), targets());
    parallel_for(static_cast<std::int64_t>(points.size() * jobs), 0, [&](std::int64_t k) {
      if (stopped()) return;
      const auto point = static_cast<std::size_t>(k) / jobs, run = static_cast<std::size_t>(k) % jobs;
      const Scenario scenario = scenario_at(run, points[point]);
      if (check_scenario(scenario, {}, "").has_errors()) return;  // no possible job: no slope leads there
      const RunResult result = simulate(scenario, options_);
      for (std::size_t s = 0; s < seen_.size(); ++s) {
        if (seen_[s].run != run) continue;
        const auto value = predicted_outcome(seen_[s].outcome.quantity, result, scenario);
        if (value) out[point][static_cast<Eigen::Index>(s)] = scale_of(seen_[s].outcome, *value);
      }
    });
    return out;
  }

  Eigen::VectorXd targets() const {
    Eigen::VectorXd out(static_cast<Eigen::Index>(seen_.size()));
    for (std::size_t s = 0; s < seen_.size(); ++s)
      out[static_cast<Eigen::Index>(s)] = scale_of(seen_[s].outcome, seen_[s].outcome.value);
    return out;
  }

  Eigen::VectorXd weights() const {
    Eigen::VectorXd out(static_cast<Eigen::Index>(seen_.size()));
    for (std::size_t s = 0; s < seen_.size(); ++s)
      out[static_cast<Eigen::Index>(s)] = 1.0 / std::pow(deviation_of(seen_[s].outcome), 2);
    return out;
  }

  double cost(const Eigen::VectorXd& z, const Eigen::VectorXd& y) const {
    const Eigen::VectorXd off = y - targets();
    return 0.5 * z.squaredNorm() + 0.5 * off.dot(weights().asDiagonal() * off);
  }

  // By input, towards the side where what was seen lies: d y / d z over `width` deviations.
  Eigen::MatrixXd slopes(const Eigen::VectorXd& z, const Eigen::VectorXd& y, double width) const {
    std::vector<Eigen::VectorXd> points;
    for (Eigen::Index i = 0; i < z.size(); ++i) {
      for (const double side : {-width, width}) {
        points.push_back(z);
        points.back()[i] += side;
      }
    }
    const std::vector<Eigen::VectorXd> at = predictions(points);
    Eigen::MatrixXd out(y.size(), z.size());
    for (Eigen::Index i = 0; i < z.size(); ++i) {
      const Eigen::VectorXd down = (y - at[static_cast<std::size_t>(2 * i)]) / width,
                            up = (at[static_cast<std::size_t>(2 * i + 1)] - y) / width;
      const double to_up = (weights().asDiagonal() * (targets() - y)).dot(up),
                   to_down = -(weights().asDiagonal() * (targets() - y)).dot(down);
      out.col(i) = to_up >= to_down ? up : down;
    }
    return out;
  }

  // Whether z moved by more than a little.
  bool take_step(const Eigen::VectorXd& step, Eigen::VectorXd& z, Eigen::VectorXd& y) const {
    constexpr std::array kShares{1.0, 0.6, 0.35, 0.15};
    std::vector<Eigen::VectorXd> points;
    for (const double share : kShares) points.emplace_back((z + share * step).cwiseMax(-kFarthest).cwiseMin(kFarthest));
    const std::vector<Eigen::VectorXd> at = predictions(points);
    std::size_t best = points.size();
    double least = cost(z, y);
    for (std::size_t p = 0; p < points.size(); ++p) {
      const double here = cost(points[p], at[p]);
      if (here >= least) continue;
      least = here;
      best = p;
    }
    if (best == points.size() || stopped()) return false;
    const double moved = (points[best] - z).cwiseAbs().maxCoeff();
    z = points[best];
    y = at[best];
    return moved > kSmallStep;
  }

  OutcomeFit outcome_of(const Eigen::VectorXd& z, const Eigen::VectorXd& before, const Eigen::VectorXd& y,
                        const Eigen::MatrixXd& covariance) const {
    OutcomeFit out;
    out.stopped = stopped();
    out.explained = is_explained(y);
    for (std::size_t s = 0; s < seen_.size(); ++s) {
      const auto at = static_cast<Eigen::Index>(s);
      const Observation& seen = seen_[s].outcome;
      const double sd = deviation_of(seen);
      out.outcomes.push_back({seen, seen_[s].run, shown(seen, before[at]), shown(seen, y[at]),
                              is_fraction(seen) ? sd : sd * (seen.value + blur_of(seen))});
    }
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const auto at = static_cast<Eigen::Index>(i);
      const double deviation = std::sqrt(std::clamp(covariance(at, at), 0.0, 1.0));
      FittedInput input{inputs_[i], factor_of(inputs_[i].range, z[at]), 1.0, 1.0, 1.0 - deviation};
      input.low_factor = factor_of(inputs_[i].range, z[at] - kZ95 * deviation) / input.factor;
      input.high_factor = factor_of(inputs_[i].range, z[at] + kZ95 * deviation) / input.factor;
      if (input.learned > kLeastLearned || std::abs(input.factor - 1.0) > kLeastMoved) {
        out.inputs.push_back(std::move(input));
      } else {
        out.untouched.push_back(inputs_[i]);
      }
    }
    std::stable_sort(out.inputs.begin(), out.inputs.end(),
                     [](const FittedInput& a, const FittedInput& b) { return a.learned > b.learned; });
    return out;
  }

  const std::vector<WatchedRun>& runs_;
  RunOptions options_;
  std::vector<Seen> seen_;
  std::vector<AssumedValue> inputs_;
};

// With as many digits as a person reads, which is more than any fit knows.
FieldValue as_read(FieldValue value) {
  if (auto* number = std::get_if<double>(&value)) *number = rounded(*number, kFittedDigits);
  if (auto* distribution = std::get_if<Distribution>(&value))
    distribution->mean = rounded(distribution->mean, kFittedDigits);
  return value;
}

}  // namespace

OutcomeFit fit_outcomes(const std::vector<WatchedRun>& runs, const RunOptions& options) {
  invariant(!runs.empty(), "no run was watched");
  return Fitter(runs, options).run();
}

nlohmann::ordered_json with_fit(const nlohmann::ordered_json& document, const ResolvedScenario& job,
                                const OutcomeFit& fit) {
  nlohmann::ordered_json out = document;
  std::vector<std::string> uncertain;
  for (const std::string& text : job.scenario.run.uncertain) {
    const auto parsed = parse_uncertain_inputs({text}, "");
    const bool fitted = parsed.ok() && std::any_of(fit.inputs.begin(), fit.inputs.end(), [&](const FittedInput& input) {
                          return input.assumed.range.pointer == parsed.value->front().pointer;
                        });
    if (!fitted) uncertain.push_back(text);
  }
  for (const FittedInput& input : fit.inputs) {
    const std::string& pointer = input.assumed.range.pointer;
    const Field& row = *find_field(pointer);
    out[nlohmann::ordered_json::json_pointer(pointer)] =
        value_to_json(row, as_read(row.get(scaled(job.scenario, pointer, input.factor))));
    if (pointer == "/workload/step_time")
      out[nlohmann::ordered_json::json_pointer("/workload/step_time_form")] = "time";
    if (const auto text = measured_interval_text(pointer, input.low_factor, input.high_factor))
      uncertain.push_back(*text);
  }
  if (!uncertain.empty() || !job.scenario.run.uncertain.empty()) out["run"]["uncertain"] = uncertain;
  return out;
}

}  // namespace stallcast
