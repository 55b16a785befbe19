#include "core/plan/sensitivity/break_even.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>

#include "core/diagnostics/invariant.h"
#include "core/plan/compare/choice.h"
#include "core/plan/pairs/paired_evaluations.h"
#include "core/plan/sensitivity/flip_search.h"
#include "core/run/simulate_once.h"
#include "core/scenario/check/check.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/steps/parallel.h"

namespace stallcast {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

std::uint64_t seed_of(const ResolvedScenario& resolved, const RunOptions& run) {
  return run.seed.value_or(static_cast<std::uint64_t>(resolved.scenario.run.seed));
}

Evaluation answer_of(const ResolvedScenario& resolved, const RunOptions& run) {
  const ResolvedScenario given = with_inputs_as_given(resolved);
  return evaluate(given, simulate_once(given.scenario, *run.seed, run, nullptr));
}

bool is_possible(const ResolvedScenario& resolved) { return !check_scenario(resolved.scenario, {}, "").has_errors(); }

class Advisor {
 public:
  Advisor(const std::vector<ResolvedScenario>& scenarios, const BreakEvenOptions& options)
      : options_(options), scenarios_(scenarios) {
    RunOptions run = one_of_many(options.run);
    run.seed = seed_of(scenarios.front(), options.run);
    std::vector<Evaluation> answers(scenarios.size());
    pairs_.resize(scenarios.size());
    parallel_for(std::ssize(scenarios), options.run.threads, [&](std::int64_t i) {
      const auto at = static_cast<std::size_t>(i);
      answers[at] = options.answers.empty() ? answer_of(scenarios[at], run) : *options.answers[at];
      pairs_[at] = std::make_unique<PairedEvaluations>(scenarios[at], answers[at], run);
    });
    by_ = chosen(answers);
    for (const auto& one : pairs_) as_given_.push_back(mean_of(*by_, one->now()));
  }

  // At a factor of one input.
  int advice(const SharedInput& input, double factor) {
    std::vector<double> values = as_given_;
    for (std::size_t i = 0; i < scenarios_.size(); ++i)
      if (!input.owner || *input.owner == i) values[i] = value_at(i, input.pointer, factor);
    return advice_of(values);
  }
  int advice_as_given() const { return advice_of(as_given_); }

  const std::vector<ResolvedScenario>& scenarios() const { return scenarios_; }
  const Kpi& by() const { return *by_; }
  const std::vector<double>& as_given() const { return as_given_; }
  std::int64_t runs() const {
    return std::accumulate(pairs_.begin(), pairs_.end(), std::int64_t{0},
                           [](std::int64_t sum, const auto& one) { return sum + one->runs(); });
  }

 private:
  const Kpi* chosen(const std::vector<Evaluation>& evaluations) const {
    if (options_.condition) return find_kpi(options_.condition->path);
    if (evaluations.size() == 1) return find_kpi("gpu_utilization");
    if (options_.by != nullptr) return options_.by;
    std::vector<const Evaluation*> all;
    for (const Evaluation& one : evaluations) all.push_back(&one);
    return &deciding_kpi(all);
  }

  double value_at(std::size_t scenario, const std::string& pointer, double factor) {
    const ResolvedScenario turned = with_factor(pairs_[scenario]->job(), pointer, factor);
    return is_possible(turned) ? mean_of(*by_, pairs_[scenario]->of(turned)) : kUnknown;
  }

  int advice_of(const std::vector<double>& values) const {
    if (scenarios_.size() == 1) return condition_of(values.front());
    int best = -1;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i])) continue;
      if (best < 0 || is_better(*by_, values[i], values[static_cast<std::size_t>(best)])) best = static_cast<int>(i);
    }
    return best;
  }

  int condition_of(double value) const {
    if (!std::isfinite(value)) return -1;
    if (options_.condition) return holds(*options_.condition, value) ? 1 : 0;
    return value < as_given_.front() - kPointThatMatters ? 1 : 0;
  }

  const BreakEvenOptions& options_;
  const std::vector<ResolvedScenario>& scenarios_;
  std::vector<std::unique_ptr<PairedEvaluations>> pairs_;  // [scenario]
  const Kpi* by_ = nullptr;
  std::vector<double> as_given_;
};

