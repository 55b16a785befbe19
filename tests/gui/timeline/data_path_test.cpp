// The data path: what it says of a job worked out by hand, keys and clicks, and the link to the other views.
#include <QLabel>
#include <QSignalSpy>
#include <QTest>

#include "gui/views/path/data_path_view.h"
#include "tests/gui/gui_fixture.h"
#include "tests/gui/gui_test.h"

namespace stallcast::gui {
namespace {

int edgeOf(const PathPicture& picture, std::string_view resource) {
  for (std::size_t i = 0; i < picture.edges.size(); ++i)
    if (picture.edges[i].limit.resource == resource) return static_cast<int>(i);
  return -1;
}

}  // namespace

class DataPathTest : public QObject {
  Q_OBJECT
 private slots:
  void flowsAndLimitsByHand();
  void textsHaveUnits();
  void theHeadlineIsHeldBackByItsClients();
  void keysGoAlongThePath();
  void aClickSelectsTheCauseEverywhere();
  void everythingFits_data();
  void everythingFits();
};

// 50 samples/s at most of 1 MB each; GPUs could do 100, and are busy half the time: 50 samples/s are 50 MB/s.
void DataPathTest::flowsAndLimitsByHand() {
  Answer answer;
  answer.bound.gpu_utilization = 0.5;
  answer.bound.samples_per_s = 50.0;
  answer.bound.tied = {"tier_bandwidth"};
  answer.estimated_utilization = 0.4;
  const PathPicture picture =
      pathPicture({{"tier_bandwidth", 50.0, 1e6, PathStage::kStorage}, {"gpu", 100.0, 0.0, PathStage::kGpu}}, answer);
  QCOMPARE(picture.samples_per_s, 40.0);
  QVERIFY(!picture.simulated);
  QCOMPARE(picture.edges[0].used, 0.8);
  QVERIFY(picture.edges[0].binding);
  QVERIFY(!picture.edges[1].binding);
  QCOMPARE(picture.edges[0].keys, QStringList({"tier_bandwidth", "tier_bandwidth"}));
  QCOMPARE(picture.edges[1].keys.front(), QStringLiteral("computing"));
  QVERIFY(picture.sentence().contains("storage bandwidth (40.0 of 50.0 MB/s, 80\u00a0% used)"));
}

void DataPathTest::textsHaveUnits() {
  const PathLimit tier{"tier_bandwidth", 685.0, 180e6, PathStage::kStorage};
  QCOMPARE(flowText(tier, 545.0, false), QStringLiteral("98.1 of 123 GB/s"));
  QCOMPARE(flowText(tier, 545.0, true), QStringLiteral("545 of 685 samples/s"));
  const PathLimit requests{"read_iops", 1234567.0, 0.0, PathStage::kStorage};
  QCOMPARE(flowText(requests, 0.5, false), QStringLiteral("0.500 of 1.23 M samples/s"));
  QCOMPARE(flowText(tier, 0.5, false), QStringLiteral("90.0 MB/s of 123 GB/s"));  // 0.5 x 180 MB
  QCOMPARE(usedText(0.0001), QStringLiteral("\u22480\u00a0% used"));
  QCOMPARE(usedText(0.0213), QStringLiteral("2.1\u00a0% used"));
  QCOMPARE(usedText(1.0), QStringLiteral("100\u00a0% used"));
}

// Four clients of 20 GB/s: 80 GB/s, of which the simulated job takes nearly all.
void DataPathTest::theHeadlineIsHeldBackByItsClients() {
  Session session(shippedCatalogue());
  DataPathView view(session);
  view.show();
  session.document().open(shippedScenario("01_headline_parallelstore.json"));
  QTRY_VERIFY_WITH_TIMEOUT(session.answer() && !session.isConverging(), kLongest);
  auto* const canvas = view.findChild<DataPathCanvas*>();
  QTRY_VERIFY_WITH_TIMEOUT(canvas->picture().simulated, kLongest);
  const PathPicture& picture = canvas->picture();
  const int clients = edgeOf(picture, "client_bandwidth");
  QVERIFY(clients >= 0);
  const PathEdge& edge = picture.edges[static_cast<std::size_t>(clients)];
  QVERIFY(edge.binding);
  QVERIFY(std::abs(edge.limit.capacity_per_s * edge.limit.bytes_per_sample - 80e9) < 1e6);
  QVERIFY(edge.used > 0.95 && edge.used <= 1.005);
  for (const PathEdge& other : picture.edges) QVERIFY(other.used <= 1.005);
  QVERIFY(view.findChild<QLabel*>("dataPathSentence")->text().contains("storage clients"));
}

void DataPathTest::keysGoAlongThePath() {
  DataPathCanvas canvas;
  PathPicture picture;
  for (const auto& [resource, stage] :
       std::initializer_list<std::pair<const char*, PathStage>>{{"read_iops", PathStage::kStorage},
                                                                {"tier_bandwidth", PathStage::kStorage},
                                                                {"nic", PathStage::kNetwork},
                                                                {"gpu", PathStage::kGpu}}) {
    PathEdge edge;
    edge.limit = {resource, 10.0, 0.0, stage};
    edge.label = QString::fromUtf8(resource);
    edge.keys << edge.label;
    picture.edges.push_back(edge);
  }
  canvas.setPicture(picture);
  canvas.resize(800, 300);
  canvas.show();
  QSignalSpy activated(&canvas, &DataPathCanvas::edgeActivated);
  canvas.setFocus();
  QTest::keyClick(&canvas, Qt::Key_Home);  // no key of its own
  QTest::keyClick(&canvas, Qt::Key_Left);
  QCOMPARE(canvas.current(), 0);
  QTest::keyClick(&canvas, Qt::Key_Down);
  QCOMPARE(canvas.current(), 1);
  QTest::keyClick(&canvas, Qt::Key_Down);
  QCOMPARE(canvas.current(), 1);
  QTest::keyClick(&canvas, Qt::Key_Right);
  QCOMPARE(canvas.current(), 2);
  QTest::keyClick(&canvas, Qt::Key_Right);
  QTest::keyClick(&canvas, Qt::Key_Right);
  QCOMPARE(canvas.current(), 3);
  QTest::keyClick(&canvas, Qt::Key_Return);
  QCOMPARE(activated.count(), 1);
  QCOMPARE(activated[0][0].toInt(), 3);
  QTest::keyClick(&canvas, Qt::Key_Left);
  QTest::keyClick(&canvas, Qt::Key_Left);
  QCOMPARE(canvas.current(), 0);  // the first of its stage
}

void DataPathTest::aClickSelectsTheCauseEverywhere() {
  const QTemporaryDir folder;
  Session session(shippedCatalogue());
  DataPathView view(session);
  view.resize(1200, 500);
  view.show();
  session.document().open(shippedScenario("01_headline_parallelstore.json"));
  auto* const canvas = view.findChild<DataPathCanvas*>();
  QTRY_VERIFY_WITH_TIMEOUT(!canvas->picture().edges.empty(), kLongest);
  const int clients = edgeOf(canvas->picture(), "client_bandwidth");
  const auto click = [&] {
    QTest::mouseClick(canvas->viewport(), Qt::LeftButton, {}, canvas->edgeRect(clients).center().toPoint());
  };
  click();
  QCOMPARE(session.selection().key(), QStringLiteral("client_cap"));
  click();
  QCOMPARE(session.selection().key(), QString());
  const QImage before = canvas->grab().toImage();
  session.selection().select("client_cap");
  QVERIFY(canvas->grab().toImage() != before);
}

// Alone in a window, and in half of it beside the scenario.
void DataPathTest::everythingFits_data() {
  QTest::addColumn<int>("width");
  QTest::newRow("whole") << 1280;
  QTest::newRow("half") << 640;
}

void DataPathTest::everythingFits() {
  QFETCH(int, width);
  Session session(shippedCatalogue());
  DataPathView view(session);
  view.resize(width, 800);
  view.show();
  session.document().open(shippedScenario("01_headline_parallelstore.json"));
  auto* const canvas = view.findChild<DataPathCanvas*>();
  QTRY_VERIFY_WITH_TIMEOUT(!canvas->picture().edges.empty(), kLongest);
  for (std::size_t i = 0; i < canvas->picture().edges.size(); ++i) {
    const QRectF rect = canvas->edgeRect(static_cast<int>(i));
    QVERIFY(QRectF(canvas->viewport()->rect()).adjusted(-1, -1, 1, 1).contains(rect));
    for (std::size_t j = 0; j < i; ++j)
      QVERIFY(!rect.adjusted(1, 1, -1, -1).intersects(canvas->edgeRect(static_cast<int>(j)).adjusted(1, 1, -1, -1)));
  }
}

}  // namespace stallcast::gui

STALLCAST_GUI_TEST(DataPathTest);
#include "data_path_test.moc"
