#include "core/run/input_ranges.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <utility>

#include "core/engine/statistics.h"
#include "core/run/model_error.h"
#include "core/run/uncertainty.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/uncertain_input.h"

namespace stallcast {
namespace {

constexpr double kEventsForEnds = 6e6;  // about half a second on two cores
constexpr std::size_t kFewestTried = 3;

// Samples per second of the run; of one without a length its utilization, which they are in proportion to.
double throughput(const DrawnRun& run) {
  return run.time_to_train_s > 0.0 ? run.totals.samples / run.time_to_train_s : run.gpu_utilization;
}

// The part of lost time that grows with an input or shrinks with it; the first prefix that fits.
struct Lengthens {
  std::string_view prefix;
  LostTime cause;
};
constexpr std::array kLengthens{Lengthens{"/cluster/host_to_device_bandwidth", LostTime::kHostToDevice},
                                Lengthens{"/loader/pin_bandwidth", LostTime::kHostToDevice},
                                Lengthens{"/cluster/cores_per_node", LostTime::kCpuDecode},
                                Lengthens{"/loader/num_workers", LostTime::kCpuDecode},
                                Lengthens{"/dataset/", LostTime::kCpuDecode},
                                Lengthens{"/loader/gpu_decode_time", LostTime::kGpuDecode},
                                Lengthens{"/loader/start", LostTime::kStartup},
                                Lengthens{"/loader/shutdown", LostTime::kStartup},
                                Lengthens{"/loader/reset", LostTime::kStartup},
                                Lengthens{"/loader/", LostTime::kLoaderOverhead},
                                Lengthens{"/storage/latency", LostTime::kStorageLatency},
                                Lengthens{"/storage/open_latency", LostTime::kStorageLatency},
                                Lengthens{"/storage/stream_write_bandwidth", LostTime::kCheckpoint},
                                Lengthens{"/storage/stream_bandwidth", LostTime::kStreamCap},
                                Lengthens{"/storage/client_", LostTime::kClientCap},
                                Lengthens{"/cluster/nic_", LostTime::kClientCap},
                                Lengthens{"/storage/read_iops", LostTime::kRequestRate},
                                Lengthens{"/storage/metadata_rate", LostTime::kRequestRate},
                                Lengthens{"/storage/", LostTime::kTierBandwidth},
                                Lengthens{"/page_cache/", LostTime::kCacheBandwidth},
                                Lengthens{"/node_cache/", LostTime::kCacheBandwidth},
                                Lengthens{"/server_cache/", LostTime::kCacheBandwidth},
                                Lengthens{"/regional_cache/", LostTime::kCacheBandwidth},
                                Lengthens{"/cluster/local_", LostTime::kCacheBandwidth},
                                Lengthens{"/origin/", LostTime::kCacheBandwidth},
                                Lengthens{"/staging/", LostTime::kStaging},
                                Lengthens{"/workload/barrier_time", LostTime::kBarrier},
                                Lengthens{"/cluster/gpu_link_bandwidth", LostTime::kBarrier},
                                Lengthens{"/checkpoint/", LostTime::kCheckpoint},
                                Lengthens{"/failures/", LostTime::kRecovery}};

// How much GPU time an input may cost, to first order: what is lost to its part is in proportion to a time, and to one
// over a rate or a size. 0 for what nothing is lost to: draws tell of that.
double likely_effect(const InputShare& input, const RunResult& result) {
  const auto found = std::find_if(kLengthens.begin(), kLengthens.end(),
                                  [&](const Lengthens& one) { return input.pointer.starts_with(one.prefix); });
  const Field* const field = find_field(input.pointer);
  if (found == kLengthens.end() || field == nullptr) return 0.0;
  double lost = result.lost_fraction[index(found->cause)];
  // Workers wait side by side: more of them shorten all that a worker waits for.
  if (input.pointer == "/loader/num_workers")
    for (const LostTime cause : {LostTime::kStorageLatency, LostTime::kStreamCap, LostTime::kLoaderOrder})
      lost += result.lost_fraction[index(cause)];
  const bool is_time = field->dimension == Dimension::kTime;
  const double reach =
      is_time ? input.high_factor - input.low_factor : 1.0 / input.low_factor - 1.0 / input.high_factor;
  return reach * lost;
}

// What a figure varies by over the inputs as given and both ends.
template <class Read>
double span_of(const AssumedInput::Ends& ends, const Read& read) {
  const double low = read(ends.low), high = read(ends.high), as_given = read(ends.as_given);
  return std::max({low, high, as_given}) - std::min({low, high, as_given});
}

void try_ends(InputRanges& out, const Scenario& scenario, const RunResult& result, const RunOptions& options) {
  const InputSpread& spread = out.widened.inputs;
  if (spread.drawn.empty()) return;
  const std::size_t all = spread.inputs.size();
  // What an input does alone needs no other comparison than with the run as given, as coarse.
  const std::optional<DrawnRun> base =
      runs_with_factors(scenario, result, options, {std::vector<double>(all, 1.0)}).front();
  if (!base) return;
  const std::vector<std::size_t> inputs = inputs_to_try(spread, result, inputs_affordable(base->events, all));
  std::vector<std::vector<double>> factors;
  for (const std::size_t i : inputs) {
    for (const double factor : {spread.inputs[i].low_factor, spread.inputs[i].high_factor}) {
      factors.emplace_back(all, 1.0);
      factors.back()[i] = factor;
    }
  }
  std::vector<std::optional<DrawnRun>> runs = runs_with_factors(scenario, result, options, std::move(factors));
  const double mean = result.gpu_utilization.mean, rate = throughput(*base);
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const auto input = std::find_if(out.inputs.begin(), out.inputs.end(), [&](const AssumedInput& one) {
      return one.assumed.range.pointer == spread.inputs[inputs[k]].pointer;
    });
    if (input == out.inputs.end() || !runs[2 * k] || !runs[2 * k + 1]) continue;  // one of run.uncertain
    input->ends = {std::move(*runs[2 * k]), std::move(*runs[2 * k + 1]), *base};
    input->utilization_effect = span_of(*input->ends, [&](const DrawnRun& run) {
      return drawn_fraction(run.gpu_utilization, base->gpu_utilization, mean);
    });
    if (rate > 0.0) input->throughput_effect = span_of(*input->ends, throughput) / rate;
  }
}

// `scenario` with what nobody gave among what it says is uncertain.
Scenario with_open_inputs(Scenario scenario, const std::vector<AssumedInput>& inputs) {
  for (const AssumedInput& input : inputs) scenario.run.uncertain.push_back(uncertain_input_text(input.assumed.range));
  return scenario;
}

// Draws are what is wanted, and no timeline of them.
RunOptions untraced(RunOptions options) {
  options.trace = nullptr;
  return options;
}

// `scenario` is with_open_inputs() of `inputs`.
RunResult drawn(const Scenario& scenario, const std::vector<AssumedInput>& inputs, const RunResult& result,
                const RunOptions& options) {
  RunResult base = without_input_spread(result);
  const Estimate simulated = base.gpu_utilization;
  // Too few steps to say what luck is worth: then the range is what the inputs make it.
  Estimate& utilization = base.gpu_utilization;
  if (utilization.ci95_low <= 0.0 && utilization.ci95_high >= 1.0)
    utilization = {utilization.mean, utilization.mean, utilization.mean};
  RunResult out = with_uncertain_inputs(scenario, with_model_error(std::move(base), most_model_error(inputs)), options,
                                        kRangeDraws);
  out.inputs.simulation.gpu_utilization = simulated;
  return out;
}

}  // namespace

