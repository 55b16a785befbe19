// Charts of single results: time, money, the run timeline, and some steps of a run.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "core/report/charts/chart_parts.h"
#include "core/report/charts/charts.h"
#include "core/report/json/trace_json.h"
#include "core/report/words/kpi_text.h"
#include "core/report/words/text_layout.h"

namespace stallcast {
namespace {

constexpr double kWorthABar = 0.001;  // of the whole
constexpr double kRounding = 1e-9;    // what doubles may be off by, of the whole
constexpr double kPercent = 100.0;
constexpr int kGrey = 8;
constexpr int kTotalColour = 7;
constexpr std::string_view kOther = "other";  // key of what is too little for a bar of its own

constexpr std::size_t kCauses = static_cast<std::size_t>(LostTime::kCount);

double computing_fraction(const RunResult& result) {
  return 1.0 - std::accumulate(result.lost_fraction.begin(), result.lost_fraction.end(), 0.0);
}

// The cause that loses most of a result.
LostTime largest_cause(const RunResult& result) {
  const auto most = std::max_element(result.lost_fraction.begin(), result.lost_fraction.end());
  return static_cast<LostTime>(most - result.lost_fraction.begin());
}

std::string lost_time_title(const std::vector<NamedResult>& results) {
  if (results.empty()) return "Where the GPU time goes";
  if (results.size() == 1) {
    const RunResult& result = *results.front().result;
    const double lost = result.lost_fraction[static_cast<std::size_t>(largest_cause(result))];
    std::string text = fmt::format("GPUs compute {} of the time", percent(computing_fraction(result)));
    if (lost >= kWorthABar)
      text += fmt::format("; largest loss {}: {}", percent(lost), lost_time_phrase(largest_cause(result)));
    return text;
  }
  const auto less = [](const NamedResult& a, const NamedResult& b) {
    return computing_fraction(*a.result) < computing_fraction(*b.result);
  };
  const auto [least, most] = std::minmax_element(results.begin(), results.end(), less);
  return fmt::format("GPUs compute from {} of the time ({}) to {} ({})", percent(computing_fraction(*least->result)),
                     least->key, percent(computing_fraction(*most->result)), most->key);
}

std::string lost_time_alt(const std::vector<NamedResult>& results) {
  std::string alt = "Shares of GPU time.";
  for (const NamedResult& one : results) {
    std::vector<std::string> parts = {percent(computing_fraction(*one.result)) + " computing"};
    for (std::size_t c = 0; c < kCauses; ++c) {
      const double lost = one.result->lost_fraction[c];
      if (lost >= kWorthABar)
        parts.push_back(percent(lost) + " " + std::string(lost_time_phrase(static_cast<LostTime>(c))));
    }
    alt += " " + one.name + ": " + joined(parts) + ".";
  }
  return alt;
}

// A share of every result; nothing where it is a thousandth of none.
std::optional<ChartSeries> share_series(const std::vector<NamedResult>& results, std::string name, std::string key,
                                        int colour, double least,
                                        const std::function<double(const RunResult&)>& share) {
  ChartSeries series{std::move(name), std::move(key), colour, {}};
  bool matters = false;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const double fraction = share(*results[i].result);
    matters = matters || fraction >= least;
    ChartDatum datum;
    datum.x = static_cast<double>(i);
    datum.y = kPercent * fraction;
    datum.label = results[i].name + ": " + series.name;
    datum.key = series.key;
    series.data.push_back(std::move(datum));
  }
  return matters ? std::optional(std::move(series)) : std::nullopt;
}

}  // namespace

int computing_colour() { return 0; }

int cause_colour(LostTime cause) {
  switch (cause) {
    case LostTime::kStorageLatency:
      return 1;
    case LostTime::kTierBandwidth:
      return 2;
    case LostTime::kCpuDecode:
      return 3;
    case LostTime::kBarrier:
      return 4;
    case LostTime::kCheckpoint:
      return 5;
    case LostTime::kLoaderOrder:
      return 6;
    case LostTime::kStreamCap:
      return 7;
    case LostTime::kCacheBandwidth:
      return 9;
    case LostTime::kGpuDecode:
      return 10;
    case LostTime::kValidation:
      return 11;
    case LostTime::kLoaderOverhead:
      return 12;
    case LostTime::kHostToDevice:
      return 13;
    case LostTime::kClientCap:
      return 14;
    case LostTime::kRequestRate:
      return 15;
    case LostTime::kRework:
      return 8;
    default:
      return kGrey;
  }
}

