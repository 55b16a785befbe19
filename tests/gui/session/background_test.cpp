// Work off the window's thread: how it shares the processors, and that its last words arrive.
#include "gui/session/background.h"

#include <sys/resource.h>
#include <unistd.h>

#include <QTest>

#include "gui/views/feed.h"
#include "tests/gui/gui_fixture.h"
#include "tests/gui/gui_test.h"

namespace stallcast::gui {

class BackgroundTest : public QObject {
  Q_OBJECT
 private slots:
  void whatMeasuresIsNotSteppedBehind();
  void itemsOutliveTheirFeed();
};

void BackgroundTest::whatMeasuresIsNotSteppedBehind() {
#ifdef __linux__
  const auto nice_of_this_thread = [] { return getpriority(PRIO_PROCESS, static_cast<id_t>(gettid())); };
  const int window = nice_of_this_thread();
  Background background;
  for (int round = 0; round < 3; ++round) {  // whatever a thread of a pool did before
    int computes = -1000, measures = -1000;
    background.run<int>(
        "computes", this, [&](const std::stop_token&) { return nice_of_this_thread(); },
        [&](int nice) { computes = nice; });
    background.run<int>(
        "measures", this, [&](const std::stop_token&) { return nice_of_this_thread(); },
        [&](int nice) { measures = nice; }, Background::Pace::kLikeTheWindow);
    QTRY_VERIFY_WITH_TIMEOUT(background.isIdle(), kLongest);
    QVERIFY(computes > window || window >= 10);
    QCOMPARE(measures, window);
  }
#else
  QSKIP("threads have no such number here");
#endif
}

// Put just before the work ended, so that the feed is gone before the window's thread looks.
void BackgroundTest::itemsOutliveTheirFeed() {
  QObject receiver;
  std::vector<int> taken;
  auto feed = Feed<int>::make(
      &receiver, [&](const std::vector<int>& items) { taken.insert(taken.end(), items.begin(), items.end()); });
  feed->put(1);
  feed->put(2);
  feed.reset();
  QVERIFY(taken.empty());
  QCoreApplication::processEvents();
  QCOMPARE(taken, (std::vector<int>{1, 2}));
}

}  // namespace stallcast::gui

STALLCAST_GUI_TEST(BackgroundTest);
#include "background_test.moc"
