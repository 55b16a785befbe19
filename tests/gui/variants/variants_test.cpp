// Scenarios side by side by keys and clicks, and the models under Qt's own tester.
#include <QAbstractItemModelTester>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QTest>

#include "core/scenario/resolve/resolve.h"
#include "gui/variants/variants_panel.h"
#include "tests/gui/gui_fixture.h"
#include "tests/gui/gui_test.h"

namespace stallcast::gui {
namespace {

using Mode = QAbstractItemModelTester::FailureReportingMode;

QString cellText(const ComparisonTable& table, const QString& key, int column) {
  for (int row = 0; row < table.rowCount(); ++row)
    if (table.key(row) == key) return table.data(table.index(row, column), Qt::DisplayRole).toString();
  return QStringLiteral("no such row");
}

void click(QWidget& within, const char* name) {
  QTest::mouseClick(within.findChild<QPushButton*>(QString::fromUtf8(name)), Qt::LeftButton);
}

}  // namespace

class VariantsTest : public QObject {
  Q_OBJECT
 private slots:
  void init();
  void theListKeepsItsShape();
  void copiesStayAsTheyWere();
  void openingIsOneStepBack();
  void inputsThatDifferAreListedAtOnce();
  void comparingSaysWhatIsBetter();
  void anotherBaselineTurnsTheDifferences();
  void thereIsOneBaseline();
  void whatIsSeenIsComparedUnasked();
  void aRunningComparisonIsCancelled();
  void whatCannotBeComparedIsSaid();
  void differencesAreReadable();