Chart lost_time_chart(const std::vector<NamedResult>& results) {
  Chart chart;
  chart.id = "lost-time";
  chart.kind = ChartKind::kBars;
  chart.title = lost_time_title(results);
  chart.alt = lost_time_alt(results);
  chart.x = category_axis("");
  for (const NamedResult& one : results) chart.x.categories.push_back(one.name);
  chart.y = number_axis("GPU time", {"%", kPercent});
  const auto add = [&](std::optional<ChartSeries> series) {
    if (series) chart.series.push_back(std::move(*series));
  };
  add(share_series(results, "computing", "computing", computing_colour(), 0.0, computing_fraction));
  std::vector<std::size_t> small;
  for (std::size_t c = 0; c < kCauses; ++c) {
    const auto cause = static_cast<LostTime>(c);
    auto series = share_series(results, std::string(lost_time_phrase(cause)), std::string(lost_time_name(cause)),
                               cause_colour(cause), kWorthABar, [c](const RunResult& r) { return r.lost_fraction[c]; });
    if (!series) small.push_back(c);
    add(std::move(series));
  }
  const auto rest = [&](const RunResult& r) {
    return std::accumulate(small.begin(), small.end(), 0.0,
                           [&](double sum, std::size_t c) { return sum + r.lost_fraction[c]; });
  };
  add(share_series(results, "everything else", std::string(kOther), kGrey, kRounding, rest));
  return chart;
}

namespace {

struct MoneyBar {
  std::string name, key;
  double usd = 0.0;
};

std::string dollars_text(double usd) { return kpi_text(*find_kpi("cost.total_usd"), usd); }

// Bars from left to right that sum to `total`: those under a thousandth of it are one.
std::vector<MoneyBar> money_bars(const CostBreakdown& cost, double total) {
  std::vector<MoneyBar> bars = {{"computing", "computing", cost.useful_compute.to_double()}};
  MoneyBar rest{"everything else", std::string(kOther), 0.0};
  double sum = bars.front().usd;
  const auto add = [&](std::string name, std::string key, double usd) {
    sum += usd;
    if (usd < kWorthABar * total) {
      rest.usd += usd;
    } else {
      bars.push_back({std::move(name), std::move(key), usd});
    }
  };
  for (const LostDollars& lost : cost.lost) add(lost.phrase, lost.cause, lost.dollars.to_double());
  for (const CostCategory category :
       {CostCategory::kStorage, CostCategory::kRequests, CostCategory::kTransfer, CostCategory::kOverheads}) {
    const std::string name(cost_category_name(category));
    add(name, name, cost.category_total(category)->to_double());
  }
  rest.usd += total - sum;  // machines that neither compute nor wait, and what doubles round
  if (std::abs(rest.usd) > kRounding * total) bars.push_back(rest);
  return bars;
}

// That of the cause of lost time. What is bought beside GPU time has those of causes that come seldom: there are no
// more that can be told apart.
int money_colour(std::string_view key) {
  if (key == "computing") return computing_colour();
  for (std::size_t c = 0; c < kCauses; ++c)
    if (lost_time_name(static_cast<LostTime>(c)) == key) return cause_colour(static_cast<LostTime>(c));
  if (key == cost_category_name(CostCategory::kStorage)) return cause_colour(LostTime::kGpuDecode);
  if (key == cost_category_name(CostCategory::kRequests)) return cause_colour(LostTime::kValidation);
  if (key == cost_category_name(CostCategory::kTransfer)) return cause_colour(LostTime::kRequestRate);
  return kGrey;
}

// Computing comes first, then lost time in the order of its causes, what is bought beside, and what is left.
std::size_t place_in_bill(const CostBreakdown& cost, std::string_view key) {
  if (key == "computing") return 0;
  const auto found =
      std::find_if(cost.lost.begin(), cost.lost.end(), [&](const LostDollars& lost) { return lost.cause == key; });
  return 1 + static_cast<std::size_t>(found - cost.lost.begin()) + (key == kOther ? 1 : 0);
}

// Why there is no total.
std::string missing_money(const CostBreakdown& cost) {
  if (!cost.run_ends) return "There is no total: interruptions undo what the run does.";
  if (!cost.run_is_sized)
    return "There is no total: the length of the run is not given (dataset.samples or run.steps_per_epoch).";
  std::string text = "There is no total.";
  for (const UnknownCost& unknown : cost.unknown) text += " " + unknown_text(unknown) + ".";
  return text;
}

}  // namespace

