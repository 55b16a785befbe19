// The window by keys and mouse: files, questions, recovery, layout, the copied command line.
#include <QCheckBox>
#include <QClipboard>
#include <QDockWidget>
#include <QDropEvent>
#include <QFileDialog>
#include <QMenuBar>
#include <QMimeData>
#include <QProcess>
#include <QProgressBar>
#include <QRadioButton>
#include <QSettings>
#include <QSignalSpy>
#include <QStatusBar>
#include <QTableWidget>
#include <QTest>
#include <QTreeView>
#include <QUrl>
#include <cmath>
#include <csignal>

#include "gui/main_window.h"
#include "gui/views/gauge.h"
#include "gui/window/appearance.h"
#include "tests/gui/cli_result.h"
#include "tests/gui/gui_test.h"
#include "tests/gui/gui_window_fixture.h"

namespace stallcast::gui {
namespace {

// Names the scenario that these tests, started again, change before they kill themselves.
constexpr const char* kDieOn = "STALLCAST_TEST_DIE_ON";

void editAndDie(const QString& path) {
  Session session(shippedCatalogue());
  MainWindow window(session);
  window.files().open(path);
  auto* autosave = window.findChild<Autosave*>();
  autosave->setDelay(0);
  session.document().setValue("/loader/num_workers", "11");
  if (!QTest::qWaitFor([&] { return QFile::exists(autosave->recoveryFile()); })) return;
  std::raise(SIGKILL);
}

}  // namespace

class WindowTest : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase();
  void init();
  void cleanup();
  void everyCommandHasAKeyOrAMenu();
  void coveredViewsAreHidden();
  void keysOfWhatIsSeenClashNowhere();
  void theFormKeepsItsWidth();
  void everyViewFitsASmallScreen();
  void savingByKeys();
  void savingAsByTheDialog();
  void openingByTheDialog();
  void unsavedChangesAreAskedAbout();
  void refusedFilesAreExplained_data();
  void refusedFilesAreExplained();
  void vanishedFilesLeaveTheRecentOnes();
  void recentFilesOpen();
  void droppedFilesOpen();
  void undoAndRedoByKeys();
  void undoInTheSearchIsTheDocuments();
  void messagesAreSeen();
  void wrongValuesAreNotInTheAnswer();
  void whatIsMissingIsAskedFor();
  void everyKeyIsListed();
  void typedTextIsTakenBeforeACommand();
  void theCopiedCommandGivesTheFinalAnswer();
  void findingsAreListedAndJumpedTo();
  void theStatusSaysEstimateThenSimulated();
  void unsavedChangesAreKeptForACrash();
  void recoveryIsOffered();
  void aKilledProgramLeavesItsChanges();
  void layoutAndAppearanceAreRemembered();
  void boxesAreSeenInTheDark();
  void theBaselineByKeys();

 private:
  Document& document() { return session_->document(); }
  QString text(const char* pointer) { return document().valueText(pointer); }
  // Keys go where a person's would: to the active window.
  void key(const QKeySequence& keys) {
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    QTest::keySequence(window_.get(), keys);
  }
  void openWindow();
  void modify() { QVERIFY(document().setValue("/loader/num_workers", "3")); }

  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<MainWindow> window_;
  QString job_;
};

void WindowTest::openWindow() {
  window_.reset();  // it looks at the session
  session_ = std::make_unique<Session>(shippedCatalogue());
  window_ = std::make_unique<MainWindow>(*session_);
  window_->show();
  QVERIFY(QTest::qWaitForWindowActive(window_.get()));
}

void WindowTest::initTestCase() {
  const QString path = qEnvironmentVariable(kDieOn);
  if (path.isEmpty()) return;
  editAndDie(path);
  QFAIL("still alive");
}

void WindowTest::init() {
  QSettings().clear();
  QDir(Autosave::usualFolder()).removeRecursively();
  folder_ = std::make_unique<QTemporaryDir>();
  job_ = writeFile(*folder_, "job.json", kSmallJob);
  openWindow();
  QVERIFY(window_->files().open(job_));
}

