#include "core/run/jobs_ranges.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "core/run/input_ranges.h"
#include "core/run/shared_jobs.h"
#include "core/run/uncertainty.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/steps/parallel.h"

namespace stallcast {
namespace {

using Factors = std::vector<double>;

std::vector<const ResolvedScenario*> jobs_of(const ResolvedScenario& resolved) {
  std::vector<const ResolvedScenario*> jobs = {&resolved};
  for (const ResolvedScenario& other : resolved.concurrent_jobs) jobs.push_back(&other);
  return jobs;
}

// Of one system, so one truth for all jobs.
bool is_shared(const UncertainInput& input) {
  return input.pointer.starts_with("/storage/") || input.pointer.starts_with("/server_cache/");
}

// Whether two jobs' inputs are one and the same thing that nobody told us.
bool is_same_unknown(const AssumedValue& a, const AssumedValue& b) {
  if (a.range.pointer != b.range.pointer) return false;
  if (is_shared(a.range)) return true;
  return !a.from.record.empty() && a.from.record == b.from.record && a.range.low_factor == b.range.low_factor &&
         a.range.high_factor == b.range.high_factor;
}

// An input that is drawn, and the jobs that it is an input of.
struct DrawnInput {
  UncertainInput input;
  std::vector<std::size_t> jobs;
};

bool is_of(const DrawnInput& input, std::size_t job) {
  return std::find(input.jobs.begin(), input.jobs.end(), job) != input.jobs.end();
}

class JobsDraws {
 public:
  JobsDraws(const ResolvedScenario& resolved, const JobsRanges& assumed, const RunOptions& options)
      : jobs_(all_jobs(resolved)), stop_(options.stop), threads_(options.threads) {
    for (const AssumedJobsInput& one : assumed.inputs) inputs_.push_back({one.assumed.range, one.jobs});
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      Scenario& s = jobs_[j];
      if (const auto known = parse_uncertain_inputs(s.run.uncertain, ""); known.value)
        for (const UncertainInput& input : *known.value) add(input, j);
      s.run.uncertain.clear();
      s.run.precision = std::min(0.5, kDrawCoarser * s.run.precision);
      const std::int64_t runs = options.replications > 0 ? options.replications : s.run.replications;
      s.run.replications = std::max<std::int64_t>(2, (runs + kDrawRunsDividedBy - 1) / kDrawRunsDividedBy);
    }
    coarse_.seed = options.seed;
    coarse_.exact = options.exact;
    coarse_.stop = options.stop;
    coarse_.threads = 1;
    coarse_.affordable_samples = kRangeSamples;
    coarse_.coarse = true;
  }

  const std::vector<DrawnInput>& inputs() const { return inputs_; }

  // Each input's factors of each draw: of its own luck, since two jobs' inputs of one name are two things.
  std::vector<Factors> factors(std::uint64_t seed, std::int64_t draws) const {
    std::vector<Factors> out(static_cast<std::size_t>(draws));
    for (const DrawnInput& one : inputs_) {
      const std::vector<Factors> own = drawn_factors({one.input}, seed + one.jobs.front(), draws);
      for (std::size_t d = 0; d < out.size(); ++d) out[d].push_back(own[d].front());
    }
    return out;
  }

  Factors as_given() const { return Factors(inputs_.size(), 1.0); }

  // One simulation for each set of factors; nothing for those that a stop left undone. `meanwhile` is called once,
  // beside them.
  std::vector<std::optional<SharedResult>> simulate(
      const std::vector<Factors>& factors, const std::function<void()>& meanwhile = [] {}) const {
    std::vector<std::optional<SharedResult>> out(factors.size());
    parallel_for(static_cast<std::int64_t>(factors.size()) + 1, threads_, [&](std::int64_t d) {
      if (d == 0) return meanwhile();
      if (stop_.stop_requested()) return;
      const auto at = static_cast<std::size_t>(d - 1);
      SharedResult one = simulate_jobs(drawn_jobs(factors[at]), coarse_);
      if (!stop_.stop_requested()) out[at] = std::move(one);
    });
    return out;
  }

 private:
  void add(const UncertainInput& input, std::size_t job) {
    const auto same = std::find_if(inputs_.begin(), inputs_.end(), [&](const DrawnInput& other) {
      return is_shared(input) && other.input.pointer == input.pointer;
    });
    if (same == inputs_.end()) {
      inputs_.push_back({input, {job}});
    } else if (!is_of(*same, job)) {
      same->jobs.push_back(job);
    }
  }

  std::vector<Scenario> drawn_jobs(const Factors& factors) const {
    std::vector<Scenario> out;
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      std::vector<UncertainInput> inputs;
      Factors own;
      for (std::size_t i = 0; i < inputs_.size(); ++i) {
        if (!is_of(inputs_[i], j)) continue;
        inputs.push_back(inputs_[i].input);
        own.push_back(factors[i]);
      }
      out.push_back(drawn_scenario(jobs_[j], inputs, own));
    }
    return out;
  }

  std::vector<Scenario> jobs_;
  std::vector<DrawnInput> inputs_;  // those of JobsRanges::inputs first
  RunOptions coarse_;
  std::stop_token stop_;
  unsigned threads_;
};

