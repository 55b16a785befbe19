#include "core/plan/compare/comparison.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "core/diagnostics/invariant.h"
#include "core/plan/compare/choice.h"
#include "core/plan/pairs/paired_difference.h"
#include "core/run/simulate_once.h"
#include "core/run/uncertainty.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/field_value.h"
#include "core/steps/parallel.h"

namespace stallcast {
namespace {

using MeanKpis = std::vector<std::optional<double>>;  // in the order of kpi_table()

MeanKpis figures_of(const Evaluation& evaluation) {
  MeanKpis out;
  for (const Kpi& kpi : kpi_table()) {
    const std::optional<Estimate> value = kpi.of(evaluation);
    out.push_back(value ? std::optional(value->mean) : std::nullopt);
  }
  return out;
}

class Counter {
 public:
  Counter(const CompareOptions& options, std::int64_t wanted) : options_(options), wanted_(wanted) {}
  void add() {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (options_.counted) options_.counted(done_, wanted_);
  }

 private:
  const CompareOptions& options_;
  std::int64_t wanted_, done_ = 0;
  std::mutex mutex_;
};

// A scenario's runs beside its own: of every pair, then of every draw of uncertain inputs. Shape [run]; nothing of what
// a stop prevented.
using Repeated = std::vector<std::optional<MeanKpis>>;

class Comparer {
 public:
  Comparer(std::vector<ResolvedScenario> scenarios, const CompareOptions& options) : options_(options) {
    invariant(scenarios.size() >= 2 && options.pairs >= 2, "compare: nothing to compare");
    out_.seed = options.run.seed.value_or(static_cast<std::uint64_t>(scenarios.front().scenario.run.seed));
    out_.inputs = input_differences(scenarios);
    for (ResolvedScenario& one : scenarios) {
      inputs_.push_back(parse_uncertain_inputs(one.scenario.run.uncertain, "").value.value_or(Inputs()));
      if (!inputs_.back().empty()) draws_ = kInputDraws;
      const std::size_t i = out_.scenarios.size();
      const std::string label = i < options_.names.size() ? options_.names[i] : scenario_label(i);
      out_.scenarios.push_back({label, std::move(one), {}});
    }
  }

  Comparison run() {
    Counter counter(options_, static_cast<std::int64_t>(out_.scenarios.size()) * (1 + options_.pairs + draw_runs()));
    simulate_each(counter);
    repeat_all(counter);
    for (std::size_t k = 0; k < kpi_table().size(); ++k) add_figure(k);
    add_time();
    add_money();
    add_advice();
    return std::move(out_);
  }

 private:
  using Inputs = std::vector<UncertainInput>;

  void simulate_each(Counter& counter) {
    RunOptions run = options_.run;
    run.seed = out_.seed;
    // Draws of uncertain inputs go side by side already.
    if (draws_ == 0) run.threads = 1;
    parallel_for(static_cast<std::int64_t>(out_.scenarios.size()), draws_ == 0 ? options_.run.threads : 1,
                 [&](std::int64_t i) {
                   Compared& one = out_.scenarios[static_cast<std::size_t>(i)];
                   one.evaluation = evaluate(one.resolved, run);
                   counter.add();
                 });
  }

  // Runs behind the pairs: the inputs as given, then every draw.
  std::int64_t draw_runs() const { return draws_ > 0 ? draws_ + 1 : 0; }

  // Run `r` of scenario `i`: pair r, as long as the scenario's own run so that nothing but luck sets them apart, or
  // behind those a coarse run with the luck of the first pair.
  MeanKpis repeated_once(std::size_t i, std::int64_t r) const {
    const Compared& one = out_.scenarios[i];
    CoarseRun run = coarse_run(one.resolved.scenario, one.evaluation.result, options_.run);
    const bool is_pair = r < options_.pairs;
    const std::int64_t draw = r - options_.pairs - 1;
    if (is_pair) {
      run.scenario.run.precision = one.resolved.scenario.run.precision;
      run.scenario.run.max_steps = one.resolved.scenario.run.max_steps;
    } else if (draw >= 0) {
      std::vector<double> factors = drawn_factors(inputs_[i], out_.seed, draws_)[static_cast<std::size_t>(draw)];
      run.scenario = run.drawn(inputs_[i], factors);
    }
    ResolvedScenario drawn = one.resolved;
    drawn.scenario = run.scenario;
    const std::uint64_t seed = out_.seed + (is_pair ? static_cast<std::uint64_t>(r) : 0);
    return figures_of(evaluate(drawn, simulate_once(drawn.scenario, seed, run.options, nullptr)));
  }

