// The page that the program begins with: from a few answers, or from an example, to a scenario.
#include <QCheckBox>
#include <QPointer>
#include <QPushButton>
#include <set>

#include "core/scenario/resolve/resolve.h"
#include "gui/main_window.h"
#include "gui/start/job_path.h"
#include "gui/start/start_dialog.h"
#include "tests/gui/gui_test.h"
#include "tests/gui/gui_window_fixture.h"

namespace stallcast::gui {

class StartTest : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() { useTestSettings("StartTest"); }
  void init();
  void fiveAnswersMakeAScenario();
  void whatIsLeftEmptyIsWhatStandsInGrey();
  void wrongAnswersAreSaidAndNothingChanges();
  void anExampleOpens();
  void cardsShowTheDataPath();
  void unsavedWorkIsAskedAbout();
  void itCanBeSwitchedOff();

 private:
  QComboBox* answer(const char* key) { return dialog_->findChild<QComboBox*>(QStringLiteral("start.") + key); }
  void tell(const char* key, const char* text) { answer(key)->setEditText(text); }
  void press(const char* name) { QTest::mouseClick(dialog_->findChild<QPushButton*>(name), Qt::LeftButton); }
  const Scenario& scenario() { return session_->document().file().scenario; }

  std::unique_ptr<Session> session_;
  std::unique_ptr<MainWindow> window_;
  QPointer<StartDialog> dialog_;
};

void StartTest::init() {
  window_.reset();
  session_ = std::make_unique<Session>(shippedCatalogue());
  window_ = std::make_unique<MainWindow>(*session_);
  window_->show();
  window_->findChild<QAction*>("startAction")->trigger();
  dialog_ = window_->findChild<StartDialog*>("startDialog");
  QVERIFY(dialog_ != nullptr && dialog_->isVisible());
}

void StartTest::fiveAnswersMakeAScenario() {
  tell("gpus", "16xH100");
  tell("instance", "p5.48xlarge");
  tell("model", "resnet50");
  tell("samples", "1.28M");
  tell("sample-size", "150KB");
  tell("storage", "FSx");
  press("start.describe");
  QTRY_VERIFY_WITH_TIMEOUT(dialog_.isNull(), kLongest);
  QCOMPARE(scenario().cluster.nodes, std::int64_t{2});
  QCOMPARE(QString::fromStdString(scenario().cluster.instance), QStringLiteral("p5.48xlarge"));
  QCOMPARE(scenario().dataset.samples, std::int64_t{1'280'000});
  QVERIFY(scenario().storage.tier.starts_with("fsx_lustre"));
  QVERIFY(session_->document().isModified());
}

void StartTest::whatIsLeftEmptyIsWhatStandsInGrey() {
  tell("model", "unet3d");
  const Told told = dialog_->told();
  for (const char* key : {"gpus", "instance", "sample-size", "storage", "epochs"}) {
    QVERIFY2(told.count(key) == 1, key);
    QCOMPARE(QString::fromStdString(told.at(key)), answer(key)->lineEdit()->placeholderText());
  }
  tell("gpus", "8xH100");  // machines are those that have them
  QVERIFY(answer("instance")->findText("p5.48xlarge") >= 0);
  tell("gpus", "8xV100");
  QVERIFY(answer("instance")->findText("p5.48xlarge") < 0);
}

void StartTest::wrongAnswersAreSaidAndNothingChanges() {
  const std::string before = scenario().workload.name;
  tell("model", "resnet50");
  tell("samples", "many");
  press("start.describe");
  const QString wrong = dialog_->findChild<QLabel*>("start.wrong")->text();
  QVERIFY2(wrong.contains("How many samples has the dataset?") && wrong.contains("many"), qPrintable(wrong));
  QVERIFY(dialog_->isVisible());
  QCOMPARE(scenario().workload.name, before);
}

void StartTest::anExampleOpens() {
  auto* list = dialog_->findChild<QListWidget*>("start.list");
  QVERIFY(list->count() >= 20);
  QVERIFY(!dialog_->findChild<QPushButton*>("start.open")->isEnabled());
  list->setCurrentRow(list->count() - 1);
  const QString path = list->currentItem()->data(Qt::UserRole).toString();
  press("start.open");
  QTRY_VERIFY_WITH_TIMEOUT(dialog_.isNull(), kLongest);
  QCOMPARE(session_->document().path(), path);
}

void StartTest::cardsShowTheDataPath() {
  const auto path_of = [this](const char* scenario) {
    const auto file = load_scenario(std::string(STALLCAST_SOURCE_DIR "/scenarios/") + scenario);
    return pathText(jobPath(resolve(*file.value, session_->catalogue()).value->scenario));
  };
  QCOMPARE(path_of("01_headline_parallelstore.json"), QString("File system → 4 nodes → 32 GPUs"));
  QCOMPARE(path_of("02_headline_gcs.json"), QString("Bucket → 4 nodes → 32 GPUs"));
  // Copied from a bucket, and what was read once is in the page cache.
  QCOMPARE(path_of("strategies/3_local_nvme_copy.json"), QString("Bucket → Own disks → Cache → 1 node → 8 GPUs"));
  QCOMPARE(path_of("weeks/serving_1000_hosts.json").section(" → ", 1), QString("1,000 nodes → 8,000 GPUs"));

  // What the answers describe so far.
  tell("gpus", "8xH100");
  tell("instance", "p5.48xlarge");
  tell("model", "resnet50");
  tell("storage", "s3_standard");
  const QString described = dialog_->findChild<QWidget*>("start.picture")->accessibleDescription();
  QVERIFY2(described.startsWith("Bucket → ") && described.endsWith("1 node → 8 GPUs"), qPrintable(described));

  // Each kind of station is a picture of its own, within its place.
  const QPalette palette;
  std::set<QByteArray> pictures;
  for (const StationKind kind : {StationKind::kBucket, StationKind::kFileSystem, StationKind::kOwnDisks,
                                 StationKind::kCache, StationKind::kNodes, StationKind::kGpus}) {
    QImage image(80, 80, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    drawPath(painter, {20.0, 20.0, 40.0, 40.0}, {{kind, QString()}}, palette);
    painter.end();
    QVERIFY(pictures.insert(QByteArray(reinterpret_cast<const char*>(image.constBits()), image.sizeInBytes())).second);
    for (int x = 0; x < image.width(); ++x)
      for (int y = 0; y < image.height(); ++y)
        if (!QRect(19, 19, 42, 42).contains(x, y)) QCOMPARE(image.pixel(x, y), QColor(Qt::white).rgb());
  }
}

void StartTest::unsavedWorkIsAskedAbout() {
  QVERIFY(session_->document().setValue("/loader/num_workers", "3"));
  tell("model", "resnet50");
  onNextDialog([](QWidget* question) { pressButton(question, QMessageBox::Cancel); });
  press("start.describe");
  QCOMPARE(scenario().loader.num_workers, std::int64_t{3});
  QVERIFY(dialog_->isVisible());
}

void StartTest::itCanBeSwitchedOff() {
  QVERIFY(StartDialog::isWanted());
  dialog_->findChild<QCheckBox*>("startAgain")->setChecked(false);
  QVERIFY(!StartDialog::isWanted());
  dialog_->findChild<QCheckBox*>("startAgain")->setChecked(true);
  QVERIFY(StartDialog::isWanted());
}

}  // namespace stallcast::gui

STALLCAST_GUI_TEST(StartTest);
#include "start_test.moc"