void WindowTest::cleanup() {
  window_.reset();
  session_.reset();
}

void WindowTest::everyCommandHasAKeyOrAMenu() {
  for (QAction* menu : window_->menuBar()->actions()) {
    QVERIFY2(menu->text().contains('&'), qPrintable(menu->text()));
    for (QAction* action : menu->menu()->actions()) {
      if (action->isSeparator()) continue;
      QVERIFY2(!action->shortcut().isEmpty() || action->text().contains('&'), qPrintable(action->text()));
    }
  }
  QSet<QString> used;
  for (QAction* action : window_->findChildren<QAction*>()) {
    // Every chart has keys of its own, for when it has the focus.
    if (action->shortcutContext() == Qt::WidgetWithChildrenShortcut) continue;
    const QString keys = action->shortcut().toString();
    QVERIFY2(keys.isEmpty() || !used.contains(keys), qPrintable(keys));
    used << keys;
  }
  for (QWidget* widget : window_->findChildren<QWidget*>())
    if (widget->focusPolicy() & Qt::TabFocus && widget->isVisible() && widget->objectName().contains('#'))
      QVERIFY2(!widget->accessibleName().isEmpty(), qPrintable(widget->objectName()));
}

// Tabs lie above each other: of those below nothing is computed, and their keys are free.
void WindowTest::coveredViewsAreHidden() {
  const auto* curve = window_->findChild<QWidget*>("curve");
  const auto* lost_time = window_->findChild<QWidget*>("lost_time");
  QTRY_VERIFY_WITH_TIMEOUT(lost_time->isVisible() && !curve->isVisible(), kLongest);
  QTRY_VERIFY_WITH_TIMEOUT(!session_->isConverging(), kLongest);
  QVERIFY(!session_->background().isBusy("curve"));
  key(QKeySequence(Qt::CTRL | Qt::Key_6));
  QTRY_VERIFY_WITH_TIMEOUT(curve->isVisible() && !lost_time->isVisible(), kLongest);
  QVERIFY(curve->isAncestorOf(QApplication::focusWidget()));
  QVERIFY(session_->background().isBusy("curve"));
}

void WindowTest::keysOfWhatIsSeenClashNowhere() {
  for (QDockWidget* dock : window_->findChildren<QDockWidget*>()) {
    dock->show();
    dock->raise();
    QTRY_VERIFY_WITH_TIMEOUT(dock->widget()->isVisible(), kLongest);
    QMap<QString, QString> used;
    const auto use = [&used](const QString& text) {
      const QString keys = QKeySequence::mnemonic(text).toString();
      if (keys.isEmpty()) return;
      QVERIFY2(!used.contains(keys), qPrintable(keys + ": " + used[keys] + " and " + text));
      used[keys] = text;
    };
    for (const QAction* menu : window_->menuBar()->actions()) use(menu->text());
    for (const QAbstractButton* button : window_->findChildren<QAbstractButton*>())
      if (button->isVisible()) use(button->text());
    for (const QLabel* label : window_->findChildren<QLabel*>())
      if (label->isVisible() && label->buddy() != nullptr) use(label->text());
  }
}

// Views have use for what a larger window gives, a form has not; what a person made of it stays.
void WindowTest::theFormKeepsItsWidth() {
  auto* form = window_->findChild<QDockWidget*>("scenarioDock");
  const int first = form->width();
  QVERIFY(first >= window_->panel().minimumSizeHint().width());
  window_->resize(window_->width() + 500, window_->height());
  QTRY_COMPARE_WITH_TIMEOUT(form->width(), first, kLongest);
  window_->resizeDocks({form}, {first + 100}, Qt::Horizontal);
  QTRY_COMPARE_WITH_TIMEOUT(form->width(), first + 100, kLongest);
  window_->resize(window_->width() + 300, window_->height());
  QTRY_COMPARE_WITH_TIMEOUT(form->width(), first + 100, kLongest);
}