// The draws as one job saw them.
InputSpread spread_of(std::size_t job, const JobsRanges& ranges, const std::vector<DrawnInput>& inputs,
                      const std::vector<Factors>& factors) {
  InputSpread spread;
  for (const DrawnInput& one : inputs)
    spread.inputs.push_back({one.input.pointer, one.input.low_factor, one.input.high_factor, 0.0, 0.0});
  for (std::size_t d = 0; d < ranges.draws.size(); ++d) {
    const SharedJob& drawn = ranges.draws[d].jobs[job];
    RunTotals totals;
    totals.samples = 1.0;
    spread.drawn.push_back({factors[d], drawn.together.gpu_utilization.mean, time_of(drawn), totals, 0});
  }
  return spread;
}

// In turn the inputs that each job's draws and lost time point to first, until there are `count`.
std::vector<std::size_t> inputs_to_try_of(const SharedResult& result, const JobsRanges& ranges,
                                          const std::vector<DrawnInput>& inputs, const std::vector<Factors>& factors,
                                          std::size_t count) {
  std::vector<std::vector<std::size_t>> by_job;
  for (std::size_t j = 0; j < result.jobs.size(); ++j)
    by_job.push_back(inputs_to_try(spread_of(j, ranges, inputs, factors), result.jobs[j].together, inputs.size()));
  std::vector<std::size_t> out;
  for (std::size_t place = 0; place < inputs.size(); ++place)
    for (const std::vector<std::size_t>& order : by_job)
      if (const std::size_t i = order[place];
          i < ranges.inputs.size() && out.size() < count && std::find(out.begin(), out.end(), i) == out.end())
        out.push_back(i);
  return out;
}

void take_ends(AssumedJobsInput& input, const SharedResult& as_given, SharedResult low, SharedResult high) {
  for (std::size_t j = 0; j < as_given.jobs.size(); ++j) {
    const double base = time_of(as_given.jobs[j]);
    if (!(base > 0.0)) continue;
    const auto [least, most] = std::minmax({time_of(low.jobs[j]), time_of(high.jobs[j]), base});
    if ((most - least) / base <= input.time_effect) continue;
    input.time_effect = (most - least) / base;
    input.most_affected = j;
  }
  input.ends = {std::move(low), std::move(high)};
}

void try_ends(JobsRanges& ranges, const SharedResult& result, const JobsDraws& jobs,
              const std::vector<Factors>& factors) {
  const std::size_t count = inputs_affordable(ranges.as_given.events, ranges.inputs.size());
  const std::vector<std::size_t> tried = inputs_to_try_of(result, ranges, jobs.inputs(), factors, count);
  std::vector<Factors> alone;
  for (const std::size_t i : tried) {
    for (const double factor :
         {ranges.inputs[i].assumed.range.low_factor, ranges.inputs[i].assumed.range.high_factor}) {
      alone.push_back(jobs.as_given());
      alone.back()[i] = factor;
    }
  }
  std::vector<std::optional<SharedResult>> runs = jobs.simulate(alone);
  for (std::size_t k = 0; k < tried.size(); ++k)
    if (runs[2 * k] && runs[2 * k + 1])
      take_ends(ranges.inputs[tried[k]], ranges.as_given, std::move(*runs[2 * k]), std::move(*runs[2 * k + 1]));
}

}  // namespace

double time_of(const SharedJob& job) {
  if (std::isfinite(job.together_s)) return job.together_s;
  return job.together.samples_per_s > 0.0 ? 1.0 / job.together.samples_per_s : 0.0;
}

JobsRanges assumed_of_jobs(const ResolvedScenario& resolved) {
  JobsRanges out;
  std::vector<AssumedInput> all;
  const std::vector<const ResolvedScenario*> jobs = jobs_of(resolved);
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    for (AssumedInput& input : as_assumed(*jobs[j], RunResult()).inputs) {
      const auto same = std::find_if(out.inputs.begin(), out.inputs.end(), [&](const AssumedJobsInput& other) {
        return is_same_unknown(other.assumed, input.assumed);
      });
      all.push_back(input);
      if (same != out.inputs.end()) {
        same->jobs.push_back(j);
      } else {
        out.inputs.push_back({std::move(input.assumed), {j}, std::nullopt});
      }
    }
  }
  out.most_model_error = most_model_error(all);
  return out;
}

RangedJobs simulate_jobs_with_ranges(const ResolvedScenario& resolved, const RunOptions& options) {
  RangedJobs out{{}, assumed_of_jobs(resolved)};
  const JobsDraws jobs(resolved, out.ranges, options);
  if (jobs.inputs().empty()) {
    out.result = simulate_jobs(all_jobs(resolved), options);
    return out;
  }
  const std::uint64_t seed = options.seed.value_or(static_cast<std::uint64_t>(resolved.scenario.run.seed));
  std::vector<Factors> factors = jobs.factors(seed, kRangeDraws);
  factors.push_back(jobs.as_given());
  std::vector<std::optional<SharedResult>> runs =
      jobs.simulate(factors, [&] { out.result = simulate_jobs(all_jobs(resolved), options); });
  if (!runs.back()) return out;
  JobsRanges& ranges = out.ranges;
  ranges.drawn = true;
  ranges.as_given = std::move(*runs.back());
  std::vector<Factors> done;
  for (std::size_t d = 0; d + 1 < runs.size(); ++d) {
    if (!runs[d]) continue;
    ranges.draws.push_back(std::move(*runs[d]));
    done.push_back(std::move(factors[d]));
  }
  try_ends(ranges, out.result, jobs, done);
  std::stable_sort(ranges.inputs.begin(), ranges.inputs.end(),
                   [](const AssumedJobsInput& a, const AssumedJobsInput& b) { return a.time_effect > b.time_effect; });
  return out;
}

}  // namespace stallcast
