// The wizard on a small real directory, and on a file of measurements; the import of workloads.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QTableWidget>
#include <QTest>
#include <csignal>

#include "gui/wizard/attach_dialog.h"
#include "gui/wizard/import_dlio_dialog.h"
#include "gui/wizard/probe_wizard.h"
#include "tests/gui/gui_fixture.h"
#include "tests/gui/gui_test.h"
#include "tests/gui/wizard/range_server.h"

namespace stallcast::gui {
namespace {

// Runs of fio on a virtual disk: small and large requests, few and many in flight.
QStringList fioFiles() {
  QStringList files;
  for (const char* name :
       {"randread_bs4k_qd2_nj1", "randread_bs4k_qd16_nj1", "randread_bs64k_qd1_nj1", "randread_bs64k_qd16_nj1",
        "randread_bs1m_qd1_nj1_smallpages", "randread_bs1m_qd8_nj1", "read_bs1m_qd1_nj1", "read_bs1m_qd8_nj1"})
    files << QStringLiteral(STALLCAST_SOURCE_DIR "/tests/validation/fio/io_uring_%1.json").arg(QString::fromUtf8(name));
  return files;
}

ReadPoint point(double in_flight, double bytes_per_s) {
  ReadPoint one;
  one.pattern = AccessPattern::kRandom;
  one.request_bytes = 4096.0;
  one.in_flight = in_flight;
  one.seconds = 1.0;
  one.bytes = bytes_per_s;
  one.requests = bytes_per_s / 4096.0;
  one.latency.mean_s = in_flight * 4096.0 / bytes_per_s;
  return one;
}

// Files in the folder of the first, typed into a file dialog.
void choose(QWidget& parent, const char* dialog_name, const QStringList& files) {
  auto* dialog = parent.findChild<QFileDialog*>(dialog_name);
  QVERIFY(dialog != nullptr);
  QTRY_VERIFY_WITH_TIMEOUT(dialog->isVisible(), kLongest);
  QString typed = files.size() == 1 ? files.first() : QString();
  if (files.size() > 1) {
    dialog->setDirectory(QFileInfo(files.first()).path());
    for (const QString& file : files) typed += QStringLiteral("\"%1\" ").arg(QFileInfo(file).fileName());
  }
  auto* name = dialog->findChild<QLineEdit*>("fileNameEdit");
  name->setText(typed);
  QTest::keyClick(name, Qt::Key_Return);
  QTRY_VERIFY_WITH_TIMEOUT(!dialog->isVisible(), kLongest);
}

// A process that reads nothing, until the end of the test. Not started by way of QProcess, which forks: from then on
// the thread sanitizer sees no locks of the thread that did, and takes what they guard for races.
struct Sleeper {
  Sleeper() {
    const char* const arguments[] = {"sleep", "60", nullptr};
    if (posix_spawnp(&pid, arguments[0], nullptr, nullptr, const_cast<char* const*>(arguments), environ) != 0)
      qFatal("there is no sleep to run");
  }
  ~Sleeper() {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  pid_t pid = 0;
};

void next(QWizard& wizard) { QTest::mouseClick(wizard.button(QWizard::NextButton), Qt::LeftButton); }

}  // namespace

class WizardTest : public QObject {
  Q_OBJECT
 private slots:
  void init();
  void limitsAreChecked();
  void curvesGrowPointByPoint();
  void aDirectoryIsProbedAndApplied();
  void aStoppedProbeKeepsWhatItHas();
  void nothingThereIsSaid();
  void measurementsAreImported();
  void unreadableMeasurementsAreSaid();
  void leavingStopsTheProbe();
  void aWorkloadIsImported();
  void measurementsByTheFileDialog_data();
  void measurementsByTheFileDialog();
  void aJobIsAttachedTo();
  void aWorkloadByTheFileDialog();
  void aUrlIsProbed();

 private:
  QString dataFolder();

