// The report in the window: the one that the command line writes, seen and saved.
#include "gui/report/report_view.h"

#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QtTest>

#include "core/answers/report_file.h"
#include "core/report/review/review_document.h"
#include "tests/gui/gui_test.h"
#include "tests/gui/views/views_fixture.h"

namespace stallcast::gui {
namespace {

QString statusOf(const ReportView& view) { return view.findChild<QLabel*>("report.status")->text(); }

QString textOf(const ReportView& view) { return view.findChild<ReportPage*>("report.page")->toPlainText(); }

// A number as the data of a report has it, where its text stands in the page.
void collect(const Section& section, std::vector<Words>& numbers) {
  const auto add = [&](const Text& text) {
    for (const Words& words : text)
      if (words.value) numbers.push_back(words);
  };
  for (const Block& block : section.blocks) {
    if (const auto* paragraph = std::get_if<Paragraph>(&block)) add(paragraph->text);
    if (const auto* table = std::get_if<DocumentTable>(&block))
      for (const auto& row : table->rows)
        for (const Text& cell : row) add(cell);
  }
  for (const Section& part : section.parts) collect(part, numbers);
}

}  // namespace

class ReportViewTest : public QObject {
  Q_OBJECT
 private slots:
  void itIsTheReportOfTheCommandLine();
  void itFollowsTheScenario();
  void itIsSaved();
  void itStops();
};

void ReportViewTest::itIsTheReportOfTheCommandLine() {
  OpenSession open;
  const auto view = shownView<ReportView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  QVERIFY(!view->findChild<QPushButton*>("report.save")->isEnabled());
  view->make();
  QVERIFY(view->isRunning());
  QTRY_VERIFY_WITH_TIMEOUT(!view->isRunning(), kLongest);
  ReviewRequest request;
  request.files = {open.session.document().file()};
  request.accuracy = *load_accuracy(find_models_directory()).value;
  const auto document = review_document(*review(request, open.session.catalogue()).value);

  const QString first = textOf(*view);
  QVERIFY(first.contains(QString::fromStdString(document.sections.front().title)));
  std::vector<Words> numbers;
  collect(document.sections.front(), numbers);
  QVERIFY(numbers.size() > 5);
  for (const Words& number : numbers)
    QVERIFY2(first.contains(QString::fromStdString(number.text)), number.text.c_str());

  auto* const reader = view->findChild<QComboBox*>("report.reader");
  reader->setCurrentIndex(1);
  const QString all = textOf(*view);
  for (const Section& section : document.sections)
    QVERIFY2(all.contains(QString::fromStdString(section.title)), section.title.c_str());
  QVERIFY(all.size() > 2 * first.size());
  QVERIFY(all.contains("stallcast report "));  // how to make it again

  // Sections that are not ticked are left out, of the page and of what is saved.
  auto* const sections = view->findChild<QPushButton*>("report.sections");
  const QList<QAction*> offered = sections->menu()->actions();
  QCOMPARE(static_cast<std::size_t>(offered.size()), document.sections.size() - 1);
  QVERIFY(sections->isEnabled());
  offered.last()->trigger();
  QVERIFY(!textOf(*view).contains(QString::fromStdString(document.sections.back().title) + "\n"));
  QVERIFY(textOf(*view).size() < all.size());
  const QTemporaryDir folder;
  view->saveTo(folder.filePath("report.html"), false);
  QTRY_VERIFY_WITH_TIMEOUT(!view->isRunning(), kLongest);
  QFile saved(folder.filePath("report.html"));
  QVERIFY(saved.open(QIODevice::ReadOnly));
  const QByteArray page = saved.readAll();
  QVERIFY(!page.contains(("id=\"" + document.sections.back().id + "\"").c_str()));
  QVERIFY(page.contains(("id=\"" + document.sections[1].id + "\"").c_str()));
  offered.last()->trigger();
  QCOMPARE(textOf(*view), all);
}

void ReportViewTest::itFollowsTheScenario() {
  OpenSession open;
  const auto view = shownView<ReportView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  view->make();
  QTRY_VERIFY_WITH_TIMEOUT(!view->isRunning(), kLongest);
  const QString before = textOf(*view);
  QVERIFY(open.session.document().setValue("/workload/step_time", "35 ms"));
  QTRY_VERIFY_WITH_TIMEOUT(open.settled() && !view->isRunning() && textOf(*view) != before, kLongest);
}

void ReportViewTest::itIsSaved() {
  OpenSession open;
  const auto view = shownView<ReportView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  view->make();
  QTRY_VERIFY_WITH_TIMEOUT(!view->isRunning(), kLongest);
  const QTemporaryDir folder;
  for (const char* const name : {"report.html", "report.md", "report.json"}) {
    view->saveTo(folder.filePath(name), false);
    QTRY_VERIFY_WITH_TIMEOUT(!view->isRunning(), kLongest);
    QVERIFY2(QFileInfo(folder.filePath(name)).size() > 1000, name);
    QVERIFY(statusOf(*view).startsWith("Written"));
  }
  view->saveTo(folder.filePath("report.txt"), false);
  QVERIFY(!view->isRunning());
  QVERIFY(statusOf(*view).contains(".html, .pdf, .md or .json"));
  view->saveTo(folder.filePath("no/such/report.html"), false);
  QTRY_VERIFY_WITH_TIMEOUT(!view->isRunning(), kLongest);
  QVERIFY(!statusOf(*view).startsWith("Written"));
}

void ReportViewTest::itStops() {
  OpenSession open;
  const auto view = shownView<ReportView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  view->make();
  view->stop();
  QVERIFY(!view->isRunning());
  QCOMPARE(statusOf(*view), QString("Stopped."));
  QVERIFY(!view->findChild<QPushButton*>("report.save")->isEnabled());
  view->make();  // and goes while it works
}

}  // namespace stallcast::gui

using stallcast::gui::ReportViewTest;
STALLCAST_GUI_TEST(ReportViewTest);
#include "report_view_test.moc"