// Weeks with interruptions have the most to show: below the frame of a window on a screen of 1024x700.
void WindowTest::everyViewFitsASmallScreen() {
  window_->resize(1024, 680);
  for (const char* name : {"22_a3_storage_choice", "weeks/llama3_405b"}) {
    QVERIFY(window_->files().open(QStringLiteral(STALLCAST_SOURCE_DIR "/scenarios/%1.json").arg(name)));
    QTRY_VERIFY_WITH_TIMEOUT(session_->answer() && session_->answer()->evaluation, kLongest);
    QTest::qWait(20);
    QVERIFY2(window_->height() <= 680, qPrintable(QStringLiteral("%1: %2").arg(name).arg(window_->height())));
  }
  for (QDockWidget* dock : window_->findChildren<QDockWidget*>()) {
    dock->show();
    dock->raise();
    QTRY_VERIFY_WITH_TIMEOUT(dock->widget()->isVisible(), kLongest);
    window_->resize(1024, 680);
    QTest::qWait(20);  // what is laid out anew grows the window
    QVERIFY2(
        window_->height() <= 680 && window_->width() <= 1024,
        qPrintable(QStringLiteral("%1: %2 x %3").arg(dock->objectName()).arg(window_->width()).arg(window_->height())));
  }
}

void WindowTest::savingByKeys() {
  modify();
  QVERIFY(window_->isWindowModified());
  key(QKeySequence::Save);
  QVERIFY(!window_->isWindowModified());
  Document again(shippedCatalogue());
  QVERIFY(again.open(job_).empty());
  QCOMPARE(again.valueText("/loader/num_workers"), QStringLiteral("3"));
}

void WindowTest::savingAsByTheDialog() {
  modify();
  const QString path = folder_->filePath("other");
  onNextDialog([&](QWidget* dialog) {
    auto* name = dialog->findChild<QLineEdit*>("fileNameEdit");
    name->setText(path);
    QTest::keyClick(name, Qt::Key_Return);
  });
  key(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S));
  QCOMPARE(document().path(), path + ".json");
  QVERIFY(QFile::exists(path + ".json"));
  QVERIFY(window_->windowTitle().startsWith("other.json"));
}

void WindowTest::openingByTheDialog() {
  const QString other = writeFile(*folder_, "other.json", R"({"name": "other"})");
  onNextDialog([&](QWidget* dialog) {
    auto* name = dialog->findChild<QLineEdit*>("fileNameEdit");
    name->setText(other);
    QTest::keyClick(name, Qt::Key_Return);
  });
  key(QKeySequence::Open);
  QCOMPARE(document().path(), other);
  QCOMPARE(text("/name"), QStringLiteral("other"));
}

void WindowTest::unsavedChangesAreAskedAbout() {
  const QString other = writeFile(*folder_, "other.json", R"({"name": "other"})");
  modify();
  onNextDialog([](QWidget* dialog) { pressButton(dialog, QMessageBox::Cancel); });
  QVERIFY(!window_->files().open(other));
  QCOMPARE(document().path(), job_);
  onNextDialog([](QWidget* dialog) { QTest::keyClick(dialog, Qt::Key_Escape); });
  window_->close();
  QVERIFY(window_->isVisible());
  onNextDialog([](QWidget* dialog) { pressButton(dialog, QMessageBox::Save); });
  key(QKeySequence::New);
  QVERIFY(document().path().isEmpty());
  QVERIFY(window_->files().open(job_));
  QCOMPARE(text("/loader/num_workers"), QStringLiteral("3"));  // it was saved
  document().setValue("/loader/num_workers", "7");
  onNextDialog([](QWidget* dialog) { pressButton(dialog, QMessageBox::Discard); });
  QVERIFY(window_->files().open(other));
  QVERIFY(window_->files().open(job_));
  QCOMPARE(text("/loader/num_workers"), QStringLiteral("3"));
}

