// The tour by keys, and what About says.
#include "gui/tour/tour.h"

#include <QLabel>
#include <QMainWindow>
#include <QPushButton>
#include <QSettings>
#include <QTest>
#include <QTextBrowser>
#include <QTextTable>

#include "core/result/program_version.h"
#include "gui/about/about_dialog.h"
#include "tests/gui/gui_fixture.h"
#include "tests/gui/gui_test.h"

namespace stallcast::gui {

class TourTest : public QObject {
  Q_OBJECT
 private slots:
  void init();
  void keysGoThroughIt();
  void itIsTwoMinutesLong();
  void whatAPersonChangedStays();
  void itCanBeLeftAtAnyStep();
  void unsavedWorkIsLeftAlone();
  void aboutNamesVersionsAndLicences();

 private:
  std::unique_ptr<Session> session_;
  std::unique_ptr<QMainWindow> window_;
};

void TourTest::init() {
  window_.reset();
  QSettings().clear();
  session_ = std::make_unique<Session>(shippedCatalogue());
  window_ = std::make_unique<QMainWindow>();
  window_->resize(1280, 800);
  window_->show();
}

void TourTest::keysGoThroughIt() {
  QPointer<Tour> tour = Tour::begin(*window_, *session_);
  QVERIFY(tour != nullptr);
  QVERIFY(session_->document().path().endsWith("01_headline_parallelstore.json"));
  QCOMPARE(tour->step(), 0);
  const QString first = tour->findChild<QLabel*>("tourTitle")->text();
  QTest::keyClick(tour, Qt::Key_Return);
  QCOMPARE(tour->step(), 1);
  QVERIFY(tour->findChild<QLabel*>("tourTitle")->text() != first);
  QTest::keyClick(tour, Qt::Key_Left);
  QCOMPARE(tour->step(), 0);
  QTest::mouseClick(tour->findChild<QPushButton*>("tourNext"), Qt::LeftButton);
  while (tour->step() + 1 < tour->steps()) QTest::keyClick(tour, Qt::Key_Right);
  QCOMPARE(session_->selection().key(), QStringLiteral("client_cap"));
  QCOMPARE(session_->document().file().scenario.cluster.nodes, std::int64_t{8});
  QTest::keyClick(tour, Qt::Key_Return);
  QTRY_VERIFY_WITH_TIMEOUT(tour.isNull(), kLongest);
  // The example is as it was: nobody is asked whether to save what the tour did to it.
  QCOMPARE(session_->document().file().scenario.cluster.nodes, std::int64_t{4});
  QVERIFY(!session_->document().isModified());
}

// What a person changed on the way stays, and so does what led there.
void TourTest::whatAPersonChangedStays() {
  QPointer<Tour> tour = Tour::begin(*window_, *session_);
  while (tour->step() + 1 < tour->steps()) QTest::keyClick(tour, Qt::Key_Right);
  QVERIFY(session_->document().setValue("/loader/num_workers", "3"));
  QTest::keyClick(tour, Qt::Key_Return);
  QTRY_VERIFY_WITH_TIMEOUT(tour.isNull(), kLongest);
  QCOMPARE(session_->document().file().scenario.cluster.nodes, std::int64_t{8});
  QCOMPARE(session_->document().file().scenario.loader.num_workers, std::int64_t{3});
}

// At 200 words a minute, and some seconds a step to look.
void TourTest::itIsTwoMinutesLong() {
  int words = 0;
  const auto steps = tourSteps();
  for (const TourStep& step : steps) words += static_cast<int>(step.text.split(' ').size());
  const double minutes = words / 200.0 + static_cast<double>(steps.size()) * 4.0 / 60.0;
  QVERIFY(minutes > 0.5 && minutes <= 2.0);
}

void TourTest::itCanBeLeftAtAnyStep() {
  QPointer<Tour> tour = Tour::begin(*window_, *session_);
  QTest::keyClick(tour, Qt::Key_Right);
  QTest::keyClick(tour, Qt::Key_Escape);
  QTRY_VERIFY_WITH_TIMEOUT(tour.isNull(), kLongest);
  tour = Tour::begin(*window_, *session_);
  QTest::mouseClick(tour->findChild<QPushButton*>("tourSkip"), Qt::LeftButton);
  QTRY_VERIFY_WITH_TIMEOUT(tour.isNull(), kLongest);
  QVERIFY(window_->findChild<QFrame*>("tourFrame") == nullptr);
}

void TourTest::unsavedWorkIsLeftAlone() {
  session_->document().setValue("/loader/num_workers", "3");
  QVERIFY(Tour::begin(*window_, *session_) == nullptr);
  QCOMPARE(session_->document().file().scenario.loader.num_workers, std::int64_t{3});
}

void TourTest::aboutNamesVersionsAndLicences() {
  AboutDialog about;
  about.show();
  const QString text = about.findChild<QTextBrowser*>("aboutText")->toPlainText();
  const std::string version(program_version());
  QVERIFY(about.findChild<QLabel*>("aboutVersion")->text().contains(QString::fromStdString(version)));
  for (const char* word : {"Apache License 2.0", "GNU GPL, version 3", "Qt Charts", "Boost", "yaml-cpp"})
    QVERIFY2(text.contains(QString::fromUtf8(word)), word);
  QVERIFY(text.contains(QString::fromUtf8(qVersion())));
  int parts = 0;
  for (QTextFrame* frame : about.findChild<QTextBrowser*>("aboutText")->document()->rootFrame()->childFrames()) {
    auto* table = qobject_cast<QTextTable*>(frame);
    for (int row = 0; table != nullptr && row < table->rows(); ++row, ++parts)
      for (int column = 0; column < 3; ++column)  // name, version, licence
        QVERIFY(!table->cellAt(row, column).firstCursorPosition().block().text().trimmed().isEmpty());
  }
  QVERIFY(parts >= 9);
  QTest::keyClick(&about, Qt::Key_Escape);
  QVERIFY(!about.isVisible());
}

}  // namespace stallcast::gui

STALLCAST_GUI_TEST(TourTest);
#include "tour_test.moc"
