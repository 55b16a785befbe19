#include "core/plan/search/option_draws.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/plan/evaluate/scaled_input.h"
#include "core/plan/pairs/paired_trials.h"
#include "core/result/input_spread.h"
#include "core/run/input_ranges.h"
#include "core/run/model_error.h"
#include "core/run/simulate_once.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/steps/parallel.h"

namespace stallcast {
namespace {

constexpr std::array kSimulated{Figure::kTotal, Figure::kGpuHour, Figure::kTime, Figure::kUtilization};
constexpr std::uint64_t kOwnStream = 1'000'003;

// run.uncertain, and what nobody gave.
std::vector<UncertainInput> open_inputs(const OptionToDraw& option) {
  const auto given = parse_uncertain_inputs(option.resolved->scenario.run.uncertain, "");
  std::vector<UncertainInput> out = given.value.value_or(std::vector<UncertainInput>());
  for (const AssumedInput& input : as_assumed(*option.resolved, option.evaluation->result).inputs)
    out.push_back(input.assumed.range);
  return out;
}

class Drawer {
 public:
  Drawer(const std::vector<OptionToDraw>& options, const RunOptions& run, std::int64_t draws)
      : options_(options), run_(run), draws_(draws), seed_(options.front().evaluation->result.seed) {
    for (const OptionToDraw& option : options) {
      inputs_.push_back(open_inputs(option));
      scenarios_.push_back(*option.resolved);
    }
    for (std::size_t i = 0; i < options.size(); ++i) factors_.push_back(factors_of(i));
  }

  OptionDraws run() {
    OptionDraws out;
    const bool any = std::any_of(inputs_.begin(), inputs_.end(), [](const auto& inputs) { return !inputs.empty(); });
    if (!any) return out;
    const auto options = static_cast<std::int64_t>(options_.size());
    std::vector<std::vector<std::optional<Figures>>> coarse(
        options_.size(), std::vector<std::optional<Figures>>(static_cast<std::size_t>(draws_ + 1)));
    parallel_for(options * (draws_ + 1), run_.threads, [&](std::int64_t k) {
      if (run_.stop.stop_requested()) return;
      const auto i = static_cast<std::size_t>(k % options), d = static_cast<std::size_t>(k / options);
      Figures figures = simulated(i, d);
      if (!run_.stop.stop_requested()) coarse[i][d] = figures;
    });
    for (const auto& option : options_) {
      out.given.push_back(simulated_figures(*option.evaluation));
      const RunResult& result = option.evaluation->result;
      out.model_error.push_back(stallcast::model_error(result.gpu_utilization.mean,
                                                       most_model_error(as_assumed(*option.resolved, result).inputs)));
      out.drawn.emplace_back();
    }
    const auto known = [&coarse](std::size_t d) {
      return std::all_of(coarse.begin(), coarse.end(), [d](const auto& option) { return option[d].has_value(); });
    };
    if (!known(0)) return {};
    for (std::size_t d = 1; d < coarse.front().size(); ++d) {
      if (!known(d)) continue;
      for (std::size_t i = 0; i < options_.size(); ++i)
        out.drawn[i].push_back(of_full_run(out.given[i], *coarse[i][0], *coarse[i][d]));
    }
    return out;
  }

 private:
  // [draw][input]; the first is the inputs as given.
  std::vector<std::vector<double>> factors_of(std::size_t option) const {
    std::vector<std::vector<double>> out(static_cast<std::size_t>(draws_ + 1));
    out.front().assign(inputs_[option].size(), 1.0);
    for (const UncertainInput& input : inputs_[option]) {
      const bool everywhere = std::all_of(inputs_.begin(), inputs_.end(), [&input](const auto& inputs) {
        return std::find(inputs.begin(), inputs.end(), input) != inputs.end();
      });
      const bool shared = everywhere && is_shared_fact(scenarios_, input.pointer);
      // The first option has the draws that simulate() would give it alone.
      const std::uint64_t seed = shared || option == 0 ? seed_ : seed_ + kOwnStream * option;
      const auto column = drawn_factors({input}, seed, draws_);
      for (std::size_t d = 0; d < column.size(); ++d) out[d + 1].push_back(column[d].front());
    }
    return out;
  }

