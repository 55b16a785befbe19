// Small charts of every kind, with numbers that are easy to follow.
#pragma once

#include "core/report/charts/chart.h"

namespace stallcast::gui {

inline ChartDatum datumAt(double x, double y, std::string label = "", std::string key = "") {
  ChartDatum datum;
  datum.x = x;
  datum.y = y;
  datum.label = std::move(label);
  datum.key = std::move(key);
  return datum;
}

// Two bars of 100 %: 60 + 30 + 10 and 80 + 15 + 5.
inline Chart barsChart() {
  Chart chart;
  chart.id = "bars";
  chart.title = "Where the time goes";
  chart.alt = "A bar for now and one for before";
  chart.kind = ChartKind::kBars;
  chart.x.categories = {"now", "before"};
  chart.y.title = "GPU time";
  chart.y.unit = "%";
  chart.series = {{"computing", "computing", 0, {datumAt(0, 60, "c now"), datumAt(1, 80, "c before")}},
                  {"latency", "storage_latency", 1, {datumAt(0, 30), datumAt(1, 15)}},
                  {"decode", "cpu_decode", 1, {datumAt(0, 10), datumAt(1, 5)}}};
  return chart;
}

// $50 + $30 + $20 = $100.
inline Chart waterfallChart() {
  Chart chart;
  chart.id = "cost";
  chart.title = "What it costs";
  chart.alt = "$100 in all";
  chart.kind = ChartKind::kWaterfall;
  chart.x.categories = {"computing", "storage latency: waiting for the first byte", "storage", "total"};
  chart.y = {"Cost", "$", false, true, {}};
  ChartSeries series{"cost", "now", 1, {}};
  const double dollars[] = {50.0, 30.0, 20.0, 100.0};
  const char* keys[] = {"computing", "storage_latency", "storage", "total"};
  for (int i = 0; i < 4; ++i) series.data.push_back(datumAt(i, dollars[i], chart.x.categories[i], keys[i]));
  series.data.back().chosen = true;
  chart.series = {series};
  return chart;
}

// Utilization over 1, 2, 4, 8 workers for two tiers, the first with a band of +-2.
inline Chart linesChart() {
  Chart chart;
  chart.id = "curve";
  chart.title = "More workers help until 4";
  chart.alt = "40 % at 1, 80 % at 4";
  chart.kind = ChartKind::kLines;
  chart.x = {"Workers", "", false, true, {}};
  chart.y = {"Utilization", "%", false, true, {}};
  ChartSeries a{"tier A", "a", 1, {}}, b{"tier B", "b", 2, {}};
  const double workers[] = {1.0, 2.0, 4.0, 8.0}, in_a[] = {40.0, 60.0, 80.0, 80.0}, in_b[] = {20.0, 35.0, 50.0, 60.0};
  for (int i = 0; i < 4; ++i) {
    a.data.push_back(datumAt(workers[i], in_a[i], "", "/loader/num_workers=" + std::to_string(i)));
    a.data.back().low = in_a[i] - 2.0;
    a.data.back().high = in_a[i] + 2.0;
    b.data.push_back(datumAt(workers[i], in_b[i]));
  }
  a.data[1].chosen = true;
  chart.series = {a, b};
  chart.rules = {{true, 4.0, "knee: 4"}, {false, 75.0, "target 75 %"}};
  return chart;
}

inline Chart pointsChart() {
  Chart chart;
  chart.id = "front";
  chart.title = "Trade-offs";
  chart.alt = "Three configurations";
  chart.kind = ChartKind::kPoints;
  chart.x = {"Total cost", "$", true, false, {}};
  chart.y = {"Utilization", "%", false, false, {}};
  chart.series = {{"keeps", "keeps", 1, {datumAt(100, 70, "small", "A"), datumAt(1000, 80, "large", "B")}},
                  {"misses", "misses", 7, {datumAt(10000, 90, "huge", "point-17")}}};
  chart.series[0].data[0].low = 65.0;
  chart.series[0].data[0].high = 75.0;
  chart.series[0].data[1].chosen = true;
  return chart;
}

// 70 as given, from 50 to 80 and from 68 to 71.
inline Chart rangesChart() {
  Chart chart;
  chart.id = "tornado";
  chart.title = "What it depends on";
  chart.alt = "Most on latency";
  chart.kind = ChartKind::kRanges;
  chart.x = {"Utilization", "%", false, false, {}};
  chart.y.categories = {"storage.latency", "dataset.decode_time"};
  ChartSeries series{"Utilization", "gpu_utilization", 1, {}};
  series.data = {datumAt(70, 0, "latency", "/storage/latency"), datumAt(70, 1, "decode", "/dataset/decode_time")};
  series.data[0].low = 50.0;
  series.data[0].high = 80.0;
  series.data[1].low = 68.0;
  series.data[1].high = 71.0;
  chart.series = {series};
  chart.rules = {{true, 70.0, "as given: 70 %"}};
  return chart;
}

// Two lanes of computing and waiting in turns.
inline Chart timelineChart() {
  Chart chart;
  chart.id = "timeline";
  chart.title = "Two ranks";
  chart.alt = "They take turns";
  chart.kind = ChartKind::kTimeline;
  chart.x = {"Time of the run", "s", false, false, {}};
  chart.y.categories = {"rank 0", "rank 1"};
  ChartSeries compute{"compute", "compute", 0, {}}, wait{"wait", "wait_data", 1, {}};
  for (int i = 0; i < 10; ++i) {
    ChartSeries& series = i % 2 == 0 ? compute : wait;
    for (int lane = 0; lane < 2; ++lane) {
      series.data.push_back(datumAt(10.0 * i, lane, series.name + " " + std::to_string(i), series.key));
      series.data.back().low = 10.0 * i;
      series.data.back().high = 10.0 * i + 10.0;
    }
  }
  chart.series = {compute, wait};
  return chart;
}

inline std::vector<Chart> everyKindOfChart() {
  return {barsChart(), waterfallChart(), linesChart(), pointsChart(), rangesChart(), timelineChart()};
}

}  // namespace stallcast::gui
