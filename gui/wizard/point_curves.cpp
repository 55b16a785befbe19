#include "gui/wizard/point_curves.h"

#include <QHBoxLayout>
#include <algorithm>
#include <cmath>
#include <map>

#include "core/units/quantity_text.h"
#include "gui/charts/chart_widget.h"

namespace stallcast::gui {
namespace {

constexpr double kMega = 1e6, kMilli = 1e-3;

std::string lineName(const ReadPoint& point) {
  std::string name = access_pattern_name(point.pattern);
  std::replace(name.begin(), name.end(), '_', ' ');
  if (point.pattern != AccessPattern::kOpen && point.pattern != AccessPattern::kWholeFile)
    name += " " + format_quantity(Dimension::kBytes, std::round(point.request_bytes));
  return name;
}

bool isSame(const ReadPoint& a, const ReadPoint& b) {
  return a.pattern == b.pattern && a.request_bytes == b.request_bytes && a.in_flight == b.in_flight;
}

Chart overInFlight(const std::vector<ReadPoint>& points, double (*value)(const ReadPoint&)) {
  Chart chart;
  chart.kind = ChartKind::kLines;
  chart.x = {.title = "Requests in flight", .unit = "", .logarithmic = true, .from_zero = false, .categories = {}};
  std::map<std::string, std::size_t> lines;
  for (const ReadPoint& point : points) {
    const double y = value(point);
    if (y <= 0.0) continue;
    const std::string name = lineName(point);
    const auto [at, is_new] = lines.try_emplace(name, chart.series.size());
    if (is_new) chart.series.push_back({name, name, static_cast<int>(chart.series.size()), {}});
    ChartDatum datum;
    datum.x = point.in_flight;
    datum.y = y;
    datum.label = name;
    datum.key = name;
    chart.series[at->second].data.push_back(datum);
  }
  for (ChartSeries& series : chart.series)
    std::sort(series.data.begin(), series.data.end(),
              [](const ChartDatum& a, const ChartDatum& b) { return a.x < b.x; });
  return chart;
}

}  // namespace

Chart throughputChart(const std::vector<ReadPoint>& points) {
  Chart chart = overInFlight(points, [](const ReadPoint& point) { return point.bytes_per_s() / kMega; });
  chart.id = "probe-throughput";
  chart.title = "Throughput";
  chart.alt = points.empty() ? "Nothing measured yet" : "Throughput of each size of requests over requests in flight";
  chart.y = {.title = "Throughput", .unit = "MB/s", .logarithmic = true, .from_zero = false, .categories = {}};
  return chart;
}

Chart latencyChart(const std::vector<ReadPoint>& points) {
  Chart chart = overInFlight(points, [](const ReadPoint& point) { return point.latency.mean_s / kMilli; });
  chart.id = "probe-latency";
  chart.title = "Latency";
  chart.alt = points.empty() ? "Nothing measured yet" : "Mean time of a request over requests in flight";
  chart.y = {.title = "Mean latency", .unit = "ms", .logarithmic = true, .from_zero = false, .categories = {}};
  return chart;
}

PointCurves::PointCurves(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("pointCurves"));
  throughput_ = new ChartWidget(QStringLiteral("probeThroughput"), this);
  latency_ = new ChartWidget(QStringLiteral("probeLatency"), this);
  auto* const layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(throughput_, 1);
  layout->addWidget(latency_, 1);
  clear();
}

void PointCurves::clear() {
  points_.clear();
  throughput_->setChart(throughputChart(points_));
  latency_->setChart(latencyChart(points_));
}

void PointCurves::add(const ReadPoint& point) {
  const auto there =
      std::find_if(points_.begin(), points_.end(), [&](const ReadPoint& other) { return isSame(other, point); });
  if (there == points_.end()) {
    points_.push_back(point);
  } else {
    *there = point;
  }
  throughput_->setChart(throughputChart(points_));
  latency_->setChart(latencyChart(points_));
}

}  // namespace stallcast::gui