  void repeat_all(Counter& counter) {
    const auto scenarios = static_cast<std::int64_t>(out_.scenarios.size());
    const std::int64_t runs = options_.pairs + draw_runs();
    repeated_.assign(out_.scenarios.size(), Repeated(static_cast<std::size_t>(runs)));
    parallel_for(scenarios * runs, options_.run.threads, [&](std::int64_t at) {
      if (options_.run.stop.stop_requested()) return;
      const auto i = static_cast<std::size_t>(at % scenarios);
      MeanKpis figures = repeated_once(i, at / scenarios);
      if (options_.run.stop.stop_requested()) return;
      repeated_[i][static_cast<std::size_t>(at / scenarios)] = std::move(figures);
      counter.add();
    });
    // Only runs that all scenarios have can be compared.
    for (std::int64_t r = 0; r < runs; ++r) {
      const bool all = std::all_of(repeated_.begin(), repeated_.end(),
                                   [&](const Repeated& one) { return one[static_cast<std::size_t>(r)].has_value(); });
      out_.complete = out_.complete && all;
      if (!all) continue;
      (r < options_.pairs ? pairs_done_ : draws_done_).push_back(static_cast<std::size_t>(r));
    }
    out_.pairs = static_cast<std::int64_t>(pairs_done_.size());
    out_.draws = std::max<std::int64_t>(0, static_cast<std::int64_t>(draws_done_.size()) - 1);
  }

  using Values = std::vector<double>;

  // Of figure `k` in the runs `runs` of scenario `i`; empty where one is not known.
  Values values_of(std::size_t k, std::size_t i, const std::vector<std::size_t>& runs) const {
    Values values;
    for (const std::size_t r : runs) {
      const std::optional<double> value = (*repeated_[i][r])[k];
      if (!value || !std::isfinite(*value)) return {};
      values.push_back(*value);
    }
    return values;
  }

  // Figure `k` of scenario `i` as its own answer has it; nothing where it is not known.
  std::optional<double> shown(std::size_t k, std::size_t i) const {
    const std::optional<Estimate> value = kpi_table()[k].of(out_.scenarios[i].evaluation);
    return value && std::isfinite(value->mean) ? std::optional(value->mean) : std::nullopt;
  }

  // Of figure `k`, scenario `i` less `base_i`; nothing where it is not known, or of less than two pairs.
  std::optional<Estimate> difference(std::size_t k, std::size_t base_i, std::size_t i) const {
    const Values base = values_of(k, base_i, pairs_done_), other = values_of(k, i, pairs_done_);
    const std::optional<double> base_value = shown(k, base_i), value = shown(k, i);
    if (base.size() < 2 || base.size() != other.size() || !base_value || !value) return std::nullopt;
    Estimate out = about_difference(*value - *base_value, paired_difference(base, other));
    const Values drawn_base = values_of(k, base_i, draws_done_), drawn = values_of(k, i, draws_done_);
    // Without the run as given, the first of them, draws have nothing to be compared with.
    const bool as_given = !draws_done_.empty() && draws_done_.front() == static_cast<std::size_t>(options_.pairs);
    if (!as_given || drawn.empty() || drawn_base.empty()) return out;
    std::vector<double> differences;
    for (std::size_t d = 0; d < drawn.size(); ++d) differences.push_back(drawn[d] - drawn_base[d]);
    return widened_difference(out, differences.front(), differences);
  }

