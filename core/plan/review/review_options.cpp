// Which configurations a review puts beside each other, and which of them it recommends.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/catalogue/catalogue.h"
#include "core/catalogue/records/records.h"
#include "core/cost/cost_breakdown.h"
#include "core/cost/price_run.h"
#include "core/diagnostics/finding.h"
#include "core/plan/compare/choice.h"
#include "core/plan/evaluate/assertion.h"
#include "core/plan/evaluate/evaluation.h"
#include "core/plan/evaluate/figures.h"
#include "core/plan/evaluate/kpi.h"
#include "core/plan/evaluate/undisturbed.h"
#include "core/plan/explain/best_cure.h"
#include "core/plan/pairs/paired_trials.h"
#include "core/plan/review/review.h"
#include "core/plan/review/review_parts.h"
#include "core/plan/rules/rules.h"
#include "core/plan/search/best_first.h"
#include "core/plan/search/option_draws.h"
#include "core/plan/search/relaxation.h"
#include "core/plan/search/size.h"
#include "core/plan/space/point_file.h"
#include "core/plan/space/space.h"
#include "core/plan/space/variable.h"
#include "core/result/estimate.h"
#include "core/result/run_result.h"
#include "core/run/input_ranges.h"
#include "core/run/simulate.h"
#include "core/run/uncertainty.h"
#include "core/scenario/data_path.h"
#include "core/scenario/fields/simulation_key.h"
#include "core/scenario/resolve/resolve.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/resolve/scenario_file.h"
#include "core/scenario/scenario.h"
#include "core/steps/parallel.h"
#include "core/steps/run_options.h"
#include "core/units/quantity.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

constexpr const char* kTier = "/storage/tier";
// Precision of the search, or that of the scenario where it is coarser.
constexpr double kSearchPrecision = 0.02;
constexpr double kSearchSamples = 1.5e6;  // affordable for a run of the search: its precision takes few
// Precision of options that miss a target by far and are shown to say so.
constexpr double kRejectedPrecision = 0.02;

class OptionFinder {
 public:
  OptionFinder(ReviewWork& work, Review& review) : work_(work), review_(review) {}

  Findings run() {
    review_.targets = work_.request.sizing.targets;
    review_.confidence = work_.request.sizing.confidence;
    if (work_.request.files.size() > 1) {
      scenarios();
    } else if (!variables().empty()) {
      sized();
    } else if (!findings_.has_errors()) {
      explained();
    }
    if (findings_.has_errors() || review_.options.empty()) return std::move(findings_);
    evaluate_all();
    if (!work_.stopped()) bring_search_to_scale();
    if (!work_.stopped()) choose();
    if (!work_.stopped()) draw();
    return std::move(findings_);
  }

 private:
  // --- where options come from ---

  const ScenarioFile& base() const { return work_.request.files.front(); }

  std::vector<Variable> variables() {
    if (!work_.request.variables.empty()) return work_.request.variables;
    Loaded<std::vector<Variable>> planned = planned_variables(base());
    findings_.append(planned.findings);
    return planned.value.value_or(std::vector<Variable>());
  }

  bool add(const ScenarioFile& file, const Point& point, std::string origin, bool is_finalist = true) {
    Loaded<ScenarioFile> there = scenario_file_at(file, point);
    if (!there.value) {
      findings_.append(there.findings);
      return false;
    }
    Loaded<ResolvedScenario> resolved = resolve(*there.value, work_.catalogue);
    if (!resolved.ok()) {
      findings_.append(resolved.findings);
      return false;
    }
    ReviewOption option;
    option.file = std::move(*there.value);
    option.point = point;
    option.origin = std::move(origin);
    option.resolved = std::move(*resolved.value);
    option.name = option_name(option.resolved);
    const std::string title = storage_title(option.resolved);
    option.brief = title.substr(0, std::min(title.find(", "), title.find(" (")));
    if (!is_finalist) {
      double& precision = option.resolved.scenario.run.precision;
      precision = std::max(precision, kRejectedPrecision);
    }
    review_.options.push_back(std::move(option));
    return true;
  }

  void scenarios() {
    for (const ScenarioFile& file : work_.request.files) {
      if (!add(file, {}, "scenario")) continue;
      ReviewOption& option = review_.options.back();
      if (!option.resolved.scenario.name.empty()) option.name = option.brief = option.resolved.scenario.name;
    }
    SizeRequest request = work_.request.sizing;
    for (const ScenarioFile& file : work_.request.files) add_planned_targets(file.scenario.plan, request);
    review_.targets = request.targets;
  }