void WindowTest::refusedFilesAreExplained_data() {
  QTest::addColumn<QByteArray>("content");
  QTest::newRow("broken") << QByteArray("{\"name\": ");
  QTest::newRow("foreign") << QByteArray(R"({"openapi": "3.0.0", "paths": {}})");
  QTest::newRow("newer") << QByteArray(R"({"format_version": 3, "name": "of tomorrow"})");
  QTest::newRow("huge") << QByteArray(65 << 20, ' ');
}

void WindowTest::refusedFilesAreExplained() {
  QFETCH(QByteArray, content);
  const QString before = asText(document().toJson());
  QVERIFY(!window_->files().open(writeFile(*folder_, "refused.json", content)));
  auto* dialog = window_->findChild<QDialog*>("refusedFile");
  QVERIFY(dialog != nullptr);
  QTRY_VERIFY_WITH_TIMEOUT(dialog->isVisible(), kLongest);
  auto* list = dialog->findChild<QTreeView*>("findingsList");
  QVERIFY(list->model()->rowCount() > 0);
  QVERIFY(!list->model()->index(0, FindingsModel::kFinding).data().toString().isEmpty());
  QTest::keyClick(dialog, Qt::Key_Escape);
  QTRY_VERIFY_WITH_TIMEOUT(window_->findChild<QDialog*>("refusedFile") == nullptr, kLongest);
  QCOMPARE(asText(document().toJson()), before);
  QCOMPARE(document().path(), job_);
}

void WindowTest::vanishedFilesLeaveTheRecentOnes() {
  const QString other = writeFile(*folder_, "other.json", R"({"name": "other"})");
  QVERIFY(window_->files().open(other));
  QVERIFY(window_->files().open(job_));
  QFile::remove(other);
  QVERIFY(QSettings().value("recentFiles").toStringList().contains(other));
  QVERIFY(!window_->files().open(other));
  QTRY_VERIFY_WITH_TIMEOUT(window_->findChild<QMessageBox*>("fileTrouble") != nullptr, kLongest);
  QVERIFY(!QSettings().value("recentFiles").toStringList().contains(other));
  QCOMPARE(document().path(), job_);
  // The folder of the document vanishes: it cannot be saved, and stays as it is.
  modify();
  const QString before = asText(document().toJson());
  folder_->remove();
  QVERIFY(!window_->files().save());
  QVERIFY(document().isModified());
  // Nor can anything of that folder be opened, or the folder itself.
  onNextDialog([](QWidget* dialog) { pressButton(dialog, QMessageBox::Discard); });
  QVERIFY(!window_->files().open(other));
  onNextDialog([](QWidget* dialog) { pressButton(dialog, QMessageBox::Discard); });
  QVERIFY(!window_->files().open(folder_->path()));
  QCOMPARE(window_->findChildren<QMessageBox*>("fileTrouble").size(), 4);
  QCOMPARE(asText(document().toJson()), before);
  QCOMPARE(document().path(), job_);
}

void WindowTest::recentFilesOpen() {
  const QString other = writeFile(*folder_, "other.json", R"({"name": "other"})");
  QVERIFY(window_->files().open(other));
  auto* menu = window_->findChild<QMenu*>("fileMenu");
  QAction* second = nullptr;
  for (QAction* action : menu->findChildren<QAction*>())
    if (action->data().toString() == job_) second = action;
  QVERIFY(second != nullptr);
  QVERIFY(second->text().contains("job.json"));
  second->trigger();
  QCOMPARE(document().path(), job_);
  QCOMPARE(QSettings().value("recentFiles").toStringList().first(), job_);
}