  void add_figure(std::size_t k) {
    KpiComparison figure;
    figure.kpi = &kpi_table()[k];
    bool known = false;
    for (std::size_t i = 0; i < out_.scenarios.size(); ++i) {
      figure.values.push_back(figure.kpi->of(out_.scenarios[i].evaluation));
      figure.differences.push_back(i == 0 ? std::nullopt : difference(k, 0, i));
      known = known || figure.values.back();
    }
    if (known) out_.figures.push_back(std::move(figure));
  }

  template <class Value>
  static void add_part(std::vector<PartComparison>& parts, std::string name, std::string phrase,
                       const std::vector<Compared>& scenarios, const Value& value) {
    PartComparison part{std::move(name), std::move(phrase), {}};
    for (const Compared& one : scenarios) part.values.push_back(value(one.evaluation));
    parts.push_back(std::move(part));
  }

  void add_time() {
    using MaybeNumber = std::optional<double>;
    add_part(out_.time, "computing", "computing", out_.scenarios,
             [](const Evaluation& e) -> MaybeNumber { return e.result.gpu_utilization.mean; });
    for (std::size_t c = 0; c < static_cast<std::size_t>(LostTime::kCount); ++c) {
      const auto cause = static_cast<LostTime>(c);
      add_part(out_.time, std::string(lost_time_name(cause)), std::string(lost_time_phrase(cause)), out_.scenarios,
               [c](const Evaluation& e) -> MaybeNumber { return e.result.lost_fraction[c]; });
    }
  }

  void add_money() {
    const auto dollars = [](const std::optional<Money>& money) {
      return money ? std::optional(money->to_double()) : std::nullopt;
    };
    for (std::size_t c = 0; c < static_cast<std::size_t>(CostCategory::kCount); ++c) {
      const auto category = static_cast<CostCategory>(c);
      const std::string name(cost_category_name(category));
      add_part(out_.money, name, name, out_.scenarios,
               [&](const Evaluation& e) { return dollars(e.cost.category_total(category)); });
    }
    add_part(out_.money, "total", "total", out_.scenarios,
             [&](const Evaluation& e) { return dollars(e.cost.total()); });
    for (const LostDollars& lost : out_.scenarios.front().evaluation.cost.lost) {
      add_part(out_.lost_money, lost.cause, lost.phrase, out_.scenarios,
               [&](const Evaluation& e) -> std::optional<double> {
                 if (!e.cost.wasted()) return std::nullopt;
                 for (const LostDollars& one : e.cost.lost)
                   if (one.cause == lost.cause) return one.dollars.to_double();
                 return std::nullopt;
               });
    }
  }

  void add_advice() {
    std::vector<const Evaluation*> evaluations;
    for (const Compared& one : out_.scenarios) evaluations.push_back(&one.evaluation);
    const Kpi& by = deciding_kpi(evaluations);
    const auto k = static_cast<std::size_t>(&by - kpi_table().data());
    out_.advice = choose(by, out_.scenarios, [&](std::size_t base, std::size_t i) { return difference(k, base, i); });
  }

  const CompareOptions& options_;
  Comparison out_;
  std::vector<Inputs> inputs_;
  std::int64_t draws_ = 0;
  std::vector<Repeated> repeated_;
  std::vector<std::size_t> pairs_done_, draws_done_;
};

}  // namespace

std::vector<InputDifference> input_differences(const std::vector<ResolvedScenario>& scenarios) {
  std::vector<InputDifference> out;
  for (const Field& field : field_table()) {
    if (field.pointer == "/name" || field.pointer == "/description") continue;
    InputDifference one{field.pointer, {}, {}};
    for (const ResolvedScenario& resolved : scenarios) {
      one.values.push_back(value_text(field, field.get(resolved.scenario)));
      const auto from = resolved.provenance.find(field.pointer);
      one.provenance.push_back(from == resolved.provenance.end() ? Provenance() : from->second);
    }
    if (std::any_of(one.values.begin(), one.values.end(), [&](const std::string& v) { return v != one.values[0]; }))
      out.push_back(std::move(one));
  }
  return out;
}

Comparison compare(std::vector<ResolvedScenario> scenarios, const CompareOptions& options) {
  return Comparer(std::move(scenarios), options).run();
}

}  // namespace stallcast