// The value at a factor, as with_factor() makes it: counts are whole.
std::optional<BreakEvenSide> side(const ResolvedScenario& resolved, const SharedInput& input,
                                  const std::optional<Flip>& flip) {
  if (!flip) return std::nullopt;
  const double value = *input_value(resolved, input.pointer);
  if (input.pointer == kStoragePrices) return BreakEvenSide{flip->factor, flip->factor, flip->advice};
  const double there = input_value(with_factor(resolved, input.pointer, flip->factor), input.pointer).value_or(value);
  return BreakEvenSide{there / value, there, flip->advice};
}

// Every rate divided and every latency multiplied; what takes no time stays so.
Scenario with_slower_storage(const Scenario& scenario, double factor) {
  Scenario out = scenario;
  StorageSpec& s = out.storage;
  for (BytesPerSecond* rate :
       {&s.read_bandwidth, &s.write_bandwidth, &s.client_read_bandwidth, &s.client_write_bandwidth, &s.stream_bandwidth,
        &s.stream_write_bandwidth, &s.burst_bandwidth})
    *rate = *rate / factor;
  for (PerSecond* rate : {&s.read_iops, &s.write_iops, &s.metadata_rate}) *rate = *rate / factor;
  s.request_time = s.request_time * factor;
  out = scaled(out, "/storage/latency", factor);
  return scaled(out, "/storage/open_latency", factor);
}

}  // namespace

double nearness(const BreakEvenRow& row) {
  const double far = std::numeric_limits<double>::infinity();
  return std::min(row.above ? row.above->factor : far, row.below ? 1.0 / row.below->factor : far);
}

BreakEvenTable break_even(const std::vector<ResolvedScenario>& scenarios, const BreakEvenOptions& options) {
  invariant(!scenarios.empty(), "break_even: nothing to look at");
  Advisor advisor(scenarios, options);
  BreakEvenTable out;
  out.by = &advisor.by();
  out.condition = options.condition;
  out.values = advisor.as_given();
  out.advice = advisor.advice_as_given();
  out.furthest = options.furthest;
  std::vector<SharedInput> inputs = main_inputs(advisor.scenarios(), options.more);
  if (!options.among.empty()) {
    std::erase_if(inputs, [&](const SharedInput& input) {
      return std::find(options.among.begin(), options.among.end(), input.pointer) == options.among.end();
    });
  }
  FlipSearch search;
  search.stop = [&] { return options.run.stop.stop_requested(); };
  // Below and above are looked for apart: an input that is searched to the end takes most of the time.
  std::vector<std::array<std::optional<Flip>, 2>> flips(inputs.size());
  std::mutex mutex;
  std::vector<int> left(inputs.size(), 2);
  std::int64_t done = 0;
  parallel_for(2 * std::ssize(inputs), options.run.threads, [&](std::int64_t task) {
    const auto at = static_cast<std::size_t>(task / 2);
    const double furthest = task % 2 == 0 ? 1.0 / options.furthest : options.furthest;
    const auto advice = [&](double factor) { return advisor.advice(inputs[at], factor); };
    std::optional<Flip> flip = find_flip_towards(furthest, advice, search);
    // What a stop cut short says nothing.
    if (!search.stop()) flips[at][static_cast<std::size_t>(task % 2)] = flip;
    const std::lock_guard lock(mutex);
    if (--left[at] > 0) return;
    ++done;
    if (options.counted) options.counted(done, std::ssize(inputs));
  });
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ResolvedScenario& resolved = advisor.scenarios()[inputs[i].owner.value_or(0)];
    out.rows.push_back({inputs[i], *input_value(resolved, inputs[i].pointer), side(resolved, inputs[i], flips[i][0]),
                        side(resolved, inputs[i], flips[i][1])});
  }
  std::stable_sort(out.rows.begin(), out.rows.end(),
                   [](const BreakEvenRow& a, const BreakEvenRow& b) { return nearness(a) < nearness(b); });
  out.runs = advisor.runs();
  out.complete = !options.run.stop.stop_requested();
  return out;
}

std::optional<double> slowdown_that_matters(const Scenario& job, const PairedTrials& trials,
                                            const std::stop_token& stop, double furthest) {
  const double now = trials.utilization(trials.base()).mean;
  FlipSearch search;
  search.stop = [&] { return stop.stop_requested(); };
  const auto matters = [&](double factor) {
    const RunResult slower = trials.of(with_slower_storage(job, factor));
    return trials.utilization(slower).mean < now - kPointThatMatters ? 1 : 0;
  };
  const std::optional<Flip> flip = find_flip_towards(furthest, matters, search);
  return flip ? std::optional(flip->factor) : std::nullopt;
}

}  // namespace stallcast
