#include "core/report/text/size_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/cost/money/money.h"
#include "core/plan/evaluate/figures.h"
#include "core/plan/search/assessor.h"
#include "core/plan/search/best_first.h"
#include "core/plan/search/relaxation.h"
#include "core/plan/space/space.h"
#include "core/report/words/kpi_text.h"
#include "core/report/words/set_options.h"
#include "core/result/estimate.h"
#include "core/result/lost_time.h"

namespace stallcast {
namespace {

// A cost by the hour says of what hour.
std::string told(Figure figure, double value) {
  return figure == Figure::kGpuHour ? usd_text(value) + " per useful GPU-hour" : figure_text(figure, value);
}

std::string_view figure_word(Figure figure) {
  switch (figure) {
    case Figure::kTotal:
      return "cost";
    case Figure::kGpuHour:
      return "price";
    case Figure::kTime:
      return "time to train";
    case Figure::kUtilization:
      return "GPU utilization";
    case Figure::kMemory:
    case Figure::kMemoryShare:
      return "loader memory";
    case Figure::kGpus:
      return "GPUs";
    case Figure::kNodes:
      return "nodes";
    case Figure::kCapacity:
      return "capacity";
    case Figure::kCount:
      break;
  }
  return "";
}

std::string_view superlative(Figure objective) {
  if (objective == Figure::kTime) return "fastest";
  if (objective == Figure::kUtilization) return "busiest";
  return objective == Figure::kTotal ? "cheapest" : "cheapest by the useful GPU-hour";
}

std::string target_text(const Target& target) {
  if (target.figure == Figure::kMemoryShare) return "loaders fit into memory";
  return fmt::format("{} {} {}", figure_word(target.figure), higher_is_better(target.figure) ? "at least" : "at most",
                     told(target.figure, target.limit));
}

std::string targets_text(const SizeResult& result) {
  std::string text;
  for (const Target& target : result.targets) text += (text.empty() ? "" : ", ") + target_text(target);
  return text;
}

// " (95 %: 91.9 to 93.1 %)"
std::string interval_text(const Estimate& e, Figure figure) {
  if (!(e.ci95_high > e.ci95_low) || !std::isfinite(e.ci95_high)) return "";
  return fmt::format(" (95 %: {} to {})", told(figure, e.ci95_low), told(figure, e.ci95_high));
}

// The last part of a pointer and its value: "capacity 100 TiB"; fields that say what they are by their value stand
// alone.
std::string short_setting(const Assignment& a) {
  if (a.pointer == "/storage/tier" || a.pointer == "/storage/capacity" || a.pointer == "/cluster/instance")
    return a.text;
  if (a.pointer == "/loader/num_workers") return a.text + " workers";
  if (a.pointer == "/loader/prefetch_factor") return "prefetch " + a.text;
  return a.pointer.substr(a.pointer.rfind('/') + 1) + " " + a.text;
}

std::string short_settings(const Point& point, std::string_view without = "") {
  std::string text;
  for (const Assignment& a : point) {
    if (a.text.empty() || a.pointer == without) continue;
    text += (text.empty() ? "" : ", ") + short_setting(a);
  }
  return printable(text);
}

std::string settings_lines(const Point& point) {
  constexpr std::size_t kIndent = 2;
  std::string out, line;
  for (const std::string& option : set_options(point)) {
    if (!line.empty() && kIndent + line.size() + 1 + option.size() > kColumns) {
      out += "  " + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + option;
  }
  return out + "  " + line + "\n";
}

std::string plus_text(Figure objective, double value, double best) {
  const double more = higher_is_better(objective) ? (best - value) / best : (value - best) / best;
  return fmt::format("{}{:.1f} %", more < 0.0 ? "-" : "+", 100.0 * std::abs(more));
}

// One line of a table: figures, then what it is.
std::string row(const Figures& figures, Figure objective, double best, const std::string& what) {
  std::string left = "  ";
  const auto cell = [&](Figure figure, int width) {
    const std::optional<Estimate>& value = figures.of(figure);
    const std::string text = !value                       ? "-"
                             : figure == Figure::kGpuHour ? usd_text(value->mean)
                                                          : told(figure, value->mean);
    left += fmt::format("{:>{}}  ", text, width);
  };
  cell(figures.of(Figure::kTotal) ? Figure::kTotal : Figure::kGpuHour, 11);
  left += fmt::format("{:>7}  ", plus_text(objective, figures.at(objective), best));
  cell(Figure::kUtilization, 6);
  if (figures.of(Figure::kTime)) cell(Figure::kTime, 6);
  return left + wrapped(what, left.size(), left.size()) + "\n";
}

std::string chosen_lines(const SizeResult& r, const TextStyle& style) {
  const SizedPoint& best = r.best.front();
  const Figures& f = best.figures;
  std::string out = toned(settings_lines(best.point), Tone::kStrong, style) + "\n";
  const auto line = [&](const char* label, Figure figure, const std::string& more = "") {
    if (const std::optional<Estimate>& value = f.of(figure))
      out += labelled(label, told(figure, value->mean) + interval_text(*value, figure) + more);
  };
  line("GPU utilization", Figure::kUtilization);
  line("Cost", Figure::kTotal,
       f.of(Figure::kGpuHour) ? fmt::format(", {}", told(Figure::kGpuHour, f.at(Figure::kGpuHour))) : "");
  if (!f.of(Figure::kTotal)) line("Cost", Figure::kGpuHour);
  line("Time to train", Figure::kTime);
  line("Loader memory", Figure::kMemory, " per node");
  return out;
}

std::string tier_lines(const SizeResult& r) {
  if (r.tiers.empty()) return "";
  std::string out = "\nBest of the other tiers\n";
  for (const TierAnswer& tier : r.tiers) {
    if (tier.best) {
      out += row(tier.best->figures, r.objective, r.best.front().figures.at(r.objective),
                 short_settings(tier.best->point));
      continue;
    }
    std::string why = "none meets the targets";
    for (const Target& target : r.targets) {
      if (target.figure == Figure::kUtilization && tier.most_utilization && *tier.most_utilization < target.limit)
        why = fmt::format("cannot exceed {}", percent(*tier.most_utilization));
    }
    out += fmt::format("  {:<28}  {}\n", printable(tier.tier), why);
  }
  return out;
}

// "1 % in cost and time and 1 points of utilization"
std::string front_tolerance(const Front& front) {
  return fmt::format("{} of cost and time and {:g} points of utilization", percent(front.tolerance),
                     100.0 * front.tolerance);
}

std::string front_heading(const Front& front, std::size_t told) {
  std::string text = "Trade-offs among what was simulated";
  if (front.complete) {
    text = fmt::format("Trade-offs, all there are: to within {} no other betters any of these {}",
                       front_tolerance(front), told);
  } else if (front.scope == FrontScope::kLimited || front.scope == FrontScope::kFull) {
    text = fmt::format("Trade-offs so far; {} configurations are undecided{}", front.undecided,
                       front.scope == FrontScope::kLimited ? ", and --front full goes on" : "");
  }
  return text + " (* meets the targets)";
}

std::string front_lines(const SizeResult& r) {
  constexpr std::size_t kMostRows = 8;
  std::vector<FrontPoint> front = r.front.points;
  std::erase_if(front, [](const FrontPoint& point) { return point.like_another; });
  if (front.size() == 1 && r.front.complete) {
    return "\n" + labelled("Trade-offs", fmt::format("none: to within {} no configuration is better in any of them.",
                                                     front_tolerance(r.front)));
  }
  if (front.size() < 2) return "";
  const double best =
      r.best.empty() ? front.front().point.figures.at(r.objective) : r.best.front().figures.at(r.objective);
  std::string out = "\n" + wrapped(front_heading(r.front, front.size()), 0, 0) + "\n";
  // Evenly over the front, both ends among them.
  const std::size_t rows = std::min(kMostRows, front.size());
  for (std::size_t i = 0; i < rows; ++i) {
    const FrontPoint& p = front[i * (front.size() - 1) / (rows - 1)];
    out += row(p.point.figures, r.objective, best, (p.keeps_targets ? "* " : "  ") + short_settings(p.point.point));
  }
  if (rows < r.front.points.size())
    out += fmt::format("  {} more with --format json or csv\n", r.front.points.size() - rows);
  return out;
}

std::string top_lines(const SizeResult& r) {
  if (r.best.size() < 2) return "";
  std::string out = "\nThe best, in order\n";
  for (const SizedPoint& point : r.best)
    out += row(point.figures, r.objective, r.best.front().figures.at(r.objective), short_settings(point.point));
  return out;
}

// A limit that the reachable value keeps, in the words of the option.
std::string suggestion(Figure figure, double reachable) {
  switch (figure) {
    case Figure::kUtilization:
      return fmt::format("lower --min-utilization to {:.3f}", std::floor(reachable * 1000.0) / 1000.0);
    case Figure::kTime:
      return fmt::format("allow --deadline {:.0f}min", std::ceil(reachable / 60.0));
    case Figure::kTotal:
      return fmt::format("allow --budget {:.0f}", std::ceil(reachable));
    case Figure::kMemory:
    case Figure::kMemoryShare:
      return "allow more with --max-memory";
    default:
      return fmt::format("allow {}={:.0f}", target_option(figure), std::ceil(reachable));
  }
}

std::string relaxation_lines(const SizeResult& r) {
  std::string out = "\nWhich target to relax (one at a time)\n";
  for (const Relaxation& relaxed : r.relaxations) {
    const Figure figure = relaxed.asked.figure;
    std::string text = fmt::format("{}: ", figure_word(figure));
    if (relaxed.best) {
      text += fmt::format("{} is reachable ({}): {}", told(figure, relaxed.reachable),
                          short_settings(relaxed.best->point), suggestion(figure, relaxed.reachable));
    } else {
      text += "relaxing this target alone does not help";
    }
    out += "  " + wrapped(text, 4, 2) + "\n";
  }
  return out;
}

std::string search_lines(const SizeResult& r) {
  const double share = r.points > 0 ? static_cast<double>(r.simulated_points) / static_cast<double>(r.points) : 0.0;
  std::string text = fmt::format("{} configurations in {}: {} simulated ({:.3g} %)", r.points, duration_text(r.wall_s),
                                 r.simulated_points, 100.0 * share);
  const auto add = [&](std::int64_t count, std::string_view why) {
    if (count > 0) text += fmt::format(", {} {}", count, why);
  };
  add(r.counts.target_missed, "cannot meet the targets even at their upper bound");
  add(r.counts.not_better, "cannot beat the best even at theirs");
  add(r.counts.like_another, "no better than a similar one that was simulated");
  add(r.counts.over_quota, "take more than there is");
  add(r.counts.undecided, "undecided");
  add(r.counts.invalid, "impossible");
  text += fmt::format("; {} runs", r.runs.simulations());
  if (r.runs_in_all.simulations() > r.runs.simulations())
    text += fmt::format(", {} including those behind the other answers", r.runs_in_all.simulations());
  std::string out = "\n" + labelled("Searched", text + ".");
  for (const auto& [reason, count] : r.reasons) out += labelled("  impossible", fmt::format("{}: {}", count, reason));
  return out;
}

std::string exhaustive_lines(const SizeResult& r) {
  if (!r.exhaustive) return "";
  const ExhaustiveCheck& check = *r.exhaustive;
  std::string text = check.agrees ? "agrees" : "DISAGREES";
  if (check.best) {
    text += fmt::format(": best of all {} ({})", told(r.objective, check.best->figures.at(r.objective)),
                        short_settings(check.best->point));
    if (!r.best.empty()) text += fmt::format(", the answer is {:.2f} % from it", 100.0 * check.excess);
    if (r.front.complete) {
      text += check.front_missed == 0 ? "; the trade-offs are all there are"
                                      : fmt::format("; the trade-offs MISS {}", check.front_missed);
    }
  } else {
    text += ": none meets the targets";
  }
  return labelled("Exhaustive", text + fmt::format("; {} more runs.", check.simulations));
}

}  // namespace

std::string why_text(const SizeResult& r) {
  std::string text = fmt::format("no other is {} by more than {}",
                                 r.objective == Figure::kUtilization ? "busier"
                                 : r.objective == Figure::kTime      ? "faster"
                                                                     : "cheaper",
                                 percent(r.complete ? r.tolerance : r.gap));
  const TierAnswer* next = nullptr;
  for (const TierAnswer& tier : r.tiers) {
    if (!tier.best) continue;
    const auto value = [&](const TierAnswer& t) { return t.best->figures.at(r.objective); };
    if (next == nullptr || (higher_is_better(r.objective) ? value(tier) > value(*next) : value(tier) < value(*next)))
      next = &tier;
  }
  if (next != nullptr) {
    text += fmt::format(
        "; the next tier, {}, is {} away", printable(next->tier),
        plus_text(r.objective, next->best->figures.at(r.objective), r.best.front().figures.at(r.objective)));
  } else if (!r.tiers.empty()) {
    text += "; no other tier meets the targets";
  }
  if (r.cheapest) {
    text += fmt::format("; with more loading ({}) it would be {}", short_settings(r.cheapest->point, ""),
                        told(r.objective, r.cheapest->figures.at(r.objective)));
  }
  const std::string& held = r.best.front().bottleneck;
  text += held == "gpu" ? "; the GPUs are the limit" : "; remaining limit: " + spoken_name(held);
  return text + ".";
}

std::string render_text(const SizeResult& r, const std::string& name, const TextStyle& style,
                        const std::string& ranges) {
  std::string out = toned(wrapped(printable(name.empty() ? "Scenario" : name), 0, 0), Tone::kStrong, style) + "\n";
  if (!r.complete) out += toned("Incomplete: stopped before the search was over.", Tone::kWarn, style) + "\n";
  const std::string with = fmt::format("{} ({:.4g} % confidence)", targets_text(r), 100.0 * r.confidence);
  if (r.best.empty()) {
    out += wrapped(fmt::format("{}: {}",
                               r.complete ? "No configuration meets all targets" : "No configuration found yet", with),
                   0, 0) +
           "\n";
    if (!r.relaxations.empty()) out += relaxation_lines(r);
  } else {
    out += wrapped(fmt::format("The {} of {}: {}", superlative(r.objective), r.points, with), 0, 0) + "\n\n";
    out += chosen_lines(r, style) + ranges + labelled("Why", why_text(r)) + top_lines(r) + tier_lines(r);
  }
  return out + front_lines(r) + search_lines(r) + exhaustive_lines(r);
}

}  // namespace stallcast