void WindowTest::droppedFilesOpen() {
  const QString other = writeFile(*folder_, "other.json", R"({"name": "other"})");
  const auto drop = [&](const QList<QUrl>& urls) {
    QMimeData data;
    data.setUrls(urls);
    QDragEnterEvent enter(QPoint(9, 9), Qt::CopyAction, &data, Qt::LeftButton, {});
    enter.ignore();
    QApplication::sendEvent(window_.get(), &enter);
    QDropEvent event(QPointF(9, 9), Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(window_.get(), &event);
    return enter.isAccepted();
  };
  QVERIFY(!drop({QUrl("https://example.org/job.json")}));
  QCOMPARE(document().path(), job_);
  QVERIFY(drop({QUrl::fromLocalFile(other)}));
  QCOMPARE(document().path(), other);
}

void WindowTest::undoAndRedoByKeys() {
  typeValue(*window_, "/cluster/nodes", "6");
  typeValue(*window_, "/cluster/nodes", "7");
  key(QKeySequence::Undo);
  QCOMPARE(text("/cluster/nodes"), QStringLiteral("6"));
  key(QKeySequence::Undo);
  QCOMPARE(text("/cluster/nodes"), QStringLiteral("1"));
  QVERIFY(!window_->isWindowModified());
  key(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z));
  QCOMPARE(text("/cluster/nodes"), QStringLiteral("6"));
  QCOMPARE(line(*window_, "/cluster/nodes")->text(), QStringLiteral("6"));
}

// The search has the focus at first, and nobody has typed in it.
void WindowTest::undoInTheSearchIsTheDocuments() {
  document().setValue("/cluster/nodes", "6");
  auto* const search = window_->findChild<QLineEdit*>("fieldSearch");
  search->setFocus();
  key(QKeySequence::Undo);
  QCOMPARE(text("/cluster/nodes"), QStringLiteral("1"));
  QKeyEvent undo(QEvent::ShortcutOverride, Qt::Key_Z, Qt::ControlModifier);
  QTest::keyClicks(search, "nodes");
  undo.ignore();
  QApplication::sendEvent(search, &undo);
  QVERIFY(undo.isAccepted());  // the line's own
  // A search belongs to the scenario that it was typed for.
  QVERIFY(window_->files().open(writeFile(*folder_, "other.json", R"({"name": "other"})")));
  QVERIFY(search->text().isEmpty());
}

void WindowTest::messagesAreSeen() {
  auto* const status = window_->findChild<QLabel*>("statusAnswer");
  QVERIFY(status->isVisible());
  key(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C));
  QVERIFY(window_->statusBar()->currentMessage().contains("clipboard"));
  QVERIFY(!status->isVisible());  // it makes room
  window_->statusBar()->clearMessage();
  QVERIFY(status->isVisible());
}

// An answer never stands beside a value that it does not have without a word.
void WindowTest::wrongValuesAreNotInTheAnswer() {
  auto* const mistakes = window_->findChild<QLabel*>("headline.mistakes");
  QVERIFY(mistakes->isHidden());
  typeValue(*window_, "/loader/num_workers", "many");
  QVERIFY(!mistakes->isHidden());
  QVERIFY(mistakes->text().endsWith("because the value is wrong: Loader workers per GPU."));
  document().setValue("/cluster/nodes", "2");  // elsewhere: it is still so
  QVERIFY(!mistakes->isHidden());
  typeValue(*window_, "/loader/num_workers", "4");
  QVERIFY(mistakes->isHidden());
  document().setValue("/storage/tier", "no-such-tier");
  QVERIFY(mistakes->text().contains("Storage tier"));
}

// A new scenario is no job yet: it gets no advice, and is led to what makes it one.
void WindowTest::whatIsMissingIsAskedFor() {
  key(QKeySequence::New);
  auto* const sentence = window_->findChild<QLabel*>("headline.sentence");
  QVERIFY2(sentence->text().startsWith("What the GPUs compute is not known yet"), qPrintable(sentence->text()));
  auto* const give = window_->findChild<QPushButton*>("headline.cause");
  QCOMPARE(give->text(), QStringLiteral("Enter it"));
  QTest::mouseClick(give, Qt::LeftButton);
  QVERIFY(line(*window_, "/workload/step_time")->hasFocus());
  QVERIFY(document().setValue("/workload/step_time", "100 ms"));
  QCOMPARE(give->text(), QStringLiteral("Show the &cause"));
  // A figure that is not known leads to the field, too.
  QTRY_VERIFY_WITH_TIMEOUT(session_->answer() && session_->answer()->evaluation, kLongest);
  window_->findChild<Gauge*>("headline.cost.wasted_usd")->picked();
  QVERIFY(line(*window_, "/dataset/samples")->hasFocus());
}

