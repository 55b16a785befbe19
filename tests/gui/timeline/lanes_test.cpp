// Lanes against sums by hand and against brute force; the time axis.
#include <QTest>
#include <random>

#include "gui/timeline/counter_lane.h"
#include "gui/timeline/span_lane.h"
#include "gui/timeline/time_scale.h"
#include "gui/timeline/trace_index.h"
#include "tests/gui/gui_test.h"

namespace stallcast::gui {

class LanesTest : public QObject {
  Q_OBJECT
 private slots:
  void columnsAreSharesOfTheirTime();
  void columnsEqualBruteForceAtAnyZoom();
  void overlapsAreCut();
  void theSpanAtAMoment();
  void countersKeepTheirPeaks();
  void tracesBecomeLanesByNode();
  void ticksAreRound_data();
  void ticksAreRound();
  void labelsTellTicksApart();
  void durationsInTwoUnits();
};

// Kind 1 from 0 to 10, kind 2 from 10 to 15, nothing to 20: two columns of 10 ns.
void LanesTest::columnsAreSharesOfTheirTime() {
  const SpanLane lane({{10, 15, 2, -1}, {0, 10, 1, 7}});
  std::vector<LaneShares> columns(2);
  lane.columns(0.0, 10.0, columns);
  QCOMPARE(columns[0][1], 1.0F);
  QCOMPARE(columns[0][2], 0.0F);
  QCOMPARE(columns[1][1], 0.0F);
  QCOMPARE(columns[1][2], 0.5F);
  lane.columns(-5.0, 10.0, columns);  // begins before the lane does
  QCOMPARE(columns[0][1], 0.5F);
  QCOMPARE(columns[1][1], 0.5F);
  QCOMPARE(columns[1][2], 0.5F);
}

void LanesTest::columnsEqualBruteForceAtAnyZoom() {
  std::mt19937_64 dice(7);
  std::vector<LaneSpan> spans;
  std::int64_t at = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto gap = static_cast<std::int64_t>(dice() % 3 == 0 ? dice() % 200 : 0);
    const auto length = static_cast<std::int64_t>(1 + dice() % 300);
    spans.push_back({at + gap, at + gap + length, static_cast<std::uint8_t>(dice() % 4), i});
    at += gap + length;
  }
  const SpanLane lane(spans);
  std::vector<LaneShares> columns(64);
  for (const double width : {0.5, 3.0, 77.0, 1000.0, 20000.0}) {
    for (const double from : {-1000.0, 0.0, 12345.5, static_cast<double>(at) - 30.0 * width}) {
      lane.columns(from, width, columns);
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const double begin = from + static_cast<double>(c) * width, end = begin + width;
        LaneShares expected{};
        for (const LaneSpan& span : spans) {
          const double covered =
              std::min(end, static_cast<double>(span.end_ns)) - std::max(begin, static_cast<double>(span.begin_ns));
          if (covered > 0.0) expected[span.kind] += static_cast<float>(covered / width);
        }
        for (std::size_t k = 0; k < 4; ++k) QVERIFY(std::abs(columns[c][k] - expected[k]) < 1e-4F);
      }
    }
  }
}

void LanesTest::overlapsAreCut() {
  const SpanLane lane({{0, 10, 0, 1}, {5, 12, 1, 2}});
  QCOMPARE(lane.spans()[1].begin_ns, std::int64_t{10});
  QCOMPARE(lane.spans()[1].end_ns, std::int64_t{12});
}

void LanesTest::theSpanAtAMoment() {
  const SpanLane lane({{10, 20, 0, 1}, {30, 40, 1, 2}});
  QVERIFY(lane.at(9) == nullptr);
  QCOMPARE(lane.at(10)->number, std::int64_t{1});
  QVERIFY(lane.at(20) == nullptr);  // the end belongs to what follows
  QCOMPARE(lane.at(39)->number, std::int64_t{2});
  QVERIFY(lane.at(40) == nullptr);
  QCOMPARE(lane.firstAfter(25), std::size_t{1});
}