std::size_t inputs_affordable(std::uint64_t events, std::size_t all) {
  const double affordable = kEventsForEnds / (2.0 * std::max(1.0, static_cast<double>(events)));
  return static_cast<std::size_t>(
      std::clamp(affordable, static_cast<double>(std::min(kFewestTried, all)), static_cast<double>(all)));
}

std::vector<std::size_t> inputs_to_try(const InputSpread& spread, const RunResult& result, std::size_t count) {
  const std::size_t all = spread.inputs.size();
  std::vector<std::vector<double>> factors(all);
  std::vector<double> utilizations, throughputs;
  for (const DrawnRun& run : spread.drawn) {
    for (std::size_t i = 0; i < all; ++i) factors[i].push_back(run.factors[i]);
    utilizations.push_back(run.gpu_utilization);
    throughputs.push_back(throughput(run));
  }
  const auto first = most_influential(factors, utilizations, all), second = most_influential(factors, throughputs, all);
  std::vector<std::size_t> out;
  const auto add = [&](std::size_t i) {
    if (out.size() < count && std::find(out.begin(), out.end(), i) == out.end()) out.push_back(i);
  };
  std::vector<std::size_t> by_loss(all);
  std::iota(by_loss.begin(), by_loss.end(), std::size_t{0});
  const auto effect = [&](std::size_t i) { return likely_effect(spread.inputs[i], result); };
  std::erase_if(by_loss, [&](std::size_t i) { return effect(i) <= 0.0; });
  std::stable_sort(by_loss.begin(), by_loss.end(), [&](std::size_t i, std::size_t j) { return effect(i) > effect(j); });
  for (std::size_t k = 0; k < all; ++k) {
    if (k < by_loss.size()) add(by_loss[k]);
    if (k < first.size()) add(first[k]);
    if (k < second.size()) add(second[k]);
  }
  for (std::size_t i = 0; i < all; ++i) add(i);
  return out;
}

