// The curve of a probe as it appears: throughput over requests in flight, and how long one request took.
#pragma once

#include <QWidget>
#include <vector>

#include "core/probe/disk/read_point.h"
#include "core/report/charts/chart.h"

namespace stallcast::gui {

class ChartWidget;

class PointCurves : public QWidget {
  Q_OBJECT
 public:
  explicit PointCurves(QWidget* parent = nullptr);

  void clear();
  // A point of the same kind, size and number in flight takes the place of the one before.
  void add(const ReadPoint& point);
  const std::vector<ReadPoint>& points() const { return points_; }

 private:
  std::vector<ReadPoint> points_;
  ChartWidget *throughput_, *latency_;
};

// A line for each kind of request and size, over requests in flight.
Chart throughputChart(const std::vector<ReadPoint>& points);
Chart latencyChart(const std::vector<ReadPoint>& points);

}  // namespace stallcast::gui
