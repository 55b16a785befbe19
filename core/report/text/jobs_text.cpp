#include "core/report/text/jobs_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/model/path_limits.h"
#include "core/report/text/cost_text.h"
#include "core/report/text/result_text.h"
#include "core/report/words/assumed_of_jobs.h"
#include "core/report/words/assumed_of_load.h"
#include "core/report/words/text_layout.h"
#include "core/scenario/data_path.h"
#include "core/units/quantity_text.h"
#include "core/units/rounded.h"

namespace stallcast {
namespace {

constexpr std::size_t kJobColumns = 25;

// "1600", "24.2 million"
std::string large_count(double n) {
  if (n >= 1e9) return format_number(rounded(n / 1e9)) + " billion";
  if (n >= 1e6) return format_number(rounded(n / 1e6)) + " million";
  return format_number(n);
}

std::string machines_text(const Scenario& s) {
  std::string text = fmt::format("{} node{}", s.cluster.nodes, s.cluster.nodes == 1 ? "" : "s");
  if (!s.cluster.instance.empty()) text += " " + s.cluster.instance;
  return text;
}

std::string load_text(const Scenario& s) {
  std::string text = fmt::format("{}, each loads {} in {} stream{}", machines_text(s),
                                 short_text(Dimension::kBytes, s.serving.weights.base()), s.serving.streams,
                                 s.serving.streams == 1 ? "" : "s");
  if (s.serving.request_size.base() > 0)
    text += fmt::format(" of {} requests", short_text(Dimension::kBytes, s.serving.request_size.base()));
  return text;
}

// What usually helps first against what the streams of a load wait for.
std::string_view load_remedy(LostTime cause) {
  switch (cause) {
    case LostTime::kStorageLatency:
      return "more streams (serving.streams), larger requests (serving.request_size), or a tier that answers sooner";
    case LostTime::kStreamCap:
      return "more streams (serving.streams), or a tier whose single stream is faster";
    case LostTime::kClientCap:
      return "a faster NIC or storage client, or weights already on the node";
    case LostTime::kTierBandwidth:
      return "more capacity or a faster tier (storage.capacity), or hosts that pass the weights on to each other";
    case LostTime::kRequestRate:
      return "larger requests (serving.request_size), or a tier with a higher request rate";
    case LostTime::kHostToDevice:
      return "a faster path from host memory to the GPUs (serving.load_bandwidth)";
    default:
      return "nothing that is known of";
  }
}

std::string waits_block(const ServingResult& result, const TextStyle& style) {
  std::vector<std::size_t> causes;
  for (std::size_t c = 0; c < result.time_fraction.size(); ++c)
    if (result.time_fraction[c] >= kWorthARow) causes.push_back(c);
  std::stable_sort(causes.begin(), causes.end(),
                   [&](std::size_t a, std::size_t b) { return result.time_fraction[a] > result.time_fraction[b]; });
  if (causes.empty()) return "";
  std::string out = "Where the time of the reads goes\n";
  for (const std::size_t c : causes) {
    const std::string bar = render_bar(result.time_fraction[c], kBarColumns, style);
    const std::string padding(static_cast<std::size_t>(kBarColumns) - columns_of(bar), ' ');
    const auto cause = static_cast<LostTime>(c);
    const std::string_view phrase =
        cause == LostTime::kHostToDevice ? "GPUs load what has been read" : lost_time_phrase(cause);
    out += fmt::format("  {:>7}  {}{}  {}\n", percent(result.time_fraction[c]), toned(bar, Tone::kWarn, style), padding,
                       phrase);
  }
  return out + "\n";
}

LostTime limit_of(const ServingResult& result) {
  const auto largest = std::max_element(result.time_fraction.begin(), result.time_fraction.end());
  return static_cast<LostTime>(largest - result.time_fraction.begin());
}

std::string ready_text(const ServingResult& result) {
  return fmt::format("{}; the first after {}, half of them after {}", duration_text(result.last_ready_s),
                     duration_text(result.first_ready_s), duration_text(result.median_ready_s));
}

std::string rate_text(const ServingResult& result) {
  return fmt::format("{}, {} per host; {} in {} requests", short_text(Dimension::kByteRate, result.bytes_per_s),
                     short_text(Dimension::kByteRate, result.bytes_per_s / static_cast<double>(result.hosts)),
                     short_text(Dimension::kBytes, result.read_bytes), large_count(result.requests));
}

std::string title(const std::string& name, const std::string& line, const TextStyle& style) {
  return toned(wrapped(printable(name), 0, 0), Tone::kStrong, style) + "\n" + wrapped(printable(line), 0, 0) + "\n\n";
}

std::string money_or_unknown(const std::optional<Money>& money) { return money ? money_text(*money) : "unknown"; }

// --- several jobs ---

std::string time_or_none(double time_s) { return std::isfinite(time_s) ? duration_text(time_s) : "no end"; }

std::string whole_percent(double fraction) { return fmt::format("{:.0f} %", 100.0 * fraction); }

std::string jobs_table(const SharedResult& result, const SharedCost& cost, const TextStyle& style) {
  const std::string header = left_column("Job", kJobColumns) + right_column("alone", 9) + right_column("together", 10) +
                             right_column("slower", 8) + right_column("GPUs busy", 14) + right_column("bill", 14);
  std::string out = header + "\n";
  for (std::size_t j = 0; j < result.jobs.size(); ++j) {
    const SharedJob& job = result.jobs[j];
    const std::string busy = job.serves ? "-"
                                        : whole_percent(job.alone.gpu_utilization.mean) + " > " +
                                              whole_percent(job.together.gpu_utilization.mean);
    const std::string slower = fmt::format("{:.2f} x", job.slowdown);
    out += left_column(printable(job.name), kJobColumns - 1) + " " + right_column(time_or_none(job.alone_s), 9) +
           right_column(time_or_none(job.together_s), 10) +
           toned(right_column(slower, 8), job.slowdown > 1.05 ? Tone::kWarn : Tone::kPlain, style) +
           right_column(busy, 14) + right_column(money_or_unknown(cost.together[j].total()), 14) + "\n";
  }
  out += "\n";
  for (std::size_t j = 0; j < result.jobs.size(); ++j) {
    const std::optional<Money> alone = cost.alone[j].total();
    if (!alone) continue;
    out += labelled(j == 0 ? "Alone" : "",
                    fmt::format("{} for {} on storage of its own", money_text(*alone), printable(result.jobs[j].name)));
  }
  return out + "\n";
}

std::string timeline_block(const SharedResult& result) {
  std::string out = "Concurrent jobs over time, each with its speed relative to running alone\n";
  for (const SharedSpan& span : result.spans) {
    std::string who;
    for (const SharedSpan::Part& part : span.parts) {
      who += fmt::format("{}{} {}", who.empty() ? "" : ", ", printable(result.jobs[part.job].name),
                         whole_percent(part.rate));
    }
    const std::string when = fmt::format("{} to {}", duration_text(span.start_s),
                                         std::isfinite(span.end_s) ? duration_text(span.end_s) : "...");
    out += "  " + left_column(when, 22) + " " + wrapped(who, 25, 25) + "\n";
  }
  return out + "\n";
}

std::string loads_block(const SharedResult& result) {
  std::string out;
  for (const SharedJob& job : result.jobs) {
    if (!job.serves) continue;
    out += labelled("All ready", fmt::format("{}: {}", printable(job.name), ready_text(job.serving_together)));
    out += labelled("", fmt::format("reading {}", rate_text(job.serving_together)));
  }
  return out.empty() ? "" : out + "\n";
}

std::string storage_block(const SharedResult& result, const SharedCost& cost) {
  std::string out;
  if (!cost.storage.lines.empty()) {
    std::string text = money_or_unknown(cost.storage.category_total(CostCategory::kStorage)) + ":";
    for (std::size_t j = 0; j < result.jobs.size(); ++j)
      text += fmt::format("{} {} for {}", j == 0 ? "" : ",", percent(cost.storage_share[j]),
                          printable(result.jobs[j].name));
    out += labelled("Storage", text);
  }
  for (const std::string& note : cost.notes) out += labelled(out.empty() ? "Storage" : "", note);
  return out.empty() ? "" : out + "\n";
}

std::string bills_block(const SharedResult& result, const SharedCost& cost, const TextStyle& style) {
  std::string out;
  for (std::size_t j = 0; j < result.jobs.size(); ++j)
    out += toned(printable(result.jobs[j].name), Tone::kStrong, style) + "\n" + render_cost(cost.together[j], style) +
           "\n";
  return out;
}

}  // namespace

std::string render_text(const ResolvedScenario& resolved, const ServingResult& result, const CostBreakdown& cost,
                        const TextStyle& style, const ServingRanges& ranges) {
  const Scenario& s = resolved.scenario;
  const AssumedOfLoad assumed{resolved, result, ranges};
  std::string out =
      title(s.name.empty() ? "Loading a model" : s.name, load_text(s) + ", " + storage_text(s.storage), style);
  out +=
      labelled("All ready", ready_text(result)) + range_line(assumed) + labelled("Reading", rate_text(result)) + "\n";
  out += waits_block(result, style);
  if (result.bound_s > 0.0) {
    const char* luck = result.complete && result.last_ready_s < result.bound_s
                           ? ". It knows mean latencies; those drawn here were shorter."
                           : "";
    out += labelled("Lower bound", fmt::format("{}, set by {}{}", duration_text(result.bound_s),
                                               resource_label(result.bound_resource), luck));
  }
  out += labelled("Bottleneck", spoken_with_name(serving_limit(result))) +
         labelled("Change first", load_remedy(limit_of(result)));
  out += "\n" + assumed_inputs_block(assumed) + render_cost(cost, style);
  const std::string run = fmt::format("{} of {} hosts, {} events in {}", result.simulated_hosts, result.hosts,
                                      result.events, duration_text(result.wall_s));
  if (result.complete) return out + "\n" + toned("Simulated: " + run + ".", Tone::kDim, style) + "\n";
  return out + "\n" + ending_text(false, result.stopped, run, style);
}

std::string render_text(const ResolvedScenario& resolved, const SharedResult& result, const SharedCost& cost,
                        const TextStyle& style, const JobsRanges& ranges) {
  const Scenario& first = resolved.scenario;
  std::string out = title(first.name.empty() ? "Jobs on one storage" : first.name,
                          fmt::format("{} jobs on {}", result.jobs.size(), storage_text(first.storage)), style);
  const AssumedOfJobs assumed{resolved, result, cost, ranges};
  out += jobs_table(result, cost, style) + ranges_block(assumed) + timeline_block(result) + loads_block(result) +
         storage_block(result, cost) + assumed_inputs_block(assumed) + bills_block(result, cost, style);
  const std::string run = fmt::format("{} events in {}", result.events, duration_text(result.wall_s));
  return out + ending_text(result.converged, result.stopped, run, style);
}

}  // namespace stallcast