double most_model_error(const std::vector<AssumedInput>& assumed) {
  constexpr std::array<std::string_view, 6> kDeciding = {"/storage/",    "/dataset/decode_time", "/workload/step_time",
                                                         "/checkpoint/", "/loader/num_workers",  "/serving/"};
  const bool any = std::any_of(assumed.begin(), assumed.end(), [&](const AssumedInput& input) {
    return std::any_of(kDeciding.begin(), kDeciding.end(),
                       [&](std::string_view prefix) { return input.assumed.range.pointer.starts_with(prefix); });
  });
  return any ? kUnmeasuredError : kModelError;
}

InputRanges as_assumed(const ResolvedScenario& resolved, const RunResult& result) {
  InputRanges out;
  out.widened = result;
  const auto given = parse_uncertain_inputs(resolved.scenario.run.uncertain, "");
  for (AssumedValue& assumed : assumed_values(resolved)) {
    const bool known =
        given.value && std::any_of(given.value->begin(), given.value->end(),
                                   [&](const UncertainInput& u) { return u.pointer == assumed.range.pointer; });
    if (!known) out.inputs.push_back({std::move(assumed), std::nullopt});
  }
  return out;
}

RunResult with_assumed_inputs(const ResolvedScenario& resolved, const RunResult& result, const RunOptions& options) {
  const std::vector<AssumedInput> inputs = as_assumed(resolved, result).inputs;
  if (inputs.empty() || result.steps == 0) return result;
  return drawn(with_open_inputs(resolved.scenario, inputs), inputs, result, untraced(options));
}

InputRanges input_ranges(const ResolvedScenario& resolved, const RunResult& result, const RunOptions& options) {
  InputRanges out = as_assumed(resolved, result);
  if (out.inputs.empty() || result.steps == 0) return out;
  out.drawn = true;
  const Scenario scenario = with_open_inputs(resolved.scenario, out.inputs);
  const RunOptions draws = untraced(options);
  out.widened = drawn(scenario, out.inputs, result, draws);
  try_ends(out, scenario, result, draws);
  std::stable_sort(out.inputs.begin(), out.inputs.end(), [](const AssumedInput& a, const AssumedInput& b) {
    return std::max(a.utilization_effect, a.throughput_effect) > std::max(b.utilization_effect, b.throughput_effect);
  });
  return out;
}

}  // namespace stallcast
