#include "core/backtest/score.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/diagnostics/invariant.h"

namespace stallcast {
namespace {

double mean_over(const std::vector<LoaderRun>& runs, double (LoaderRun::*value)() const) {
  double sum = 0.0;
  for (const LoaderRun& run : runs) sum += (run.*value)();
  return runs.empty() ? 0.0 : sum / static_cast<double>(runs.size());
}

double mean_over(const SettingOutcome& outcome, Estimate Prediction::*value) {
  if (outcome.foreseen.empty()) return (outcome.predicted.*value).mean;
  double sum = 0.0;
  for (const Prediction& prediction : outcome.foreseen) sum += (prediction.*value).mean;
  return sum / static_cast<double>(outcome.foreseen.size());
}

double runs_inside(const SettingOutcome& outcome) {
  double inside = 0.0;
  for (std::size_t i = 0; i < outcome.runs.size(); ++i) {
    const Estimate& rate = outcome.foreseen_at(i).samples_per_s;
    const double measured = outcome.runs[i].samples_per_s();
    if (measured >= rate.ci95_low && measured <= rate.ci95_high) inside += 1.0;
  }
  return inside;
}

// Mean of |a - b| / mean over all pairs of runs.
double mean_difference(const SettingOutcome& outcome) {
  double sum = 0.0, pairs = 0.0;
  for (std::size_t i = 0; i < outcome.runs.size(); ++i)
    for (std::size_t j = i + 1; j < outcome.runs.size(); ++j) {
      sum += std::abs(outcome.runs[i].samples_per_s() - outcome.runs[j].samples_per_s());
      pairs += 1.0;
    }
  return sum / pairs / outcome.samples_per_s();
}

std::vector<Knee> knees_of(const std::vector<SettingOutcome>& outcomes) {
  struct Curve {
    std::vector<std::int64_t> workers;
    std::vector<double> predicted, measured;
    bool whole = true;
  };
  std::map<std::string, Curve> curves;
  std::vector<std::string> names;
  for (const SettingOutcome& outcome : outcomes) {
    const std::string& name = outcome.setting.workload;
    if (!curves.contains(name)) names.push_back(name);
    Curve& curve = curves[name];
    curve.workers.push_back(outcome.setting.workers);
    curve.predicted.push_back(outcome.foreseen_samples_per_s());
    curve.measured.push_back(outcome.samples_per_s());
    curve.whole = curve.whole && outcome.measured();
  }
  std::vector<Knee> knees;
  for (const std::string& name : names) {
    const Curve& curve = curves[name];
    if (curve.whole)
      knees.push_back({name, knee_of(curve.workers, curve.predicted), knee_of(curve.workers, curve.measured)});
  }
  return knees;
}

}  // namespace

double SettingOutcome::samples_per_s() const { return mean_over(runs, &LoaderRun::samples_per_s); }
double SettingOutcome::utilization() const { return mean_over(runs, &LoaderRun::utilization); }
double SettingOutcome::error() const { return measured() ? foreseen_samples_per_s() / samples_per_s() - 1.0 : 0.0; }

double SettingOutcome::foreseen_samples_per_s() const { return mean_over(*this, &Prediction::samples_per_s); }
double SettingOutcome::foreseen_utilization() const { return mean_over(*this, &Prediction::utilization); }

double SettingOutcome::noise() const {
  if (runs.size() < 2) return 0.0;
  const double mean = samples_per_s();
  double squares = 0.0;
  for (const LoaderRun& run : runs) squares += (run.samples_per_s() - mean) * (run.samples_per_s() - mean);
  return std::sqrt(squares / static_cast<double>(runs.size() - 1)) / mean;
}

std::int64_t knee_of(const std::vector<std::int64_t>& workers, const std::vector<double>& rates, double share) {
  invariant(!workers.empty() && workers.size() == rates.size(), "a curve has a rate for each number of workers");
  const double best = *std::max_element(rates.begin(), rates.end());
  std::size_t at = 0;
  while (rates[at] < share * best) ++at;
  return workers[at];
}

BacktestScore score_backtest(const std::vector<SettingOutcome>& outcomes) {
  BacktestScore score;
  double repeated = 0.0, runs = 0.0;
  for (const SettingOutcome& outcome : outcomes) {
    if (!outcome.measured()) continue;
    ++score.settings;
    score.mape += std::abs(outcome.error());
    score.bias += outcome.error();
    score.worst = std::max(score.worst, std::abs(outcome.error()));
    score.first_mape += std::abs(outcome.predicted.samples_per_s.mean / outcome.samples_per_s() - 1.0);
    score.utilization_error += std::abs(outcome.foreseen_utilization() - outcome.utilization());
    score.inside_interval += runs_inside(outcome);
    runs += static_cast<double>(outcome.runs.size());
    if (outcome.runs.size() < 2) continue;
    score.repeat_difference += mean_difference(outcome);
    repeated += 1.0;
  }
  if (score.settings > 0) {
    const auto n = static_cast<double>(score.settings);
    score.mape /= n;
    score.first_mape /= n;
    score.bias /= n;
    score.utilization_error /= n;
    score.inside_interval /= runs;
  }
  if (repeated > 0.0) score.repeat_difference /= repeated;
  score.knees = knees_of(outcomes);
  return score;
}

}  // namespace stallcast