void WindowTest::everyKeyIsListed() {
  key(QKeySequence::HelpContents);
  auto* const dialog = window_->findChild<QDialog*>("keysDialog");
  QVERIFY(dialog != nullptr);
  auto* const table = dialog->findChild<QTableWidget*>("keysTable");
  QStringList listed;
  for (int row = 0; row < table->rowCount(); ++row) {
    QVERIFY(!table->item(row, 1)->text().contains('&'));
    listed << table->item(row, 0)->text();
  }
  for (const QAction* action : window_->findChildren<QAction*>()) {
    const QString keys = action->shortcut().toString(QKeySequence::NativeText);
    const bool in_menu = !action->associatedObjects().isEmpty() && action->parent() == window_.get();
    if (in_menu && !keys.isEmpty()) QVERIFY2(listed.contains(keys), qPrintable(keys + " " + action->objectName()));
  }
  QTest::keyClick(dialog, Qt::Key_Escape);
}

void WindowTest::typedTextIsTakenBeforeACommand() {
  QLineEdit* nodes = line(*window_, "/cluster/nodes");
  nodes->setFocus();
  nodes->selectAll();
  QTest::keyClicks(nodes, "5");
  QCOMPARE(text("/cluster/nodes"), QStringLiteral("1"));
  key(QKeySequence::Save);
  QCOMPARE(text("/cluster/nodes"), QStringLiteral("5"));
  QVERIFY(!document().isModified());
}

void WindowTest::theCopiedCommandGivesTheFinalAnswer() {
  const auto compare = [&] {
    key(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C));
    const QString command = QApplication::clipboard()->text();
    QTRY_VERIFY_WITH_TIMEOUT(!session_->isConverging(), kLongest);
    QCOMPARE(session_->answer()->stage, AnswerStage::kFinal);
    QCOMPARE(comparable(*session_->answer()->document), comparable(commandResult(command)));
  };
  compare();  // of the file
  typeValue(*window_, "/loader/num_workers", "3");
  document().setValue("/name", "it's a \"job\"");
  compare();  // with changes
  document().startNew();
  document().setValue("/workload/step_time", "10 ms");
  document().setValue("/dataset/sample_size", "1 MB");
  document().setValue("/run/max_steps", "50");
  document().setValue("/run/whole_run", "true");
  document().setValue("/dataset/samples", "100");
  compare();  // without a file
  document().setValue("/run/concurrent_jobs", job_.toStdString());
  QVERIFY(!window_->findChild<QAction*>("copyCommandAction")->isEnabled());  // names files beside itself, and has none
}

void WindowTest::findingsAreListedAndJumpedTo() {
  auto* list = window_->findChild<QTreeView*>("findingsList");
  const int before = list->model()->rowCount();
  typeValue(*window_, "/loader/num_workers", "-2");
  QCOMPARE(list->model()->rowCount(), before + 1);
  QVERIFY(document().setValue("/storage/tier", "no_such_tier"));
  line(*window_, "/cluster/nodes")->setFocus();
  key(QKeySequence(Qt::Key_F8));
  QVERIFY(line(*window_, "/loader/num_workers")->hasFocus());
  key(QKeySequence(Qt::Key_F8));
  QVERIFY(window_->findChild<QWidget*>("/storage/tier#value")->hasFocus());
  key(QKeySequence::Find);
  QVERIFY(window_->findChild<QLineEdit*>("fieldSearch")->hasFocus());
}