 private:
  QTemporaryDir folder_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<VariantsPanel> panel_;
};

void VariantsTest::init() {
  panel_.reset();
  session_ = std::make_unique<Session>(shippedCatalogue());
  session_->document().open(writeFile(folder_, "job.json", kSmallJob));
  panel_ = std::make_unique<VariantsPanel>(*session_);
  panel_->resize(1000, 600);
  panel_->show();
}

void VariantsTest::theListKeepsItsShape() {
  VariantList list(session_->document());
  const QAbstractItemModelTester tester(&list, Mode::QtTest);
  QCOMPARE(list.rowCount(), 1);
  list.duplicate();
  list.duplicate();
  QCOMPARE(list.rowCount(), 3);
  QVERIFY(list.setData(list.index(1), QStringLiteral("few workers"), Qt::EditRole));
  QVERIFY(!list.setData(list.index(1), QStringLiteral("  "), Qt::EditRole));
  QVERIFY(!list.setData(list.index(0), QStringLiteral("x"), Qt::EditRole));
  list.setBaseline(2);
  QCOMPARE(list.data(list.index(2), Qt::DisplayRole).toString(), QStringLiteral("Variant 2 (baseline)"));
  QVERIFY(!list.setData(list.index(2), Qt::Unchecked, Qt::CheckStateRole));  // the baseline is always compared
  QVERIFY(list.setData(list.index(1), Qt::Unchecked, Qt::CheckStateRole));
  QVERIFY(!list.isCompared(1));
  list.removeVariant(1);
  QCOMPARE(list.baseline(), 1);
  list.removeVariant(1);
  QCOMPARE(list.baseline(), 0);
  list.removeVariant(0);  // the document stays
  QCOMPARE(list.rowCount(), 1);
}

void VariantsTest::copiesStayAsTheyWere() {
  click(*panel_, "duplicateVariant");
  session_->document().setValue("/loader/num_workers", "7");
  QCOMPARE(panel_->variants().file(1).scenario.loader.num_workers, std::int64_t{2});
  QCOMPARE(panel_->variants().file(0).scenario.loader.num_workers, std::int64_t{7});
}

void VariantsTest::openingIsOneStepBack() {
  click(*panel_, "duplicateVariant");
  session_->document().setValue("/loader/num_workers", "7");
  auto* const list = panel_->findChild<QListView*>("variantList");
  list->setFocus();
  QTest::keyClick(list, Qt::Key_Down);
  list->setCurrentIndex(panel_->variants().index(1));
  click(*panel_, "openVariant");
  QCOMPARE(session_->document().file().scenario.loader.num_workers, std::int64_t{2});
  session_->document().undoStack().undo();
  QCOMPARE(session_->document().file().scenario.loader.num_workers, std::int64_t{7});
  list->setCurrentIndex(panel_->variants().index(1));
  QTest::keyClick(list, Qt::Key_Delete);
  QCOMPARE(panel_->variants().rowCount(), 1);
}

void VariantsTest::inputsThatDifferAreListedAtOnce() {
  const QAbstractItemModelTester tester(&panel_->table(), Mode::QtTest);
  click(*panel_, "duplicateVariant");
  session_->document().setValue("/loader/num_workers", "7");
  QTRY_COMPARE_WITH_TIMEOUT(cellText(panel_->table(), "/loader/num_workers", 1), QStringLiteral("7"), kLongest);
  QCOMPARE(cellText(panel_->table(), "/loader/num_workers", 2), QStringLiteral("2"));
  QCOMPARE(cellText(panel_->table(), "/loader/num_workers", 0), QStringLiteral("Loader workers per GPU"));
  session_->document().setValue("/loader/num_workers", "2");
  QTRY_COMPARE_WITH_TIMEOUT(cellText(panel_->table(), "/loader/num_workers", 1), QStringLiteral("no such row"),
                            kLongest);
}

// 2 workers wait 2 ms for each of 4 samples, 8 ms a batch of a step of 10 ms; with 200 ms each a batch takes 800 ms.
void VariantsTest::comparingSaysWhatIsBetter() {
  const QAbstractItemModelTester tester(&panel_->table(), Mode::QtTest);
  click(*panel_, "duplicateVariant");
  QVERIFY(panel_->variants().setData(panel_->variants().index(1), QStringLiteral("fast"), Qt::EditRole));
  session_->document().setValue("/storage/latency", "200 ms");
  click(*panel_, "compareVariants");
  QTRY_VERIFY_WITH_TIMEOUT(panel_->table().rowCount() > 6 && !panel_->isComparing(), kLongest);
  const QString difference = cellText(panel_->table(), "gpu_utilization", 3);
  QVERIFY2(difference.startsWith("+") && difference.endsWith("points, better"), qPrintable(difference));
  QVERIFY(panel_->findChild<QLabel*>("compareSentence")->text().startsWith("Take fast:"));

  auto* const figures = panel_->findChild<QTableView*>("comparisonTable");
  figures->setFocus();
  figures->setCurrentIndex(panel_->table().index(1, 0));
  QCOMPARE(session_->selection().key(), QStringLiteral("gpu_utilization"));
  figures->setCurrentIndex(panel_->table().index(panel_->table().rowCount() - 1, 0));
  QCOMPARE(session_->selection().key(), QStringLiteral("/storage/latency"));
}

void VariantsTest::anotherBaselineTurnsTheDifferences() {
  click(*panel_, "duplicateVariant");  // and is chosen
  session_->document().setValue("/storage/latency", "200 ms");
  click(*panel_, "pinVariant");
  QCOMPARE(panel_->variants().baseline(), 1);
  click(*panel_, "compareVariants");
  QTRY_VERIFY_WITH_TIMEOUT(panel_->table().rowCount() > 6 && !panel_->isComparing(), kLongest);
  QVERIFY(cellText(panel_->table(), "gpu_utilization", 3).endsWith("points, worse"));
}

// What is pinned anywhere is the baseline everywhere.
void VariantsTest::thereIsOneBaseline() {
  VariantList& list = panel_->variants();
  QTRY_VERIFY_WITH_TIMEOUT(session_->answer() && session_->answer()->evaluation, kLongest);
  session_->pinBaseline();
  QCOMPARE(list.rowCount(), 2);
  QCOMPARE(list.baseline(), 1);
  session_->document().setValue("/storage/latency", "200 ms");
  QCOMPARE(list.file(1).scenario.loader.num_workers, std::int64_t{2});
  QTRY_VERIFY_WITH_TIMEOUT(!session_->isConverging(), kLongest);
  session_->pinBaseline();  // another one takes its place
  QCOMPARE(list.rowCount(), 2);
  // A variant is pinned for the headline, too, with an answer of its own.
  click(*panel_, "duplicateVariant");
  session_->document().setValue("/storage/latency", "1 ms");
  click(*panel_, "pinVariant");
  QCOMPARE(list.baseline(), 2);
  QTRY_VERIFY_WITH_TIMEOUT(session_->baseline() && session_->baseline()->evaluation, kLongest);
  QVERIFY(session_->baseline()->evaluation->result.gpu_utilization.mean < 0.1);
  session_->unpinBaseline();
  QCOMPARE(list.baseline(), 0);
  QCOMPARE(list.rowCount(), 2);  // the variant stays
  QVERIFY(!list.data(list.index(0), Qt::DisplayRole).toString().contains("baseline"));
}

void VariantsTest::whatIsSeenIsComparedUnasked() {
  QTRY_VERIFY_WITH_TIMEOUT(session_->answer() && session_->answer()->evaluation, kLongest);
  session_->pinBaseline();
  session_->document().setValue("/storage/latency", "200 ms");
  QTRY_VERIFY_WITH_TIMEOUT(cellText(panel_->table(), "gpu_utilization", 3).endsWith("worse"), kLongest);
  panel_->hide();
  session_->document().setValue("/storage/latency", "2 ms");
  QTRY_VERIFY_WITH_TIMEOUT(!session_->isConverging() && session_->background().isIdle(), kLongest);
  QVERIFY(cellText(panel_->table(), "gpu_utilization", 3).endsWith("worse"));  // nobody looked
  panel_->show();
  QTRY_COMPARE_WITH_TIMEOUT(cellText(panel_->table(), "gpu_utilization", 3), QStringLiteral("the same"), kLongest);
}

void VariantsTest::aRunningComparisonIsCancelled() {
  session_->document().open(shippedScenario("03_resnet50_parallelstore.json"));
  click(*panel_, "duplicateVariant");
  session_->document().setValue("/loader/num_workers", "3");
  click(*panel_, "compareVariants");
  QVERIFY(panel_->isComparing());
  auto* const button = panel_->findChild<QPushButton*>("compareVariants");
  QCOMPARE(button->text(), QStringLiteral("C&ancel"));
  QTest::mouseClick(button, Qt::LeftButton);
  QVERIFY(!panel_->isComparing());
  QCOMPARE(button->text(), QStringLiteral("Co&mpare"));
}

void VariantsTest::whatCannotBeComparedIsSaid() {
  click(*panel_, "duplicateVariant");
  session_->document().setValue("/storage/tier", "no-such-tier");
  QTRY_VERIFY_WITH_TIMEOUT(
      panel_->findChild<QLabel*>("compareSentence")->text().startsWith("Open document has an error"), kLongest);
  QCOMPARE(panel_->table().rowCount(), 0);
}

void VariantsTest::differencesAreReadable() {
  const Kpi& utilization = *find_kpi("gpu_utilization");
  QCOMPARE(differenceText(utilization, {0.121, 0.118, 0.124}), QStringLiteral("+12.1 ± 0.3 points, better"));
  QCOMPARE(differenceText(utilization, {-0.01, -0.02, 0.0}), QStringLiteral("≈ −1.0 ± 1.0 points"));
  QCOMPARE(differenceText(utilization, {0.0, 0.0, 0.0}), QStringLiteral("the same"));
}

}  // namespace stallcast::gui

STALLCAST_GUI_TEST(VariantsTest);
#include "variants_test.moc"