Chart cost_waterfall_chart(const NamedResult& result) {
  const CostBreakdown& cost = *result.cost;
  Chart chart;
  chart.id = "cost-" + id_text(result.key);
  chart.kind = ChartKind::kWaterfall;
  chart.title = "What " + short_name(result.name) + " costs is not known";
  chart.x = category_axis("");
  chart.y = number_axis("Cost of the run", {"$", 1.0});
  const std::optional<Money> known = cost.total();
  if (!known) {
    chart.alt = missing_money(cost);
    return chart;
  }
  const double total = known->to_double();
  chart.title = fmt::format("{}: {} in total", short_name(result.name), dollars_text(total));
  if (const auto wasted = cost.wasted())
    chart.title += fmt::format(", {} of it for GPUs that did not compute", dollars_text(wasted->to_double()));
  std::vector<std::string> parts;
  const auto add = [&](const MoneyBar& bar, bool is_total) {
    ChartDatum datum;
    datum.x = static_cast<double>(chart.x.categories.size());
    datum.y = bar.usd;
    datum.label = bar.name;
    datum.key = bar.key;
    datum.chosen = is_total;
    chart.x.categories.push_back(bar.name);
    chart.series.push_back({bar.name, bar.key, is_total ? kTotalColour : money_colour(bar.key), {std::move(datum)}});
  };
  for (const MoneyBar& bar : money_bars(cost, total)) {
    add(bar, false);
    parts.push_back(dollars_text(bar.usd) + " " + bar.name);
  }
  add({"total", "total", total}, true);
  chart.alt = fmt::format("{} in all: {}.", dollars_text(total), joined(parts));
  return chart;
}

Chart cost_chart(const std::vector<NamedResult>& results) {
  Chart chart;
  chart.id = "cost";
  chart.kind = ChartKind::kBars;
  chart.title = "What the run costs is not known";
  chart.x = category_axis("");
  chart.y = number_axis("Cost of the run", {"$", 1.0});
  const auto series_of = [&](const MoneyBar& bar) -> ChartSeries& {
    const auto found = std::find_if(chart.series.begin(), chart.series.end(),
                                    [&](const ChartSeries& one) { return one.key == bar.key; });
    if (found != chart.series.end()) return *found;
    return chart.series.emplace_back(ChartSeries{bar.name, bar.key, money_colour(bar.key), {}});
  };
  const NamedResult *least = nullptr, *most = nullptr;
  for (const NamedResult& one : results) {
    const std::optional<Money> total = one.cost->total();
    chart.alt += (chart.alt.empty() ? "" : " ") + one.name + ": ";
    if (!total) {
      chart.alt += missing_money(*one.cost);
      continue;
    }
    if (least == nullptr || *total < *least->cost->total()) least = &one;
    if (most == nullptr || *most->cost->total() < *total) most = &one;
    const auto at = static_cast<double>(chart.x.categories.size());
    chart.x.categories.push_back(one.name);
    std::vector<std::string> parts;
    for (const MoneyBar& bar : money_bars(*one.cost, total->to_double())) {
      ChartSeries& series = series_of(bar);
      ChartDatum datum;
      datum.x = at;
      datum.y = bar.usd;
      datum.label = one.name + ": " + bar.name;
      datum.key = bar.key;
      series.data.push_back(std::move(datum));
      parts.push_back(dollars_text(bar.usd) + " " + bar.name);
    }
    chart.alt += fmt::format("{} in all: {}.", dollars_text(total->to_double()), joined(parts));
  }
  if (least == nullptr) return chart;
  std::stable_sort(chart.series.begin(), chart.series.end(), [&](const ChartSeries& one, const ChartSeries& other) {
    return place_in_bill(*least->cost, one.key) < place_in_bill(*least->cost, other.key);
  });
  chart.title = fmt::format("The run costs {}", dollars_text(least->cost->total()->to_double()));
  if (least != most)
    chart.title +=
        fmt::format(" ({}) to {} ({})", least->key, dollars_text(most->cost->total()->to_double()), most->key);
  return chart;
}

Chart goodput_chart(const TimelineResult& timeline) {
  Chart chart;
  chart.id = "goodput";
  chart.kind = ChartKind::kWaterfall;
  chart.title = "Nothing interrupts this run";
  chart.x = category_axis("");
  const std::array<double, kWallTimes>& times = timeline.mean.time_s;
  const double wall_s = std::accumulate(times.begin(), times.end(), 0.0);
  const ChartScale scale = chart_scale(Dimension::kTime, wall_s);
  chart.y = number_axis("Wall time", scale);
  if (timeline.replications == 0 || wall_s <= 0.0) {
    chart.alt = "One run is simulated: nothing interrupts it.";
    return chart;
  }
  ChartSeries series{"wall time", "wall_time", computing_colour(), {}};
  std::vector<std::string> parts;
  const auto add = [&](std::string name, std::string key, double time_s, bool is_total) {
    ChartDatum datum;
    datum.x = static_cast<double>(chart.x.categories.size());
    datum.y = scale.factor * time_s;
    datum.label = name;
    datum.key = std::move(key);
    datum.chosen = is_total;
    chart.x.categories.push_back(std::move(name));
    series.data.push_back(std::move(datum));
  };
  std::size_t most = 0;  // of what is not training; 0 is training
  for (std::size_t w = 0; w < kWallTimes; ++w) {
    if (times[w] <= 0.0) continue;
    const auto what = static_cast<WallTime>(w);
    add(std::string(wall_time_phrase(what)), std::string(wall_time_name(what)), times[w], false);
    parts.push_back(duration_text(times[w]) + " " + std::string(wall_time_phrase(what)));
    if (what != WallTime::kTraining && (most == 0 || times[w] > times[most])) most = w;
  }
  add("total", "total", wall_s, true);
  chart.title = fmt::format("{} of the wall time is training that was kept", percent(times[0] / wall_s));
  if (most != 0)
    chart.title +=
        fmt::format("; most else is {}: {}", wall_time_phrase(static_cast<WallTime>(most)), duration_text(times[most]));
  chart.alt = fmt::format("{} in total, the mean of {} simulated runs: {}.", duration_text(wall_s),
                          timeline.replications, joined(parts));
  chart.series.push_back(std::move(series));
  return chart;
}