  Figures simulated(std::size_t i, std::size_t d) const {
    CoarseRun run = coarse_run(options_[i].resolved->scenario, options_[i].evaluation->result, run_, kRangeSamples);
    std::vector<double> factors = factors_[i][d];
    ResolvedScenario drawn = *options_[i].resolved;
    drawn.scenario = run.drawn(inputs_[i], factors);
    return simulated_figures(evaluate(drawn, simulate_once(drawn.scenario, seed_, run.options, nullptr)));
  }

  static Figures of_full_run(const Figures& full, const Figures& as_given, const Figures& drawn) {
    Figures out;
    constexpr Figure kBusy = Figure::kUtilization;
    const double slower = full.of(kBusy) && as_given.of(kBusy) && drawn.of(kBusy)
                              ? correction_by_utilization(drawn.at(kBusy), as_given.at(kBusy), full.at(kBusy))
                              : 1.0;
    for (const Figure figure : kSimulated) {
      const auto &mean = full.of(figure), &base = as_given.of(figure), &value = drawn.of(figure);
      if (!mean || !base || !value || !(base->mean > 0.0)) continue;
      const Estimate scaled = on_scale(*value, *base, *mean, figure == kBusy);
      out.of(figure) = exact_estimate(figure == kBusy ? scaled.mean : slower * scaled.mean);
    }
    return out;
  }

  const std::vector<OptionToDraw>& options_;
  const RunOptions& run_;
  std::int64_t draws_;
  std::uint64_t seed_;
  std::vector<std::vector<UncertainInput>> inputs_;
  std::vector<ResolvedScenario> scenarios_;
  std::vector<std::vector<std::vector<double>>> factors_;  // [option][draw][input]
};

// Whether the figures meet those targets that need a simulation; the others are the same in every draw.
bool meets_simulated(const std::vector<Target>& targets, const Figures& figures) {
  return std::all_of(targets.begin(), targets.end(), [&figures](const Target& target) {
    if (!is_simulated(target.figure)) return true;
    const auto& value = figures.of(target.figure);
    return value && keeps(target, value->mean);
  });
}

}  // namespace

std::optional<Estimate> OptionDraws::range(std::size_t option, Figure figure) const {
  const auto& mean = given[option].of(figure);
  if (!mean || drawn[option].empty()) return std::nullopt;
  std::vector<double> ratios;
  for (const Figures& one : drawn[option]) {
    const auto& value = one.of(figure);
    if (!value || !std::isfinite(value->mean) || !(mean->mean > 0.0)) return std::nullopt;
    ratios.push_back(value->mean / mean->mean);
  }
  const double half = mean->mean * model_error[option];
  Estimate out = widened({mean->mean, mean->mean - half, mean->mean + half}, ratios);
  if (figure == Figure::kUtilization) out.ci95_high = std::min(1.0, out.ci95_high);
  return out;
}

std::int64_t OptionDraws::met(std::size_t option, const std::vector<Target>& targets) const {
  return std::count_if(drawn[option].begin(), drawn[option].end(),
                       [&targets](const Figures& figures) { return meets_simulated(targets, figures); });
}

std::int64_t OptionDraws::best(std::size_t option, Figure by, const std::vector<Target>& targets) const {
  std::int64_t count = 0;
  for (std::size_t d = 0; d < drawn[option].size(); ++d) {
    const auto& own = drawn[option][d].of(by);
    if (!own || !meets_simulated(targets, drawn[option][d])) continue;
    const bool beaten = std::any_of(drawn.begin(), drawn.end(), [&](const std::vector<Figures>& other) {
      const auto& value = other[d].of(by);
      return value && meets_simulated(targets, other[d]) && worse(by, own->mean, value->mean);
    });
    count += beaten ? 0 : 1;
  }
  return count;
}

OptionDraws draw_options(const std::vector<OptionToDraw>& options, const RunOptions& run, std::int64_t draws) {
  if (options.empty()) return {};
  return Drawer(options, run, draws).run();
}

}  // namespace stallcast
