#include "core/report/text/result_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "core/model/path_limits.h"
#include "core/report/text/advice_text.h"
#include "core/report/text/cost_text.h"
#include "core/report/text/timeline_text.h"
#include "core/report/words/input_spread_text.h"
#include "core/report/words/interval_text.h"
#include "core/report/words/kpi_text.h"
#include "core/report/words/text_layout.h"
#include "core/scenario/data_path.h"
#include "core/units/quantity_text.h"
#include "core/units/rounded.h"

namespace stallcast {
namespace {

std::string counted(std::int64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

// 1234, "6.65 million"
std::string large_count(std::uint64_t n) {
  const auto value = static_cast<double>(n);
  if (value >= 1e9) return format_number(rounded(value / 1e9)) + " billion";
  if (value >= 1e6) return format_number(rounded(value / 1e6)) + " million";
  return fmt::format("{}", n);
}

// The job in words: what runs, on what, fed by what.
std::string job_line(const Scenario& scenario) {
  const LoaderSpec& loader = scenario.loader;
  std::string text =
      fmt::format("{} x {}", counted(scenario.cluster.nodes, "node"), counted(scenario.cluster.gpus_per_node, "GPU"));
  if (!scenario.cluster.instance.empty()) text += fmt::format(" ({})", scenario.cluster.instance);
  text += ", ";
  if (!scenario.workload.name.empty()) text += scenario.workload.name + ", ";
  text += fmt::format("batch {}, ", scenario.workload.batch_size);
  text += loader.num_workers == 0
              ? "no loader workers"
              : fmt::format("{} per GPU, prefetch {}",
                            counted(loader.num_workers, loader.style == LoaderStyle::kThreads ? "thread" : "worker"),
                            loader.prefetch_factor);
  return printable(text + ", " + storage_text(scenario.storage));
}

std::string title_block(const Scenario& scenario, const TextStyle& style) {
  const std::string name = printable(scenario.name.empty() ? "Training job" : scenario.name);
  return toned(wrapped(name, 0, 0), Tone::kStrong, style) + "\n" + wrapped(job_line(scenario), 0, 0) + "\n\n";
}

std::string spaced(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string numbers_block(const Scenario& scenario, const RunResult& result, const TextStyle& style,
                          const AssumedRanges* ranges = nullptr) {
  const Estimate& utilization = result.gpu_utilization;
  // Of a run with regimes what was simulated of each says nothing about the whole; its totals do. Bytes are read as
  // fast as samples are trained, also where checkpoints stop both.
  const RunTotals& totals = result.totals;
  const bool parts = !result.regimes.empty() && totals.training_s > 0.0;
  const double read_bytes =
      parts ? totals.read_bytes + totals.origin_read_bytes + totals.regional_read_bytes : result.read_bytes;
  const double samples = parts ? totals.samples : static_cast<double>(result.samples);
  const double read_rate = samples > 0.0 ? read_bytes / samples * result.samples_per_s : 0.0;
  const StepTimes& step = result.step_time_s;
  const Tone tone = utilization.mean >= 0.9 ? Tone::kGood : Tone::kWarn;
  const bool known = utilization.ci95_low > 0.0 || utilization.ci95_high < 1.0;
  const std::string interval =
      known ? fmt::format("95 %: {:.1f} to {:.1f} %", 100.0 * utilization.ci95_low, 100.0 * utilization.ci95_high)
            : "too few steps for an interval";
  std::string out = fmt::format("{:<{}}{}  ({})\n", headline_name(result), kLabelColumns,
                                toned(percent(utilization.mean), tone, style), interval);
  if (ranges != nullptr) out += range_line(*ranges);
  const double steady = result.gpu_utilization_steady.mean;
  if (steady > 0.0 && std::abs(steady - utilization.mean) >= kWorthARow)
    out += labelled("Steady state", percent(steady) + " busy");
  if (result.useful_gpu_fraction > 0.0 && std::abs(result.useful_gpu_fraction - utilization.mean) >= kWorthARow)
    out += labelled("", percent(result.useful_gpu_fraction) + " of the GPU time that is paid");
  out += input_spread_lines(result);
  const auto rate = [](double value) { return short_text(Dimension::kRate, value, "samples"); };
  out += labelled("Throughput", fmt::format("{}{}, reading {}", rate(result.samples_per_s),
                                            spread_text(result, result.inputs.samples_per_s, rate),
                                            short_text(Dimension::kByteRate, read_rate)));
  out += labelled("Step", fmt::format("{} mean, {} median, {} 99th percentile", duration_text(step.mean),
                                      duration_text(step.p50), duration_text(step.p99)));
  if (result.time_to_train_s > 0.0 && result.timeline.replications == 0)
    out += labelled("Time to train",
                    time_to_train_text(result) + spread_text(result, result.inputs.time_to_train_s, duration_text));
  if ((result.checkpoints > 0 || result.checkpoint_stop_s > 0.0) && result.timeline.replications == 0) {
    const double size = totals.checkpoint_bytes;
    std::string text = fmt::format("each stops training for {}", duration_text(result.checkpoint_stop_s));
    if (size > 0.0) text = fmt::format("{} each; ", short_text(Dimension::kBytes, size)) + text;
    out += labelled("Checkpoints", text);
  } else if (scenario.checkpoint.mode != CheckpointMode::kNone && result.time_to_train_s > 0.0 &&
             result.timeline.replications == 0) {
    out += labelled("Checkpoints", "none: the run ends before the first one is due");
  }
  if (result.host_memory.page_cache > 0.0) {
    out += labelled("Host memory", fmt::format("{} for loaders, {} of page cache per node",
                                               short_text(Dimension::kBytes, result.host_memory.loader),
                                               short_text(Dimension::kBytes, result.host_memory.page_cache)));
  }
  return out + "\n";
}

std::string time_block(const RunResult& result, const TextStyle& style) {
  std::vector<std::size_t> causes;
  double small = 0.0;
  double lost = 0.0;
  for (std::size_t i = 0; i < result.lost_fraction.size(); ++i) {
    lost += result.lost_fraction[i];
    if (result.lost_fraction[i] >= kWorthARow) {
      causes.push_back(i);
    } else {
      small += result.lost_fraction[i];
    }
  }
  std::stable_sort(causes.begin(), causes.end(),
                   [&](std::size_t a, std::size_t b) { return result.lost_fraction[a] > result.lost_fraction[b]; });
  std::string out = "Where GPU time goes\n" + bar_row(std::max(0.0, 1.0 - lost), "computing", Tone::kGood, style);
  for (const std::size_t cause : causes) {
    out += bar_row(result.lost_fraction[cause], lost_time_phrase(static_cast<LostTime>(cause)), Tone::kWarn, style);
  }
  if (small >= kWorthARow) out += bar_row(small, "everything else", Tone::kWarn, style);
  return out + "\n";
}

// One line for each part of the run whose epochs are alike.
std::string regimes_block(const RunResult& result) {
  if (result.regimes.size() < 2) return "";
  std::string out = "Epochs\n";
  for (const RegimeResult& regime : result.regimes) {
    std::string served;
    for (std::size_t l = 0; l < kReadLevels; ++l) {
      if (regime.served[l] < kWorthARow) continue;
      served +=
          fmt::format("{}{:.{}f} % {}", served.empty() ? "" : ", ", 100.0 * regime.served[l],
                      regime.served[l] < 0.01 ? 1 : 0, spaced(std::string(read_level_name(static_cast<ReadLevel>(l)))));
    }
    const std::string line = fmt::format("{:<16} {:>7} busy, {}, from {}", regime.name,
                                         percent(regime.gpu_utilization.mean), duration_text(regime.time_s), served);
    out += "  " + wrapped(line, 4, 2) + "\n";
  }
  return out + "\n";
}

std::string bound_line(const RunResult& result, const Bound& bound) {
  const auto spoken = [](const std::string& name) {
    return name == "gpu" ? std::string("the GPUs") : fmt::format("{} ({})", resource_label(name), name);
  };
  std::string by = spoken(bound.binding_resource);
  for (const std::string& tied : bound.tied) {
    if (tied != bound.binding_resource) by += " and " + spoken(tied);
  }
  const std::string above = above_bound_text(result.gpu_utilization, bound.gpu_utilization);
  return labelled("Upper bound", fmt::format("{}, set by {}", percent(bound.gpu_utilization), by)) +
         (above.empty() ? "" : labelled("", above));
}

std::string ending_block(const RunResult& result, const TextStyle& style) {
  const std::string run =
      fmt::format("{}, {} of {} simulated in {}", counted(result.steps, "step"), large_count(result.events) + " events",
                  duration_text(result.simulated_s), duration_text(result.wall_s));
  return "\n" + ending_text(result.converged, result.stopped, run, style);
}

// The largest cause, and of decoding how busy the cores are: too few workers leave them idle. What to do about it is
// not said here, for nothing was tried.
std::string bottleneck_block(const RunResult& result) {
  const std::string name(bottleneck_name(result));
  if (name == "gpu") return labelled("Bottleneck", "nothing: the GPUs are the limit");
  std::string text = spoken_with_name(name);
  if (name == lost_time_name(LostTime::kCpuDecode))
    text += fmt::format(", with {} of the cores busy", percent(result.cpu_busy_fraction));
  return labelled("Bottleneck", text + ". stallcast explain tries out what would help.");
}

}  // namespace

std::string ending_text(bool converged, bool stopped, std::string_view run, const TextStyle& style) {
  if (converged) return toned(fmt::format("Converged: {}.", run), Tone::kDim, style) + "\n";
  const char* why = stopped
                        ? "STOPPED before the end: figures are of what was done"
                        : "NOT CONVERGED: what was simulated is too short or too uneven for the requested precision";
  return toned(wrapped(fmt::format("{}; {}.", why, run), 0, 0), Tone::kWarn, style) + "\n";
}

std::string time_to_train_text(const RunResult& result) {
  const RunTotals& totals = result.totals;
  std::string parts;
  if (totals.listing_s >= 0.01 * result.time_to_train_s) parts = duration_text(totals.listing_s) + " listing names";
  if (totals.staging_s > 0.0) {
    parts += fmt::format("{}{} copying from the origin, limited by {}", parts.empty() ? "" : " and ",
                         duration_text(totals.staging_s), spaced(result.staging.limit));
  }
  std::string text = duration_text(result.time_to_train_s);
  if (!parts.empty()) text += ", of which " + parts;
  if (result.staging.method == "prefetch") {
    text += fmt::format("; a concurrent copy from the origin takes {}", duration_text(result.staging.copy_s));
  }
  return text;
}

std::string render_text(const CatalogueIdentity& catalogue) {
  if (catalogue.overlays.empty()) return "";
  return labelled("Catalogue", printable(fmt::format("with overlay {} (hash {})", fmt::join(catalogue.overlays, ", "),
                                                     catalogue.hash)));
}

std::string render_text(const Scenario& scenario, const RunResult& result, const Bound& bound,
                        const CostBreakdown& cost, const TextStyle& style, const AssumedRanges* ranges) {
  return title_block(scenario, style) + numbers_block(scenario, result, style, ranges) + time_block(result, style) +
         regimes_block(result) + render_run_timeline(result, style) + bound_line(result, bound) +
         bottleneck_block(result) + "\n" + (ranges != nullptr ? assumed_inputs_block(*ranges) : "") +
         render_cost(cost, style) + ending_block(result, style);
}

std::string render_text(const Scenario& scenario, const Explanation& explanation, const Advice& advice,
                        const TextStyle& style, const AssumedRanges* ranges) {
  const RunResult& result = explanation.result;
  return title_block(scenario, style) + numbers_block(scenario, result, style, ranges) + time_block(result, style) +
         regimes_block(result) + render_run_timeline(result, style) + bound_line(result, explanation.bound) +
         labelled("", explanation.gap_reason) + render_changes(explanation) + render_advice(advice, scenario, style) +
         (explanation.checkpoint_interval ? render_interval(*explanation.checkpoint_interval) : "") + "\n" +
         (ranges != nullptr ? assumed_inputs_block(*ranges) : "") + render_cost(explanation.cost, style) +
         ending_block(result, style);
}

}  // namespace stallcast