void WindowTest::theStatusSaysEstimateThenSimulated() {
  auto* answer = window_->findChild<QLabel*>("statusAnswer");
  auto* progress = window_->findChild<QProgressBar*>("statusProgress");
  QTRY_VERIFY_WITH_TIMEOUT(!session_->isConverging(), kLongest);
  QVERIFY(answer->text().contains("simulated"));
  QVERIFY(!progress->isVisible());
  document().setValue("/storage/latency", "4 ms");
  QVERIFY(answer->text().contains("estimate"));
  QVERIFY(progress->isVisible());
  QTRY_VERIFY_WITH_TIMEOUT(answer->text().contains("simulated"), kLongest);
  document().setValue("/storage/latency", "5 ms");
  key(QKeySequence(Qt::CTRL | Qt::Key_Period));
  QVERIFY(!session_->isConverging());
  QVERIFY(!progress->isVisible());
  key(QKeySequence(Qt::Key_F5));
  QVERIFY(answer->text().contains("estimate"));
  QTRY_VERIFY_WITH_TIMEOUT(answer->text().contains("simulated"), kLongest);
  document().setValue("/storage/tier", "no_such_tier");
  QVERIFY(window_->findChild<QLabel*>("statusStage")->text().contains("errors"));
}

void WindowTest::unsavedChangesAreKeptForACrash() {
  auto* autosave = window_->findChild<Autosave*>();
  autosave->setDelay(1);
  modify();
  QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(autosave->recoveryFile()), kLongest);
  QVERIFY(Autosave::leftBehind(Autosave::usualFolder()).isEmpty());  // this program runs
  const QString file = autosave->recoveryFile();
  key(QKeySequence::Save);
  QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(file), kLongest);
  document().setValue("/loader/num_workers", "5");
  QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(file), kLongest);
  window_.reset();  // ends as it should
  QVERIFY(!QFile::exists(file));
}

void WindowTest::recoveryIsOffered() {
  // As a program that died left it: no lock is held.
  QVERIFY(QDir().mkpath(Autosave::usualFolder()));
  const QString left = Autosave::usualFolder() + "/left.json";
  const auto leave = [&] {
    QFile file(left);
    QVERIFY(file.open(QIODevice::WriteOnly));
    nlohmann::ordered_json json = {{"path", job_.toStdString()}, {"scenario", document().toJson()}};
    json["scenario"]["loader"]["num_workers"] = 11;
    file.write(QByteArray::fromStdString(json.dump()));
  };
  leave();
  onNextDialog([](QWidget* dialog) { QTest::keyClick(dialog, Qt::Key_Escape); });  // later
  window_->offerRecovery(Autosave::usualFolder());
  QVERIFY(QFile::exists(left));
  QCOMPARE(text("/loader/num_workers"), QStringLiteral("2"));
  onNextDialog([](QWidget* dialog) { QTest::keyClick(dialog, Qt::Key_Return); });  // recover
  window_->offerRecovery(Autosave::usualFolder());
  QVERIFY(!QFile::exists(left));
  QCOMPARE(text("/loader/num_workers"), QStringLiteral("11"));
  QCOMPARE(document().path(), job_);
  QVERIFY(document().isModified());
  key(QKeySequence::Undo);
  QCOMPARE(text("/loader/num_workers"), QStringLiteral("2"));
  leave();
  onNextDialog([](QWidget* dialog) {
    for (QAbstractButton* button : qobject_cast<QMessageBox*>(dialog)->buttons())
      if (button->text().contains("Discard")) QTest::mouseClick(button, Qt::LeftButton);
  });
  window_->offerRecovery(Autosave::usualFolder());
  QVERIFY(!QFile::exists(left));
  QCOMPARE(text("/loader/num_workers"), QStringLiteral("2"));

  // Where the window has something of its own, another one opens.
  document().setValue("/loader/num_workers", "5");
  leave();
  Session session(shippedCatalogue());
  MainWindow other(session);
  const auto recover = [](QWidget* dialog) { QTest::keyClick(dialog, Qt::Key_Return); };
  onNextDialog(recover);
  window_->offerRecovery(Autosave::usualFolder());  // none can be opened
  QVERIFY(QFile::exists(left));
  onNextDialog(recover);
  window_->offerRecovery(Autosave::usualFolder(), [&] { return &other; });
  QVERIFY(!QFile::exists(left));
  QCOMPARE(text("/loader/num_workers"), QStringLiteral("5"));
  QCOMPARE(session.document().valueText("/loader/num_workers"), QStringLiteral("11"));
}

