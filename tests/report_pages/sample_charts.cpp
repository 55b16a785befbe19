#include <fmt/format.h>

#include <cmath>

#include "tests/report_pages/sample_document.h"

namespace stallcast::testing {
namespace {

ChartSeries series_of(const std::string& name, int colour, const std::vector<double>& values) {
  ChartSeries series{.name = name, .key = name, .colour = colour, .data = {}};
  for (std::size_t i = 0; i < values.size(); ++i)
    series.data.push_back({.x = static_cast<double>(i),
                           .y = values[i],
                           .low = {},
                           .high = {},
                           .label = name,
                           .key = name,
                           .chosen = i == 1});
  return series;
}

Chart bars() {
  return {.id = "lost-time",
          .title = "Three quarters of the GPU time of Filestore waits for storage",
          .alt = "GPU time by cause. Filestore Zonal computes 24.1 %, Parallelstore 91.3 %.",
          .kind = ChartKind::kBars,
          .x = {.title = "Option", .categories = {"Filestore Zonal, 10 TiB", "Parallelstore, 12 TiB, 16 workers"}},
          .y = {.title = "GPU time", .unit = "%"},
          .series = {series_of("computing", 0, {24.1, 91.3}),
                     series_of("storage latency: waiting for the first byte", 1, {8.2, 2.4}),
                     series_of("tier's bandwidth", 3, {61.0, 1.1}), series_of("checkpoints", 4, {4.5, 4.0}),
                     series_of("barrier", 7, {2.2, 1.2})},
          .rules = {{.at_x = false, .at = 90.0, .label = "target"}}};
}

Chart waterfall() {
  Chart chart{.id = "cost",
              .title = "Waiting for storage costs $4,310 of $18,900",
              .alt = "From $12,500 that computed to $18,900 in total.",
              .kind = ChartKind::kWaterfall,
              .x = {.title = "Cause",
                    .categories = {"computing", "storage latency: waiting for the first byte", "storage bandwidth",
                                   "checkpoints", "failures and repeated work", "storage itself", "total"}},
              .y = {.title = "Cost", .unit = "$"},
              .series = {series_of("cost", 0, {12500.0, 1210.0, 3100.0, 450.0, 780.0, 860.0, 18900.0})}};
  for (ChartDatum& datum : chart.series[0].data) {
    datum.chosen = datum.x == 0.0 || datum.x == 6.0;
    datum.label = chart.x.categories[static_cast<std::size_t>(datum.x)];
    datum.key = fmt::format("cause{}", datum.x);
  }
  return chart;
}

Chart curve() {
  Chart chart{.id = "capacity",
              .title = "Utilization stops growing at 108,000 GiB",
              .alt = "Utilization over capacity: 31 % at 12,000 GiB, 91 % from 108,000 GiB on.",
              .kind = ChartKind::kLines,
              .x = {.title = "Capacity", .unit = "GiB", .from_zero = false},
              .y = {.title = "Utilization", .unit = "%"},
              .series = {{.name = "Utilization", .key = "utilization", .colour = 0, .data = {}}},
              .rules = {{.at_x = true, .at = 108000.0, .label = "knee: 108,000 GiB"},
                        {.at_x = true, .at = 96000.0, .label = "as it is"},
                        {.at_x = false, .at = 90.0, .label = "target 90 %"}}};
  for (double gib = 12000.0; gib <= 180000.0; gib += 12000.0) {
    const double value = std::min(91.0, 10.0 + gib / 1340.0);
    chart.series[0].data.push_back({.x = gib,
                                    .y = value,
                                    .low = value - 2.5,
                                    .high = value + 2.0,
                                    .label = fmt::format("{} GiB", gib),
                                    .key = fmt::format("c{}", gib),
                                    .chosen = gib == 108000.0});
  }
  return chart;
}

Chart several_lines() {
  Chart chart{.id = "workers",
              .title = "More than 16 workers help Filestore no more",
              .alt = "Throughput over workers for three tiers.",
              .kind = ChartKind::kLines,
              .x = {.title = "Workers", .logarithmic = true},
              .y = {.title = "Throughput", .unit = "samples/s"}};
  const std::vector<std::string> names = {"Filestore", "Parallelstore", "Local SSD with a copy from the bucket"};
  for (int i = 0; i < 3; ++i) {
    ChartSeries line{
        .name = names[static_cast<std::size_t>(i)], .key = fmt::format("tier{}", i), .colour = i, .data = {}};
    for (double workers = 1.0; workers <= 64.0; workers *= 2.0)
      line.data.push_back({.x = workers,
                           .y = std::min(900.0 + 30.0 * i, 60.0 * workers),
                           .low = {},
                           .high = {},
                           .label = line.name,
                           .key = line.key});
    chart.series.push_back(line);
  }
  return chart;
}

Chart points() {
  Chart chart{.id = "pareto",
              .title = "Parallelstore at 48 TiB is the cheapest that keeps the target",
              .alt = "Cost against utilization of nine configurations.",
              .kind = ChartKind::kPoints,
              .x = {.title = "Total cost", .unit = "$", .from_zero = false},
              .y = {.title = "Utilization", .unit = "%", .from_zero = false},
              .series = {{.name = "Front", .key = "front", .colour = 0, .data = {}},
                         {.name = "Others", .key = "others", .colour = 7, .data = {}}},
              .rules = {{.at_x = false, .at = 85.0, .label = "at least 85 %"}}};
  for (int i = 0; i < 9; ++i) {
    const double share = i / 8.0;
    chart.series[i % 3 == 2 ? 1 : 0].data.push_back({.x = 14000.0 + 9000.0 * share * share,
                                                     .y = 60.0 + 34.0 * std::sqrt(share) - (i % 3 == 2 ? 8.0 : 0.0),
                                                     .low = 58.0 + 34.0 * std::sqrt(share) - (i % 3 == 2 ? 8.0 : 0.0),
                                                     .high = 61.0 + 34.0 * std::sqrt(share) - (i % 3 == 2 ? 8.0 : 0.0),
                                                     .label = fmt::format("Parallelstore {} TiB", 12 * (i + 1)),
                                                     .key = fmt::format("p{}", i),
                                                     .chosen = i == 3});
  }
  return chart;
}

Chart tornado() {
  Chart chart{.id = "tornado",
              .title = "The tier's first byte decides, the price hardly",
              .alt = "How far each input moves the cost of $18,900.",
              .kind = ChartKind::kRanges,
              .x = {.title = "Total cost", .unit = "$", .from_zero = false},
              .y = {.title = "Input",
                    .categories = {"first byte of the storage tier, 0.8 to 2.1 ms", "decode time per sample",
                                   "price of a GPU hour", "failures a day"}},
              .series = {{.name = "Total cost", .key = "cost", .colour = 5, .data = {}}},
              .rules = {{.at_x = true, .at = 18900.0, .label = "as given: $18,900"}}};
  const double half[] = {4100.0, 1500.0, 900.0, 120.0};
  for (int i = 0; i < 4; ++i)
    chart.series[0].data.push_back({.x = 18900.0,
                                    .y = static_cast<double>(i),
                                    .low = 18900.0 - half[i],
                                    .high = 18900.0 + 1.3 * half[i],
                                    .label = chart.y.categories[static_cast<std::size_t>(i)],
                                    .key = fmt::format("input{}", i)});
  return chart;
}

Chart timeline() {
  Chart chart{.id = "timeline",
              .title = "Two steps of node 0: the GPU waits for the last batch",
              .alt = "Spans of two seconds on five lanes.",
              .kind = ChartKind::kTimeline,
              .x = {.title = "Time", .unit = "s", .from_zero = false},
              .y = {.title = "Lane", .categories = {"gpu 0", "gpu 1", "worker 0", "worker 1", "worker 2"}}};
  const std::vector<std::string> names = {"compute", "wait for data", "read", "decode"};
  for (int i = 0; i < 4; ++i)
    chart.series.push_back({.name = names[static_cast<std::size_t>(i)],
                            .key = names[static_cast<std::size_t>(i)],
                            .colour = i,
                            .data = {}});
  for (int lane = 0; lane < 5; ++lane)
    for (int step = 0; step < 12; ++step) {
      const double begin = 4.0 + step / 6.0 + 0.01 * lane, middle = begin + 0.05 + 0.02 * ((step + lane) % 3);
      const std::size_t first = lane < 2 ? 0 : 2;
      const double y = lane;
      chart.series[first].data.push_back(
          {.x = begin, .y = y, .low = begin, .high = middle, .label = names[first], .key = names[first]});
      chart.series[first + 1].data.push_back({.x = middle,
                                              .y = y,
                                              .low = middle,
                                              .high = begin + 1.0 / 6.0,
                                              .label = names[first + 1],
                                              .key = names[first + 1]});
    }
  return chart;
}

Chart categories_as_points() {
  Chart chart{.id = "tiers",
              .title = "One value for each word of a field",
              .alt = "Utilization of three tiers with intervals.",
              .kind = ChartKind::kPoints,
              .x = {.title = "Tier", .categories = {"filestore_zonal", "parallelstore", "gcs_bucket_with_a_long_name"}},
              .y = {.title = "Utilization", .unit = "%"},
              .series = {series_of("Utilization", 0, {31.0, 91.0, 44.0})}};
  for (ChartDatum& datum : chart.series[0].data)
    datum.low = datum.y - 6.0, datum.high = datum.y + 4.0, datum.label = "";
  return chart;
}

Chart hostile() {
  Chart chart{.id = "hostile",
              .title = "<script>fail('title')</script> \"quoted\" & 'more'",
              .alt = "]]> --> </desc><script>fail(1)</script>"};
  chart.x.title = "Name";
  chart.y = {.title = "<b>Value</b>", .unit = "<i>"};
  chart.series = {
      {.name = "</script><script>fail('series')</script>", .key = "' onload='fail(2)", .colour = -3, .data = {}}};
  for (const std::string& text : hostile_texts()) {
    chart.series[0].data.push_back({.x = static_cast<double>(chart.x.categories.size()),
                                    .y = 1.0,
                                    .low = {},
                                    .high = {},
                                    .label = text,
                                    .key = text});
    chart.x.categories.push_back(text);
  }
  chart.rules = {{.at_x = false, .at = 0.5, .label = "<img src=x onerror=fail(3)>"}};
  return chart;
}

}  // namespace

std::vector<Chart> sample_charts() {
  Chart empty = waterfall();
  empty.id = "empty";
  empty.title = "No price is known";
  empty.alt = "Nothing to draw: no price of a GPU hour is given, so there is no bill.";
  empty.series.clear();
  return {bars(),    waterfall(), curve(), several_lines(), points(), tornado(), timeline(), categories_as_points(),
          hostile(), empty};
}

}  // namespace stallcast::testing