void LanesTest::countersKeepTheirPeaks() {
  std::vector<CounterStep> steps;
  for (int i = 0; i < 1000; ++i) steps.push_back({i * 10, i == 777 ? 50.0 : static_cast<double>(i % 5)});
  const CounterLane lane(steps);
  QCOMPARE(lane.greatest(), 50.0);
  QCOMPARE(lane.greatestIn(0, 10'000), 50.0);
  QCOMPARE(lane.greatestIn(7775, 7778), 50.0);  // still there between two steps
  QCOMPARE(lane.greatestIn(7780, 7790), 3.0);   // 778 mod 5
  QCOMPARE(lane.at(-1), 0.0);
  QCOMPARE(lane.at(25), 2.0);
}

void LanesTest::tracesBecomeLanesByNode() {
  Trace trace;
  trace.tracks = {{1, "rank 1"}, {0, "rank 0"}, {0, "queue"}, {0, "unused"}};
  trace.spans = {{0, 5, 0, TraceSpanKind::kCompute, 3}, {2, 9, 1, TraceSpanKind::kBarrier, 4}};
  trace.counters = {{4, 2, 6.0}};
  const auto index = makeTraceIndex(trace);
  QCOMPARE(index->lanes.size(), std::size_t{3});
  QCOMPARE(index->lanes[0].name, QStringLiteral("node 0: rank 0"));
  QVERIFY(index->lanes[1].isCounter());
  QCOMPARE(index->lanes[2].name, QStringLiteral("node 1: rank 1"));
  QCOMPARE(index->end_ns, std::int64_t{9});
  QCOMPARE(spanKindKey(TraceSpanKind::kBarrier), QStringLiteral("barrier"));
}

void LanesTest::ticksAreRound_data() {
  QTest::addColumn<double>("span_s");
  QTest::addColumn<double>("step_s");
  QTest::newRow("microseconds") << 1e-5 << 1e-6;  // at most ten ticks
  QTest::newRow("milliseconds") << 0.013 << 2e-3;
  QTest::newRow("seconds") << 12.0 << 2.0;
  QTest::newRow("minutes") << 700.0 << 120.0;
  QTest::newRow("hours") << 40000.0 << 7200.0;
  QTest::newRow("days") << 30.0 * 86400 << 5.0 * 86400;
  QTest::newRow("years") << 3000.0 * 86400 << 1000.0 * 86400;
}

void LanesTest::ticksAreRound() {
  QFETCH(double, span_s);
  QFETCH(double, step_s);
  QVERIFY(std::abs(tickStep(span_s, 10) - step_s) < 1e-9 * step_s);
  QVERIFY(ticks(0.3 * span_s, 1.3 * span_s, step_s).size() <= 11);
}

void LanesTest::labelsTellTicksApart() {
  QCOMPARE(tickLabel(2.0 * 86400, 86400.0), QStringLiteral("2 d"));
  QCOMPARE(tickLabel(90061.0, 1.0), QStringLiteral("1 d 1 h 1 min 1 s"));
  QCOMPARE(tickLabel(5400.0, 1800.0), QStringLiteral("1 h 30 min"));
  QCOMPARE(tickLabel(7200.0, 900.0), QStringLiteral("2 h"));
  QCOMPARE(tickLabel(0.0, 60.0), QStringLiteral("0 min"));
  QCOMPARE(tickLabel(0.0125, 0.0005), QStringLiteral("0.0125 s"));
}

void LanesTest::durationsInTwoUnits() {
  QCOMPARE(durationText(0.0024), QStringLiteral("2.4 ms"));
  QCOMPARE(durationText(61.0), QStringLiteral("1 min 1 s"));
  QCOMPARE(durationText(3600.0 * 2.5), QStringLiteral("2 h 30 min"));
  QCOMPARE(durationText(86400.0 * 3), QStringLiteral("3 d"));
  QCOMPARE(durationText(86399.9), QStringLiteral("24 h"));
}

}  // namespace stallcast::gui

STALLCAST_GUI_TEST(LanesTest);
#include "lanes_test.moc"