namespace {

constexpr double kNsPerS = 1e9;

int span_colour(TraceSpanKind kind) {
  switch (kind) {
    case TraceSpanKind::kCompute:
      return computing_colour();
    case TraceSpanKind::kRead:
      return cause_colour(LostTime::kTierBandwidth);
    case TraceSpanKind::kDecode:
    case TraceSpanKind::kGpuDecode:
      return cause_colour(LostTime::kCpuDecode);
    case TraceSpanKind::kWaitData:
      return cause_colour(LostTime::kStorageLatency);
    case TraceSpanKind::kBarrier:
      return cause_colour(LostTime::kBarrier);
    case TraceSpanKind::kCheckpoint:
    case TraceSpanKind::kValidation:
      return cause_colour(LostTime::kCheckpoint);
    case TraceSpanKind::kNext:
    case TraceSpanKind::kHandOff:
    case TraceSpanKind::kHostToDevice:
      return cause_colour(LostTime::kLoaderOverhead);
    case TraceSpanKind::kStartup:
      break;
  }
  return kGrey;
}

std::string lane_name(const TraceTrack& track) {
  return track.node <= 0 ? track.name : fmt::format("node {} {}", track.node, track.name);
}

}  // namespace

Chart timeline_chart(const Trace& trace, double from_s, double to_s) {
  Chart chart;
  chart.id = "timeline";
  chart.kind = ChartKind::kTimeline;
  const ChartScale scale = chart_scale(Dimension::kTime, to_s);
  chart.x = number_axis("Time of the run", scale);
  chart.x.from_zero = false;
  chart.y = category_axis("");
  std::map<std::uint32_t, std::size_t> lane_of;  // of a track, in the order of the tracks
  const auto is_inside = [&](const TraceSpan& span) {
    return static_cast<double>(span.end_ns) > from_s * kNsPerS && static_cast<double>(span.begin_ns) < to_s * kNsPerS;
  };
  for (const TraceSpan& span : trace.spans)
    if (is_inside(span)) lane_of[span.track] = 0;
  for (auto& [track, lane] : lane_of) {
    lane = chart.y.categories.size();
    chart.y.categories.push_back(lane_name(trace.tracks.at(track)));
  }
  std::map<TraceSpanKind, ChartSeries> series;
  std::map<TraceSpanKind, double> time_s;
  for (const TraceSpan& span : trace.spans) {
    if (!is_inside(span)) continue;
    const double low_s = std::max(from_s, static_cast<double>(span.begin_ns) / kNsPerS);
    const double high_s = std::min(to_s, static_cast<double>(span.end_ns) / kNsPerS);
    const std::string name(trace_span_name(span.kind));
    ChartSeries& of_kind =
        series.try_emplace(span.kind, ChartSeries{name, name, span_colour(span.kind), {}}).first->second;
    ChartDatum datum;
    datum.x = datum.low.emplace(scale.factor * low_s);
    datum.high = scale.factor * high_s;
    datum.y = static_cast<double>(lane_of[span.track]);
    datum.label = span.batch < 0 ? name : fmt::format("{} {}", name, span.batch);
    datum.key = name;
    of_kind.data.push_back(std::move(datum));
    time_s[span.kind] += high_s - low_s;
  }
  std::vector<std::string> parts;
  for (auto& [kind, one] : series) {
    parts.push_back(fmt::format("{} {}", one.name, duration_text(time_s[kind])));
    chart.series.push_back(std::move(one));
  }
  chart.title = fmt::format("What each process does in {} of the run, from {} on", duration_text(to_s - from_s),
                            duration_text(from_s));
  chart.alt =
      fmt::format("{} lanes; in all: {}.", chart.y.categories.size(), parts.empty() ? "nothing" : joined(parts));
  return chart;
}

}  // namespace stallcast
