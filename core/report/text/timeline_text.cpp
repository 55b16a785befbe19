#include "core/report/text/timeline_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>
#include <vector>

#include "core/report/text/result_text.h"
#include "core/report/words/text_layout.h"
#include "core/result/timeline_requirements.h"
#include "core/units/quantity_text.h"
#include "core/units/rounded.h"

namespace stallcast {
namespace {

// "10", "3.2", "0.25"
std::string count_text(double count) { return format_number(rounded(count)); }

std::string heading(const TimelineResult& timeline) {
  std::string text = fmt::format("Run timeline (mean of {} simulated runs", timeline.replications);
  if (timeline.interrupted > 0) text += fmt::format("; {} more were not simulated", timeline.interrupted);
  return text + ")\n";
}

std::string time_line(const RunResult& result) {
  const TimelineResult& timeline = result.timeline;
  if (!std::isfinite(timeline.mean.wall_s))
    return labelled("Time to train", "never: in some simulated runs interruptions undo all progress");
  std::string text = time_to_train_text(result);
  if (timeline.wall_p90_s > timeline.wall_p10_s) {
    text += fmt::format("; 80 % of runs take {} to {}", duration_text(timeline.wall_p10_s),
                        duration_text(timeline.wall_p90_s));
  }
  return labelled("Time to train", text);
}

std::string share_line(std::string_view label, const Estimate& share, Tone tone, std::string_view of,
                       const TextStyle& style) {
  return fmt::format("{:<{}}{}  (95 %: {:.1f} to {:.1f} %)\n", label, kLabelColumns,
                     toned(percent(share.mean), tone, style), 100.0 * share.ci95_low, 100.0 * share.ci95_high) +
         labelled("", of);
}

std::string share_lines(const TimelineResult& timeline, const TextStyle& style) {
  if (!std::isfinite(timeline.mean.wall_s)) return "";
  const Tone tone = timeline.ettr.mean >= 0.9 ? Tone::kGood : Tone::kWarn;
  return share_line("ETTR", timeline.ettr, tone, "share of wall time spent on training that was kept", style) +
         share_line("Goodput", timeline.goodput_fraction, Tone::kPlain, "share of GPU time that computed it", style);
}

// A bar for training, then for the others by size; what is too small for a row is one row.
std::string wall_time_rows(const SimulatedRun& mean, const TextStyle& style) {
  if (mean.wall_s <= 0.0 || !std::isfinite(mean.wall_s)) return "";
  const auto fraction = [&](std::size_t part) { return mean.time_s[part] / mean.wall_s; };
  std::vector<std::size_t> parts;
  double small = 0.0;
  for (std::size_t i = static_cast<std::size_t>(WallTime::kTraining) + 1; i < kWallTimes; ++i) {
    if (fraction(i) >= kWorthARow) {
      parts.push_back(i);
    } else {
      small += fraction(i);
    }
  }
  std::stable_sort(parts.begin(), parts.end(), [&](std::size_t a, std::size_t b) { return fraction(a) > fraction(b); });
  const auto training = static_cast<std::size_t>(WallTime::kTraining);
  std::string out = bar_row(fraction(training), wall_time_phrase(WallTime::kTraining), Tone::kGood, style);
  for (const std::size_t part : parts)
    out += bar_row(fraction(part), wall_time_phrase(static_cast<WallTime>(part)), Tone::kWarn, style);
  if (small >= kWorthARow) out += bar_row(small, "everything else", Tone::kWarn, style);
  return out;
}

std::string_view plural_of(Interruption kind) {
  constexpr std::array<std::string_view, kInterruptions> kPlurals = {"failures", "outages", "losses of data",
                                                                     "preemptions", "planned stops"};
  return kPlurals[static_cast<std::size_t>(kind)];
}

// "10 +- 3.2 failures a run; MTTI 16.7 min", and of several kinds "10 +- 3.2 failures, 2 +- 1.4 preemptions a run; one
// in 13.9 min, MTTI of failures 16.7 min"
std::string interruptions_line(const TimelineResult& timeline) {
  std::vector<std::string> kinds;
  for (std::size_t i = 0; i < kInterruptions; ++i) {
    if (timeline.mean.interruptions[i] <= 0.0) continue;
    kinds.push_back(fmt::format("{} +- {} {}", count_text(timeline.mean.interruptions[i]),
                                count_text(timeline.interruptions_sd[i]), plural_of(static_cast<Interruption>(i))));
  }
  if (kinds.empty()) return labelled("Interruptions", "none");
  if (!std::isfinite(timeline.mean.wall_s)) return "";
  const bool only_failures = kinds.size() == 1 && timeline.mtti_s > 0.0;
  const double all = std::accumulate(timeline.mean.interruptions.begin(), timeline.mean.interruptions.end(), 0.0);
  std::string text = fmt::format("{} a run; ", fmt::join(kinds, ", "));
  if (!only_failures) text += "one in " + duration_text(timeline.mean.wall_s / all);
  if (timeline.mtti_s > 0.0)
    text += fmt::format("{} {}", only_failures ? "MTTI" : ", MTTI of failures", duration_text(timeline.mtti_s));
  return labelled("Interruptions", text);
}

// "stops training for 2 s, costs 2.5 s in all, is written in 12 s, on storage 9 s later"
std::string behaviour_text(const CheckpointBehaviour& checkpoint) {
  std::string text = "stops training for " + duration_text(checkpoint.stop_s);
  const double cost_s = std::max(0.0, checkpoint.stop_s + checkpoint.slowdown_s);
  if (duration_text(cost_s) != duration_text(checkpoint.stop_s))
    text += fmt::format(", costs {} in total", duration_text(cost_s));
  text += ", is written in " + duration_text(checkpoint.write_s);
  if (checkpoint.storage_s > 0.0) text += fmt::format(", on storage {} later", duration_text(checkpoint.storage_s));
  return text;
}

// Of cadence optimal, where it would rather write oftener: " (as short as checkpoint.shortest_interval allows; every
// 52 s would end 0.3 % sooner)"
std::string shortest_text(const TimelineResult& timeline) {
  const OptimalInterval& best = timeline.optimum;
  if (!best.taken || best.free_s >= best.interval_s || best.wall_s <= 0.0) return "";
  return fmt::format(" (as short as checkpoint.shortest_interval allows; every {} would end {} sooner)",
                     duration_text(best.free_s), percent(1.0 - best.free_wall_s / best.wall_s));
}

std::string checkpoint_line(const TimelineResult& timeline) {
  const CheckpointBehaviour& checkpoint = timeline.checkpoint;
  if (checkpoint.interval_s <= 0.0) return labelled("Checkpoints", "none");
  std::string text =
      fmt::format("every {} = {} steps{}, {} each; {}", duration_text(checkpoint.interval_s),
                  count_text(checkpoint.interval_steps), shortest_text(timeline),
                  format_quantity(Dimension::kBytes, rounded(checkpoint.size)), behaviour_text(checkpoint));
  if (timeline.mean.skipped_checkpoints > 0.0) {
    text += fmt::format("; {} of {} a run skipped, the one before not yet written",
                        count_text(timeline.mean.skipped_checkpoints),
                        count_text(timeline.mean.skipped_checkpoints + timeline.mean.checkpoints));
  }
  return labelled("Checkpoints", text);
}

std::string requirements_line(const TimelineResult& timeline) {
  const std::optional<TimelineRequirements> required = timeline_requirements(timeline);
  if (!required) return "";
  std::vector<std::string> limits;
  if (required->interruption_cost_s) {
    limits.push_back(fmt::format("an interruption costs more than {} (now {})",
                                 duration_text(*required->interruption_cost_s),
                                 duration_text(required->interruption_cost_now_s)));
  }
  if (required->stop_s) {
    limits.push_back(fmt::format("a checkpoint stops training for more than {} (now {})",
                                 duration_text(*required->stop_s), duration_text(required->stop_now_s)));
  }
  if (required->between_interruptions_s) {
    limits.push_back(fmt::format("interruptions come less than {} apart (now {})",
                                 duration_text(*required->between_interruptions_s),
                                 duration_text(required->between_interruptions_now_s)));
  }
  return labelled("ETTR margin", fmt::format("it falls below {} once {}", percent(required->target_ettr),
                                             fmt::join(limits, ", or once ")));
}

}  // namespace

std::string render_run_timeline(const RunResult& result, const TextStyle& style) {
  const TimelineResult& timeline = result.timeline;
  if (timeline.replications == 0) return "";
  return heading(timeline) + time_line(result) + share_lines(timeline, style) + wall_time_rows(timeline.mean, style) +
         interruptions_line(timeline) + checkpoint_line(timeline) + requirements_line(timeline) + "\n";
}

}  // namespace stallcast