  QTemporaryDir folder_{QDir::homePath() + "/wizard-XXXXXX"};  // of the build: on a disk
  std::unique_ptr<Session> session_;
  std::unique_ptr<ProbeWizard> wizard_;
};

void WizardTest::init() {
  wizard_.reset();
  session_ = std::make_unique<Session>(shippedCatalogue());
  session_->document().open(writeFile(folder_, "job.json", kSmallJob));
  wizard_ = std::make_unique<ProbeWizard>(*session_);
  wizard_->show();
}

// 24 files of 1 MiB, written once and on the disk: a probe that reads past the page cache would wait for each of them
// to be written, and a read that waits cannot be stopped. On a disk that others write to, that is minutes.
QString WizardTest::dataFolder() {
  const QString data = folder_.filePath("data");
  if (QDir(data).exists()) return data;
  QDir(folder_.path()).mkpath("data");
  for (int i = 0; i < 24; ++i) {
    QFile file(data + QStringLiteral("/file%1").arg(i));
    if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write %s", qPrintable(file.fileName()));
    file.write(QByteArray(1 << 20, static_cast<char>('a' + i)));
    file.flush();
    ::fsync(file.handle());
  }
  return data;
}

void WizardTest::limitsAreChecked() {
  auto* const next_button = wizard_->button(QWizard::NextButton);
  QVERIFY(!next_button->isEnabled());
  QTest::keyClicks(wizard_->findChild<QLineEdit*>("probeTarget"), "/somewhere");
  QVERIFY(next_button->isEnabled());
  auto* const time = wizard_->findChild<QLineEdit*>("probeTime");
  for (const char* wrong : {"30", "2 h", "1 ms", "ten"}) {
    time->clear();
    QTest::keyClicks(time, QString::fromUtf8(wrong));
    QVERIFY2(!next_button->isEnabled(), wrong);
  }
  time->setText("1 s");
  wizard_->findChild<QLineEdit*>("probeBytes")->setText("1 kB");
  QVERIFY(!next_button->isEnabled());
  QVERIFY(wizard_->findChild<QLabel*>("targetProblem")->text().contains("1 MiB to 1 PiB"));
}

void WizardTest::curvesGrowPointByPoint() {
  PointCurves curves;
  curves.add(point(4, 4e8));
  curves.add(point(1, 1e8));
  curves.add(point(4, 5e8));  // visited again
  const Chart chart = throughputChart(curves.points());
  QCOMPARE(chart.series.size(), std::size_t{1});
  QCOMPARE(chart.series[0].data.size(), std::size_t{2});
  QCOMPARE(chart.series[0].data[0].x, 1.0);
  QCOMPARE(chart.series[0].data[1].y, 500.0);
  QCOMPARE(latencyChart(curves.points()).series[0].data[0].y, 0.04096);  // 4096 bytes at 100 MB/s, in ms
}

void WizardTest::aDirectoryIsProbedAndApplied() {
  wizard_->findChild<QLineEdit*>("probeTarget")->setText(dataFolder());
  wizard_->findChild<QLineEdit*>("probeTime")->setText("10 s");  // ends by its bytes where the disk is any good
  wizard_->findChild<QLineEdit*>("probeBytes")->setText("64 MiB");
  next(*wizard_);
  QCOMPARE(wizard_->currentId(), static_cast<int>(ProbeWizard::kProbe));
  auto* const grade = wizard_->findChild<QLabel*>("probeGrade");
  QTRY_VERIFY_WITH_TIMEOUT(!grade->text().isEmpty(), kLongest);
  QVERIFY2(!wizard_->findChild<PointCurves*>()->points().empty(), qPrintable(grade->text()));
  if (grade->text().startsWith("Not fit")) {
    QVERIFY(!wizard_->button(QWizard::NextButton)->isEnabled());
    QSKIP(qPrintable("the disk of this machine cannot be calibrated with: " + grade->text()));
  }
  next(*wizard_);
  QCOMPARE(wizard_->currentId(), static_cast<int>(ProbeWizard::kApply));
  auto* const finish = wizard_->button(QWizard::FinishButton);
  const auto* const state = wizard_->findChild<QLabel*>("calibrationState");
  QTRY_VERIFY_WITH_TIMEOUT(!state->text().startsWith("Fitting"), kLongest);
  const QString findings = wizard_->findChild<QLabel*>("calibrationFindings")->text();
  // Points that scatter too widely determine nothing; which disk gives such ones is not this test's matter.
  if (findings.contains("determine no value") || findings.contains("scatter widely")) {
    QVERIFY(!finish->isEnabled());
    QSKIP(qPrintable("the disk of this machine cannot be calibrated with: " + findings));
  }
  QVERIFY2(finish->isEnabled(), qPrintable(findings));
  auto* const changes = wizard_->findChild<QTableWidget*>("calibrationChanges");
  QVERIFY(changes->rowCount() > 0);
  QVERIFY(wizard_->findChild<QLabel*>("calibrationResults")->text().startsWith("GPU utilization"));
  const QString before = asText(session_->document().toJson());
  const int steps = session_->document().undoStack().count();
  QTest::mouseClick(finish, Qt::LeftButton);
  QCOMPARE(session_->document().undoStack().count(), steps + 1);
  QVERIFY(asText(session_->document().toJson()) != before);
  for (int row = 0; row < changes->rowCount(); ++row)
    QVERIFY(session_->document().isGiven(changes->item(row, 0)->toolTip().toStdString()));
  session_->document().undoStack().undo();
  QCOMPARE(asText(session_->document().toJson()), before);
}

void WizardTest::aStoppedProbeKeepsWhatItHas() {
  wizard_->findChild<QLineEdit*>("probeTarget")->setText(dataFolder());
  wizard_->findChild<QLineEdit*>("probeTime")->setText("60 s");
  wizard_->findChild<QLineEdit*>("probeBytes")->setText("1 TiB");
  next(*wizard_);
  auto* const curves = wizard_->findChild<PointCurves*>();
  QTRY_VERIFY_WITH_TIMEOUT(curves->points().size() >= 2, kLongest);
  QTest::mouseClick(wizard_->findChild<QPushButton*>("stopProbe"), Qt::LeftButton);
  QTRY_VERIFY_WITH_TIMEOUT(!wizard_->findChild<QLabel*>("probeGrade")->text().isEmpty(), kLongest);
  QVERIFY(!wizard_->findChild<QLabel*>("probeGrade")->text().startsWith("Nothing"));
}

void WizardTest::nothingThereIsSaid() {
  wizard_->findChild<QLineEdit*>("probeTarget")->setText(folder_.filePath("nowhere"));
  next(*wizard_);
  auto* const grade = wizard_->findChild<QLabel*>("probeGrade");
  QTRY_VERIFY_WITH_TIMEOUT(grade->text().contains("nowhere"), kLongest);
  QVERIFY(!wizard_->button(QWizard::NextButton)->isEnabled());
}

void WizardTest::measurementsAreImported() {
  wizard_->useFiles(fioFiles());
  QVERIFY(wizard_->findChild<QRadioButton*>("useFiles")->isChecked());
  next(*wizard_);
  QCOMPARE(wizard_->currentId(), static_cast<int>(ProbeWizard::kApply));
  auto* const state = wizard_->findChild<QLabel*>("calibrationState");
  QTRY_VERIFY_WITH_TIMEOUT(!state->text().startsWith("Fitting"), kLongest);
  const QString findings = wizard_->findChild<QLabel*>("calibrationFindings")->text();
  QVERIFY2(wizard_->button(QWizard::FinishButton)->isEnabled(), qPrintable(findings));
  QVERIFY(wizard_->findChild<QLabel*>("calibrationResults")->text().startsWith("GPU utilization"));
  auto* const changes = wizard_->findChild<QTableWidget*>("calibrationChanges");
  QVERIFY(changes->rowCount() > 0);
  const QString before = asText(session_->document().toJson());
  QTest::mouseClick(wizard_->button(QWizard::FinishButton), Qt::LeftButton);
  QVERIFY(session_->document().resolved() != nullptr);
  for (int row = 0; row < changes->rowCount(); ++row)
    QVERIFY(session_->document().isGiven(changes->item(row, 0)->toolTip().toStdString()));
  QCOMPARE(session_->document().undoStack().count(), 1);
  session_->document().undoStack().undo();
  QCOMPARE(asText(session_->document().toJson()), before);
}

void WizardTest::unreadableMeasurementsAreSaid() {
  wizard_->useFiles({writeFile(folder_, "poem.txt", "roses are red"), folder_.filePath("gone.json")});
  next(*wizard_);
  auto* const findings = wizard_->findChild<QLabel*>("calibrationFindings");
  QTRY_VERIFY_WITH_TIMEOUT(findings->text().contains("poem.txt") && findings->text().contains("gone.json"), kLongest);
  QVERIFY(!wizard_->button(QWizard::FinishButton)->isEnabled());
  QCOMPARE(session_->document().undoStack().count(), 0);
}

void WizardTest::leavingStopsTheProbe() {
  wizard_->findChild<QLineEdit*>("probeTarget")->setText(dataFolder());
  wizard_->findChild<QLineEdit*>("probeTime")->setText("600 s");
  next(*wizard_);
  QVERIFY(session_->background().isBusy("probe"));
  QTest::keyClick(wizard_.get(), Qt::Key_Escape);
  QVERIFY(!session_->background().isBusy("probe"));
  QVERIFY(!wizard_->isVisible());
}

void WizardTest::aWorkloadIsImported() {
  const QString good = writeFile(folder_, "unet.yaml",
                                 "dataset:\n  num_files_train: 64\n  record_length_bytes: 1000000\n"
                                 "reader:\n  batch_size: 4\n  read_threads: 3\n"
                                 "train:\n  epochs: 2\n  computation_time: 0.1\n");
  const Findings findings = importDlio(*session_, good);
  QVERIFY(!findings.has_errors());
  QCOMPARE(session_->document().file().scenario.loader.num_workers, std::int64_t{3});
  QCOMPARE(session_->document().undoStack().count(), 1);
  QVERIFY(importDlio(*session_, writeFile(folder_, "bad.yaml", "reader: [unclosed")).has_errors());
  QCOMPARE(session_->document().undoStack().count(), 1);

  // What is open on disk stays there as it is: saving asks for a name. What was edited is a step back.
  const QString open = folder_.filePath("open.json");
  session_->document().save(open);
  importDlio(*session_, good);
  QCOMPARE(session_->document().path(), QString());
  session_->document().save(open);
  QVERIFY(session_->document().setValue("/cluster/nodes", "2"));
  importDlio(*session_, good);
  QCOMPARE(session_->document().path(), open);
  session_->document().undoStack().undo();
  QCOMPARE(session_->document().file().scenario.cluster.nodes, std::int64_t{2});
}

void WizardTest::measurementsByTheFileDialog_data() {
  QTest::addColumn<QStringList>("files");
  QTest::addColumn<QString>("measured");  // a field that they give
  const QString dlio =
      writeFile(folder_, "summary.json", R"({"num_accelerators": 2, "num_hosts": 1, "num_files_train": 90,
    "num_samples_per_file": 4, "metric": {"train_au_percentage": [90, 94], "train_au_mean_percentage": 92,
    "train_throughput_samples_per_second": [100, 104], "train_io_mean_MB_per_second": 1000}})");
  const QString trace =
      QStringLiteral(STALLCAST_SOURCE_DIR "/tests/core/calibrate/data/torch_1_13_inline_loader.json.gz");
  QTest::newRow("fio") << fioFiles() << "/storage/";
  QTest::newRow("DLIO") << QStringList{dlio} << "/dataset/samples";
  QTest::newRow("PyTorch profiler") << QStringList{trace} << "/workload/step_time";
}

void WizardTest::measurementsByTheFileDialog() {
  QFETCH(QStringList, files);
  QFETCH(QString, measured);
  QTest::mouseClick(wizard_->findChild<QRadioButton*>("useFiles"), Qt::LeftButton);
  QTest::mouseClick(wizard_->findChild<QPushButton*>("addMeasurements"), Qt::LeftButton);
  choose(*wizard_, "measurementDialog", files);
  QCOMPARE(wizard_->findChild<QListWidget*>("measurementFiles")->count(), static_cast<int>(files.size()));
  next(*wizard_);
  auto* const finish = wizard_->button(QWizard::FinishButton);
  const auto* const state = wizard_->findChild<QLabel*>("calibrationState");
  QTRY_VERIFY_WITH_TIMEOUT(!state->text().startsWith("Fitting"), kLongest);
  QVERIFY2(finish->isEnabled(), qPrintable(wizard_->findChild<QLabel*>("calibrationFindings")->text()));
  const auto* const changes = wizard_->findChild<QTableWidget*>("calibrationChanges");
  bool found = false;
  for (int row = 0; row < changes->rowCount(); ++row)
    found = found || changes->item(row, 0)->toolTip().startsWith(measured);
  QVERIFY(found);
}

// A process that only sleeps is watched like a job, and there is nothing to simulate of it.
void WizardTest::aJobIsAttachedTo() {
  const Sleeper sleeper;
  JobRank rank{{sleeper.pid, 1, 0.0, "python3", "python3 train.py --epochs 3", false}, {}};
  rank.workers.resize(4);
  AttachDialog dialog(*session_, nullptr, [&] { return std::vector<JobTree>{{{rank}, rank.trainer.pid, ""}}; });
  dialog.show();
  auto* const jobs = dialog.findChild<QTableWidget*>("attachJobs");
  QCOMPARE(jobs->rowCount(), 1);
  QCOMPARE(jobs->item(0, 2)->text(), QStringLiteral("4"));
  QCOMPARE(jobs->item(0, 3)->text(), QStringLiteral("python3 train.py --epochs 3"));
  auto* const pid = dialog.findChild<QLineEdit*>("attachPid");
  QCOMPARE(pid->text(), QString::number(sleeper.pid));
  auto* const watch = dialog.findChild<QPushButton*>("attachWatch");
  auto* const state = dialog.findChild<QLabel*>("attachState");
  auto* const use = dialog.findChild<QPushButton*>("attachUse");
  QVERIFY(watch->isEnabled() && !use->isEnabled());
  auto* const time = dialog.findChild<QLineEdit*>("attachTime");
  time->setText("soon");
  QTest::mouseClick(watch, Qt::LeftButton);
  QVERIFY(state->text().startsWith("How long: give 2 s to 1 h"));
  time->setText("2 s");
  QTest::mouseClick(watch, Qt::LeftButton);
  QCOMPARE(watch->text(), QStringLiteral("&Stop"));
  QTRY_COMPARE_WITH_TIMEOUT(state->text(), QStringLiteral("There is nothing to simulate."), kLongest);
  const QString seen = dialog.findChild<QPlainTextEdit*>("attachSeen")->toPlainText();
  QVERIFY2(seen.contains("loads_no_data"), qPrintable(seen));
  QVERIFY(!use->isEnabled());
  QCOMPARE(watch->text(), QStringLiteral("&Watch"));
  // One that is not there.
  pid->setText("4194304");
  QTest::mouseClick(watch, Qt::LeftButton);
  QTRY_VERIFY_WITH_TIMEOUT(
      dialog.findChild<QPlainTextEdit*>("attachSeen")->toPlainText().contains("no process 4194304"), kLongest);
}

void WizardTest::aWorkloadByTheFileDialog() {
  QWidget window;
  importDlioAction(*session_, &window)->trigger();
  choose(window, "importDlioDialog",
         {QStringLiteral(STALLCAST_SOURCE_DIR "/tests/core/import/workloads/unet3d_new.yaml")});
  QCOMPARE(session_->document().undoStack().count(), 1);
  QCOMPARE(session_->document().file().scenario.loader.num_workers, std::int64_t{4});
}

// From a server in this program: it answers while the window's event loop turns.
void WizardTest::aUrlIsProbed() {
  RangeServer server(8 << 20);
  wizard_->findChild<QLineEdit*>("probeTarget")->setText(server.url());
  wizard_->findChild<QLineEdit*>("probeTime")->setText("30 s");  // ends by its bytes
  wizard_->findChild<QLineEdit*>("probeBytes")->setText("64 MiB");
  next(*wizard_);
  QCOMPARE(wizard_->currentId(), static_cast<int>(ProbeWizard::kProbe));
  const auto* const grade = wizard_->findChild<QLabel*>("probeGrade");
  QTRY_VERIFY_WITH_TIMEOUT(!grade->text().isEmpty(), kLongest);
  QVERIFY2(!wizard_->findChild<PointCurves*>()->points().empty(), qPrintable(grade->text()));
  QVERIFY(server.requests() > 0);
}

}  // namespace stallcast::gui

STALLCAST_GUI_TEST(WizardTest);
#include "wizard_test.moc"