void WindowTest::aKilledProgramLeavesItsChanges() {
  QProcess program;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert(kDieOn, job_);
  program.setProcessEnvironment(environment);
  program.start(QCoreApplication::applicationFilePath(), {"WindowTest"});
  QVERIFY(program.waitForFinished(kLongest));
  QCOMPARE(program.exitStatus(), QProcess::CrashExit);
  const QList<Recovered> left = Autosave::leftBehind(Autosave::usualFolder());
  QCOMPARE(left.size(), 1);
  QCOMPARE(left.first().path, job_);
  QCOMPARE(left.first().scenario.scenario.loader.num_workers, 11);
}

void WindowTest::layoutAndAppearanceAreRemembered() {
  window_->resize(1051, 703);
  window_->findChild<QDockWidget*>("findingsDock")->toggleViewAction()->trigger();
  window_->findChild<QAction*>("darkAppearance")->trigger();
  QVERIFY(QApplication::palette().color(QPalette::Window).lightness() < 100);
  window_->close();
  openWindow();
  QCOMPARE(window_->size(), QSize(1051, 703));
  QVERIFY(!window_->findChild<QDockWidget*>("findingsDock")->isVisible());
  QVERIFY(window_->findChild<QAction*>("darkAppearance")->isChecked());
  window_->findChild<QAction*>("resetLayoutAction")->trigger();
  QVERIFY(window_->findChild<QDockWidget*>("findingsDock")->isVisible());
  window_->findChild<QAction*>("lightAppearance")->trigger();
  QVERIFY(QApplication::palette().color(QPalette::Window).lightness() > 200);
  window_->findChild<QAction*>("systemAppearance")->trigger();
  QCOMPARE(QSettings().value("appearance").toString(), QStringLiteral("system"));
}

// The edge of an empty box stands out from the window by a contrast of 3 to 1, as WCAG 2.1, 1.4.11 asks of controls.
void WindowTest::boxesAreSeenInTheDark() {
  applyAppearance(Appearance::kDark);
  const auto luminance = [](const QColor& colour) {
    const auto linear = [](float part) {
      return part <= 0.04045F ? part / 12.92F : std::pow((part + 0.055F) / 1.055F, 2.4F);
    };
    return 0.2126F * linear(colour.redF()) + 0.7152F * linear(colour.greenF()) + 0.0722F * linear(colour.blueF());
  };
  const float window = luminance(QApplication::palette().color(QPalette::Window));
  QCheckBox box;
  QRadioButton button;
  for (QWidget* empty : {static_cast<QWidget*>(&box), static_cast<QWidget*>(&button)}) {
    empty->resize(empty->sizeHint());
    const QImage image = empty->grab().toImage();
    float brightest = 0.0F;
    for (int x = 0; x < image.width(); ++x)
      for (int y = 0; y < image.height(); ++y) brightest = std::max(brightest, luminance(image.pixelColor(x, y)));
    QVERIFY((brightest + 0.05F) / (window + 0.05F) >= 3.0F);
  }
  applyAppearance(Appearance::kSystem);
}

void WindowTest::theBaselineByKeys() {
  key(QKeySequence(Qt::CTRL | Qt::Key_B));
  QVERIFY(session_->baseline());
  QVERIFY(window_->findChild<QAction*>("unpinAction")->isEnabled());
  key(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_B));
  QVERIFY(!session_->baseline());
}

}  // namespace stallcast::gui

STALLCAST_GUI_TEST(WindowTest);
#include "window_test.moc"