  void sized() {
    SizeRequest request = work_.request.sizing;
    add_planned_targets(base().scenario.plan, request);
    const Loaded<Space> space = make_space(base(), variables(), {}, work_.catalogue);
    findings_.append(space.findings);
    if (!space.ok()) return;
    findings_.append(check_request(base(), *space.value, work_.catalogue, request));
    if (findings_.has_errors()) return;
    const double asked = base().scenario.run.precision;
    const bool is_sketch = asked < kSearchPrecision;
    find(*space.value, request, std::max(asked, kSearchPrecision));
    if (!is_sketch || findings_.has_errors() || work_.stopped()) return;
    // What kept the targets coarsely has to keep them at the precision asked for; else the search is as fine.
    if (!review_.sizing->best.empty()) evaluate_all();
    if (!work_.stopped() && (review_.sizing->best.empty() || first_target_missed(review_.options.front())))
      find(*space.value, request, asked);
  }

  void find(const Space& space, const SizeRequest& request, double precision) {
    search(space, request, precision);
    if (!findings_.has_errors()) others(space);
  }

  // The best of all is the first option then, if there is one.
  void search(const Space& space, const SizeRequest& request, double precision) {
    ScenarioFile file = base();
    apply_override(file, fmt::format("run.precision={}", precision), findings_);
    const SearchWatch watch = [&](const SearchState& state) {
      work_.tell("configurations decided", state.decided, state.points);
    };
    review_.search_precision = precision;
    RunOptions run = work_.request.run;
    if (precision >= kSearchPrecision) {
      run.affordable_samples = std::min(run.affordable_samples, kSearchSamples);
      run.coarse = true;
    }
    review_.sizing = size(file, space, work_.catalogue, request, run, watch);
    review_.targets = review_.sizing->targets;
    review_.options.clear();
    if (!review_.sizing->best.empty())
      add(base(), review_.sizing->best.front().point, "best of all that was asked about");
  }

  void others(const Space& space) {
    const SizeResult& sizing = *review_.sizing;
    std::vector<std::optional<Point>> points(sizing.tiers.size());
    parallel_for(std::ssize(points), work_.request.run.threads, [&](std::int64_t i) {
      const TierAnswer& tier = sizing.tiers[static_cast<std::size_t>(i)];
      if (!tier.best) points[static_cast<std::size_t>(i)] = large_point(tier.tier, space);
    });
    for (std::size_t i = 0; i < points.size(); ++i) other_tier(sizing.tiers[i], points[i]);
    if (sizing.best.empty()) relaxed();
    as_given();
  }

  // `large`: what is shown of a tier that keeps no target.
  void other_tier(const TierAnswer& tier, const std::optional<Point>& large) {
    if (tier.best) {
      add(base(), tier.best->point, "best of its tier");
    } else if (large) {
      add(base(), *large, "best this tier can do", false);
    } else {
      review_.tiers_without.push_back(tier.tier);
    }
  }

  // Of a tier that keeps no target: its largest size, with the other settings of the best of all, or the most of each;
  // the busier of the two.
  std::optional<Point> large_point(const std::string& tier, const Space& space) {
    std::optional<Point> found;
    double busiest = -1.0;
    for (const bool most : {false, true}) {
      std::vector<std::int64_t> choices = space.choices_at(review_.sizing->best.front().index);
      for (std::size_t a = 0; a < space.axes().size(); ++a)
        if (const auto choice = choice_on(space.axes()[a], tier, most)) choices[a] = *choice;
      const Point point = space.point(space.index_of(choices));
      const Loaded<ResolvedScenario> resolved = resolve_at(base(), point, work_.catalogue);
      if (!resolved.ok() || work_.stopped()) continue;
      RunOptions run = work_.seeded_run();
      run.affordable_samples = kDrawSamples;
      const Scenario sketch = sketched(*resolved.value).scenario;
      const double utilization = simulate(undisturbed_part(sketch).value_or(sketch), run).gpu_utilization.mean;
      if (utilization <= busiest) continue;
      busiest = utilization;
      found = point;
    }
    return found;
  }

