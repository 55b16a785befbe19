#include "core/report/words/assumed_of_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/cost/money/money.h"
#include "core/report/words/assumed_inputs.h"
#include "core/report/words/text_layout.h"
#include "core/run/model_error.h"
#include "core/run/uncertainty.h"

namespace stallcast {
namespace {

using nlohmann::ordered_json;

using Value = double (*)(const SharedJob&);

double alone_time(const SharedJob& job) { return std::isfinite(job.alone_s) ? job.alone_s : 0.0; }
double together_time(const SharedJob& job) { return std::isfinite(job.together_s) ? job.together_s : 0.0; }
double slowdown(const SharedJob& job) { return job.slowdown; }
double utilization(const SharedJob& job) { return job.together.gpu_utilization.mean; }
double throughput(const SharedJob& job) { return job.serves ? 0.0 : job.together.samples_per_s; }

// Relative half-width of what the model's own error leaves of a job's times.
double error_of(const AssumedOfJobs& all, std::size_t job) {
  const SharedJob& j = all.result.jobs[job];
  return model_error(j.serves ? 0.0 : utilization(j), all.ranges.most_model_error);
}

// None where the job has no such figure.
std::optional<Estimate> range_of(const AssumedOfJobs& all, std::size_t job, Value value, double relative_error) {
  const double mean = value(all.result.jobs[job]);
  if (!all.ranges.drawn || !(mean > 0.0)) return std::nullopt;
  return range_of_draws(mean, mean * relative_error, all.ranges,
                        [=](const SharedResult& result) { return value(result.jobs[job]); });
}

// How much slower a job is beside others has less of the model's error than its times: they share it.
std::optional<Estimate> slowdown_range(const AssumedOfJobs& all, std::size_t job) {
  std::optional<Estimate> range = range_of(all, job, slowdown, 0.0);
  if (range) range->ci95_low = std::max(std::min(1.0, range->mean), range->ci95_low);
  return range;
}

std::optional<Estimate> utilization_range(const AssumedOfJobs& all, std::size_t job) {
  const SharedJob& full = all.result.jobs[job];
  const double mean = utilization(full),
               as_given = utilization(all.ranges.drawn ? all.ranges.as_given.jobs[job] : full);
  if (!all.ranges.drawn || full.serves || !(mean > 0.0)) return std::nullopt;
  std::vector<double> ratios;
  for (const SharedResult& draw : all.ranges.draws)
    ratios.push_back(drawn_fraction(utilization(draw.jobs[job]), as_given, mean) / mean);
  const double half = mean * error_of(all, job);
  Estimate range = widened({mean, mean - half, mean + half}, ratios);
  range.ci95_high = std::min(1.0, range.ci95_high);
  return range;
}

std::optional<double> usd_of(const ResolvedScenario& resolved, const SharedResult& result, std::size_t job) {
  const std::optional<Money> total = price_jobs(resolved, result).together[job].total();
  return total ? std::optional<double>(total->to_double()) : std::nullopt;
}

std::optional<Estimate> usd_range(const AssumedOfJobs& all, std::size_t job) {
  const std::optional<Money> total = all.cost.together[job].total();
  if (!all.ranges.drawn || !total) return std::nullopt;
  const double mean = total->to_double();
  return range_of_draws(mean, mean * error_of(all, job), all.ranges,
                        [&](const SharedResult& result) { return usd_of(all.scenario, result, job).value_or(0.0); });
}

// Of all jobs together, on the scale of the full simulation.
std::optional<double> effect_usd(const AssumedOfJobs& all, const AssumedJobsInput& input) {
  if (!input.ends) return std::nullopt;
  double sum = 0.0;
  for (std::size_t j = 0; j < all.result.jobs.size(); ++j) {
    const std::optional<Money> given = all.cost.together[j].total();
    const auto base = usd_of(all.scenario, all.ranges.as_given, j);
    const auto low = usd_of(all.scenario, input.ends->first, j), high = usd_of(all.scenario, input.ends->second, j);
    if (!given || !base || !low || !high || !(*base > 0.0)) return std::nullopt;
    sum += given->to_double() / *base * (std::max({*low, *high, *base}) - std::min({*low, *high, *base}));
  }
  return sum;
}

double effect_s(const AssumedOfJobs& all, const AssumedJobsInput& input) {
  return input.time_effect * time_of(all.result.jobs[input.most_affected]);
}

// "12 min of fine-tune, $31", of a job without an end "4 % of the speed of fine-tune".
std::string effect_text(const AssumedOfJobs& all, const AssumedJobsInput& input) {
  const SharedJob& job = all.result.jobs[input.most_affected];
  std::string text = std::isfinite(job.together_s)
                         ? fmt::format("{} of {}", duration_text(effect_s(all, input)), job.name)
                         : fmt::format("{:.1f} % of the speed of {}", 100.0 * input.time_effect, job.name);
  if (const auto usd = effect_usd(all, input); usd && *usd > 0.0) text += ", " + usd_text(*usd);
  return text;
}

const ResolvedScenario& scenario_of(const AssumedOfJobs& all, const AssumedJobsInput& input) {
  const std::size_t job = input.jobs.front();
  return job == 0 ? all.scenario : all.scenario.concurrent_jobs[job - 1];
}

// "1.16 to 1.47", or "1.02" of two that read alike.
std::string either(const std::string& low, const std::string& high) {
  return low == high ? low : fmt::format("{} to {}", low, high);
}

std::string joined(const std::vector<std::string>& parts) { return fmt::format("{}", fmt::join(parts, ", ")); }

}  // namespace

std::string ranges_block(const AssumedOfJobs& all) {
  if (!all.ranges.drawn) return "";
  std::string out = "Allowing for assumed inputs (see Assumed)\n";
  for (std::size_t j = 0; j < all.result.jobs.size(); ++j) {
    std::vector<std::string> parts;
    const double error = error_of(all, j);
    if (const auto time = range_of(all, j, together_time, error))
      parts.push_back(fmt::format("{} to {} together", duration_text(time->ci95_low), duration_text(time->ci95_high)));
    if (const auto slower = slowdown_range(all, j))
      parts.push_back(fmt::format("{} times as long as alone", either(fmt::format("{:.2f}", slower->ci95_low),
                                                                      fmt::format("{:.2f}", slower->ci95_high))));
    if (const auto busy = utilization_range(all, j))
      parts.push_back(fmt::format("GPUs {:.0f} to {:.0f} % busy", 100.0 * busy->ci95_low, 100.0 * busy->ci95_high));
    if (const auto usd = usd_range(all, j))
      parts.push_back(fmt::format("{} to {}", usd_text(usd->ci95_low), usd_text(usd->ci95_high)));
    out += "  " + wrapped(printable(all.result.jobs[j].name) + ": " + joined(parts), 4, 2) + "\n";
  }
  return out + "\n";
}

std::string assumed_inputs_block(const AssumedOfJobs& all) {
  const std::vector<AssumedJobsInput>& inputs = all.ranges.inputs;
  if (inputs.empty()) return "";
  if (!all.ranges.drawn) return not_drawn_block(inputs.size());
  std::string out;
  std::size_t rows = 0;
  const auto add = [&](const std::string& text) { out += labelled(rows++ == 0 ? "Assumed" : "", text); };
  for (const AssumedJobsInput& input : inputs) {
    if (rows == kMostAssumedRows || input.time_effect < kLeastPartOfTime) break;
    std::string whose;
    if (input.jobs.size() == 1) whose = "of " + all.result.jobs[input.jobs.front()].name + ": ";
    add(whose + assumed_row(scenario_of(all, input), input.assumed, effect_text(all, input)));
  }
  if (rows < inputs.size()) {
    const double effect = inputs[rows].time_effect;
    add(fmt::format("{}{} more that you did not give, {}", rows == 0 ? "" : "and ", inputs.size() - rows,
                    effect >= kLeastPartOfTime
                        ? fmt::format("each worth {:.1f} % of a job's time or less", 100.0 * effect)
                        : std::string("with a negligible effect")));
  }
  add(fmt::format("and the model's own error, as measured on {} (stallcast validate)",
                  all.ranges.most_model_error > kModelError ? "published runs" : "149 runs"));
  return out + "\n";
}

ordered_json job_ranges_to_json(const AssumedOfJobs& all, std::size_t job) {
  const double error = error_of(all, job);
  return {{"alone_s", low_and_high(range_of(all, job, alone_time, error))},
          {"together_s", low_and_high(range_of(all, job, together_time, error))},
          {"slowdown", low_and_high(slowdown_range(all, job))},
          {"gpu_utilization", low_and_high(utilization_range(all, job))},
          {"samples_per_s", low_and_high(range_of(all, job, throughput, error))},
          {"total_usd", low_and_high(usd_range(all, job))}};
}

ordered_json assumptions_to_json(const AssumedOfJobs& all) {
  ordered_json inputs = ordered_json::array();
  for (const AssumedJobsInput& input : all.ranges.inputs) {
    const auto usd = effect_usd(all, input);
    ordered_json one = assumption_to_json(scenario_of(all, input), input.assumed);
    ordered_json jobs = ordered_json::array();
    for (const std::size_t j : input.jobs) jobs.push_back(all.result.jobs[j].name);
    one["jobs"] = std::move(jobs);
    const bool ends = std::isfinite(all.result.jobs[input.most_affected].together_s);
    one["effect_s"] = input.ends && ends ? ordered_json(effect_s(all, input)) : ordered_json();
    one["effect_on"] = input.ends ? ordered_json(all.result.jobs[input.most_affected].name) : ordered_json();
    one["effect_usd"] = usd ? ordered_json(*usd) : ordered_json();
    one["narrow_by"] = input.assumed.narrow_by;
    inputs.push_back(std::move(one));
  }
  return inputs;
}

}  // namespace stallcast
