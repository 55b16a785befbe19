// What a frame of the timeline takes with two million spans, at every zoom: median and worst, in milliseconds.
#include <QApplication>
#include <QElapsedTimer>
#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

#include "gui/timeline/timeline_canvas.h"

using namespace stallcast;
using namespace stallcast::gui;

namespace {

// 64 lanes, each with a span, of any kind that a worker has, after the other.
Trace manySpans(std::int64_t count) {
  std::mt19937_64 dice(1);
  Trace trace;
  constexpr std::int64_t kLanes = 64;
  for (std::int64_t lane = 0; lane < kLanes; ++lane) {
    trace.tracks.push_back({lane / 8, "rank " + std::to_string(lane)});
    std::int64_t at = 0;
    for (std::int64_t i = 0; i < count / kLanes; ++i) {
      const auto length = static_cast<std::int64_t>(1'000'000 + dice() % 100'000'000);
      trace.spans.push_back(
          {at, at + length, static_cast<std::uint32_t>(lane), static_cast<TraceSpanKind>(dice() % 4), i});
      at += length;
    }
  }
  return trace;
}

void report(const char* what, std::vector<double> milliseconds) {
  std::sort(milliseconds.begin(), milliseconds.end());
  std::printf("%-32s median %6.2f ms, worst %6.2f ms\n", what, milliseconds[milliseconds.size() / 2],
              milliseconds.back());
}

}  // namespace

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  const QApplication application(argc, argv);
  QElapsedTimer timer;
  TimelineData data;
  timer.start();
  data.trace = makeTraceIndex(manySpans(2'000'000));
  std::printf("%zu spans, made in %lld ms\n", data.trace->spans, static_cast<long long>(timer.elapsed()));
  data.end_s = 1e6;
  for (const QSize size : {QSize(1280, 800), QSize(2560, 1440)}) {
    TimelineCanvas canvas;
    canvas.resize(size);
    canvas.setData(data);
    QImage target(size, QImage::Format_ARGB32_Premultiplied);
    for (const double width_s : {1e6, 1600.0, 160.0, 16.0, 1.0, 0.01}) {
      std::vector<double> frames;
      for (int i = 0; i < 30; ++i) {
        const double from_s = 10.0 * i;
        canvas.showRange(from_s, from_s + width_s);
        timer.start();
        canvas.render(&target);
        frames.push_back(static_cast<double>(timer.nsecsElapsed()) * 1e-6);
      }
      char what[64];
      std::snprintf(what, sizeof what, "%d x %d, %g s wide", size.width(), size.height(), width_s);
      report(what, std::move(frames));
    }
  }
  return 0;
}