  // The last choice of an axis that has the tier, or the last at all where it has none and the most is wanted.
  static std::optional<std::int64_t> choice_on(const Axis& axis, const std::string& tier, bool most) {
    const auto at = std::find(axis.pointers.begin(), axis.pointers.end(), kTier);
    if (at == axis.pointers.end()) return most ? std::optional(std::ssize(axis.choices) - 1) : std::nullopt;
    const auto place = static_cast<std::size_t>(at - axis.pointers.begin());
    for (std::int64_t c = std::ssize(axis.choices) - 1; c >= 0; --c)
      if (axis.choices[static_cast<std::size_t>(c)][place] == tier) return c;
    return std::nullopt;
  }

  void relaxed() {
    for (const Relaxation& relaxation : review_.sizing->relaxations)
      if (relaxation.best && !has(relaxation.best->point))
        add(base(), relaxation.best->point, fmt::format("best with {} given up", figure_name(relaxation.asked.figure)));
  }

  bool has(const Point& point) const {
    return std::any_of(review_.options.begin(), review_.options.end(),
                       [&](const ReviewOption& option) { return option.point == point; });
  }

  // The scenario itself, unless it is one of the options already.
  void as_given() {
    const Loaded<ResolvedScenario> resolved = resolve(base(), work_.catalogue);
    if (!resolved.ok()) {
      if (review_.options.empty()) findings_.append(resolved.findings);
      return;
    }
    const std::string key = simulation_key(resolved.value->scenario);
    for (const ReviewOption& option : review_.options)
      if (simulation_key(option.resolved.scenario) == key && option.name == option_name(*resolved.value)) return;
    add(base(), {}, "as the scenario has it");
  }

  void explained() {
    SizeRequest request = work_.request.sizing;
    add_planned_targets(base().scenario.plan, request);
    review_.targets = request.targets;
    if (!add(base(), {}, "as the scenario has it")) return;
    work_.tell("changes tried", 0, 1);
    ReviewOption& given = review_.options.front();
    simulate_option(given, work_.request.run);
    if (work_.stopped()) return;
    const Loaded<std::vector<Rule>> rules = load_rules(work_.catalogue.identity.directory);
    findings_.append(rules.findings);
    if (!rules.ok()) return;
    const std::optional<Cure> cure =
        best_cure(base(), given.resolved, given.evaluation, *rules.value, work_.catalogue, work_.request.run);
    if (!cure || !add(base(), cure->point, "the change that pays best")) return;
    // Both have the same storage, or one is a size of the other: what sets them apart is the change.
    ReviewOption& changed = review_.options.back();
    changed.brief = cure->phrase;
    if (changed.name == review_.options.front().name) changed.name += "; " + cure->phrase;
    review_.options.front().brief = review_.options.front().origin;
  }

  // --- what they do, and which to take ---

  void simulate_option(ReviewOption& option, RunOptions run) {
    if (option.evaluation.result.steps > 0) return;
    run.seed = work_.seed;
    option.evaluation = evaluate(option.resolved, run);
  }

  void evaluate_all() {
    const auto count = std::ssize(review_.options);
    std::int64_t done = 0;
    std::mutex mutex;
    std::vector<ReviewOption*> finest_first;
    for (ReviewOption& option : review_.options) finest_first.push_back(&option);
    std::stable_sort(finest_first.begin(), finest_first.end(), [](const ReviewOption* a, const ReviewOption* b) {
      return a->resolved.scenario.run.precision < b->resolved.scenario.run.precision;
    });
    parallel_for(count, work_.request.run.threads, [&](std::int64_t i) {
      if (work_.stopped()) return;
      ReviewOption& option = *finest_first[static_cast<std::size_t>(i)];
      simulate_option(option, count > 1 ? one_of_many(work_.request.run) : work_.request.run);
      const std::lock_guard lock(mutex);
      work_.tell("options simulated", ++done, count);
    });
  }

  static Figures figures_of(const ReviewOption& option) {
    Figures figures = simulated_figures(option.evaluation);
    set_known_figures(figures, option.resolved.scenario);
    return figures;
  }

  // The search is coarse, the options are not. What it found is shown on the scale of its best as the option has it, so
  // that a page says one thing of it.
  void bring_search_to_scale() {
    if (!review_.sizing || review_.sizing->best.empty()) return;
    SizeResult& sizing = *review_.sizing;
    const Figures base = sizing.best.front().figures;
    const auto best = std::find_if(review_.options.begin(), review_.options.end(), [&](const ReviewOption& option) {
      return option.point == sizing.best.front().point;
    });
    if (best == review_.options.end()) return;
    const Figures now = figures_of(*best);
    const auto scale = [&](SizedPoint& point) {
      for (std::size_t f = 0; f < kFigures; ++f) {
        const auto figure = static_cast<Figure>(f);
        std::optional<Estimate>& value = point.figures.of(figure);
        if (is_simulated(figure) && value && base.of(figure) && now.of(figure))
          value = on_scale(*value, *base.of(figure), *now.of(figure), figure == Figure::kUtilization);
      }
    };
    for (SizedPoint& point : sizing.best) scale(point);
    for (TierAnswer& tier : sizing.tiers)
      if (tier.best) scale(*tier.best);
    for (FrontPoint& point : sizing.front.points) {
      scale(point.point);
      point.keeps_targets = first_missed(review_.targets, point.point.figures, review_.confidence) == nullptr;
    }
  }

  std::optional<Target> first_target_missed(const ReviewOption& option) const {
    const Figures figures = figures_of(option);
    const Target* missed = first_missed(review_.targets, figures, review_.confidence);
    return missed != nullptr ? std::optional(*missed) : std::nullopt;
  }

  void choose() {
    std::vector<const Evaluation*> all;
    for (ReviewOption& option : review_.options) {
      option.missed = first_target_missed(option);
      all.push_back(&option.evaluation);
    }
    review_.by = &deciding_kpi(all);
    const auto value = [&](const ReviewOption& option) {
      const std::optional<Estimate> known = review_.by->of(option.evaluation);
      const double mean = known ? known->mean : std::nan("");
      return review_.by->better == Better::kHigher ? -mean : mean;
    };
    // The answer of the search stays first: it was looked for with a tolerance, and with as few workers as do.
    const std::ptrdiff_t searched = review_.sizing && !review_.sizing->best.empty() && !review_.options.front().missed;
    std::stable_sort(review_.options.begin() + searched, review_.options.end(),
                     [&](const ReviewOption& a, const ReviewOption& b) {
                       if (a.missed.has_value() != b.missed.has_value()) return !a.missed;
                       return value(a) < value(b);
                     });
    for (std::size_t i = 0; i < review_.options.size(); ++i) review_.options[i].label = scenario_label(i);
  }

  // --- what nobody gave ---

  // What the options are compared by in the draws, which know fewer figures.
  Figure drawn_by() const {
    for (const Figure figure : {Figure::kTotal, Figure::kGpuHour, Figure::kTime})
      if (simulated_figures(review_.options.front().evaluation).of(figure)) return figure;
    return Figure::kUtilization;
  }

  void draw() {
    work_.tell("assumed inputs sampled", 0, 1);
    std::vector<OptionToDraw> options;
    for (const ReviewOption& option : review_.options) options.push_back({&option.resolved, &option.evaluation});
    review_.drawn_by = drawn_by();
    review_.draws = draw_options(options, work_.request.run);
    if (work_.stopped()) return;
    const ReviewOption& chosen = review_.options.front();
    RunOptions run = work_.request.run;
    run.seed = work_.seed;
    review_.ranges = input_ranges(chosen.resolved, chosen.evaluation.result, run);
    review_.ranges_cost = price_run(chosen.resolved, review_.ranges.widened);
  }

  ReviewWork& work_;
  Review& review_;
  Findings findings_;
};

}  // namespace

std::string storage_title(const ResolvedScenario& resolved) {
  const auto& record = resolved.records.storage;
  if (record && !record->title.empty()) return record->title;
  return storage_name(resolved.scenario.storage);
}

std::string storage_text(const ResolvedScenario& resolved) {
  const double capacity = resolved.scenario.storage.capacity.base();
  const std::string title = storage_title(resolved);
  return capacity > 0.0 ? format_quantity(Dimension::kBytes, capacity) + " of " + title : title;
}

std::string option_name(const ResolvedScenario& resolved) {
  const std::int64_t workers = resolved.scenario.loader.num_workers;
  return storage_text(resolved) + (workers == 0   ? "; no loader workers"
                                   : workers == 1 ? "; 1 worker per GPU"
                                                  : fmt::format("; {} workers per GPU", workers));
}

std::string figure_value_text(Figure figure, double value) {
  if (figure == Figure::kUtilization) return fmt::format("{:.1f} %", 100.0 * value);
  std::string path(figure_name(figure));
  if (figure == Figure::kGpuHour) path = "effective_usd_per_useful_gpu_hour";
  if (figure == Figure::kMemoryShare) path = "memory_fraction";
  return value_of_path_text(path, value);
}

Findings find_options(ReviewWork& work, Review& review) { return OptionFinder(work, review).run(); }

}  // namespace stallcast
