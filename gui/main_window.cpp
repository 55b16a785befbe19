#include "gui/main_window.h"

#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QStatusBar>
#include <QTabBar>
#include <QTimer>

#include "core/scenario/fields/field_title.h"
#include "gui/session/cli_command.h"
#include "gui/start/start_dialog.h"
#include "gui/views/make_views.h"
#include "gui/window/answer_status.h"

namespace stallcast::gui {
namespace {

constexpr int kTrouble = 15000;    // ms that a message of trouble stands in the status bar
constexpr int kLayoutVersion = 2;  // layouts of other versions are not restored

// The one file that is dragged; "" for anything else.
QString dragged_file(const QMimeData& data) {
  const QList<QUrl> urls = data.urls();
  return urls.size() == 1 && urls.first().isLocalFile() ? urls.first().toLocalFile() : QString();
}

}  // namespace

MainWindow::MainWindow(Session& session, QWidget* parent)
    : QMainWindow(parent),
      session_(session),
      files_(new FileCommands(session, this)),
      autosave_(new Autosave(session.document(), Autosave::usualFolder(), this)),
      panel_(new ScenarioPanel(session, this)),
      findings_(new FindingsPanel(this)),
      views_(new QMainWindow(this)) {
  setObjectName("mainWindow");
  setAcceptDrops(true);
  views_->setObjectName("views");
  views_->setWindowFlags(Qt::Widget);
  setCentralWidget(views_);
  for (QMainWindow* host : {static_cast<QMainWindow*>(this), views_}) {
    host->setDockNestingEnabled(true);
    host->setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  }
  buildDocks();
  buildViews();
  buildMenus();
  buildToolBar();
  statusBar()->addWidget(new AnswerStatus(session_, this), 1);  // steps aside for a message
  connect(&session_.document(), &Document::changed, this, &MainWindow::showFindings);
  connect(panel_, &ScenarioPanel::rejectedChanged, this, &MainWindow::showFindings);
  connect(&session_.document(), &Document::pathChanged, this, &MainWindow::showTitle);
  connect(findings_, &FindingsPanel::jumpWanted, panel_, &ScenarioPanel::jumpTo);
  connect(&session_, &Session::fieldAsked, this, [this](const QString& pointer) {
    raiseDock(docks_.front());
    panel_->jumpTo(pointer);
  });
  connect(files_, &FileCommands::used, recent_, &RecentFiles::add);
  connect(files_, &FileCommands::missing, recent_, &RecentFiles::forget);
  connect(autosave_, &Autosave::failed, this,
          [this](const QString& message) { statusBar()->showMessage(message, kTrouble); });
  connect(&session_.background(), &Background::failed, this, [this](const QString& kind, const QString& message) {
    statusBar()->showMessage(kind + ": " + message, kTrouble);
  });
  showTitle();
  showFindings();
  restoreLayout();
}

QDockWidget* MainWindow::addDock(QMainWindow* host, const QString& title, const QString& name, QWidget* content) {
  auto* dock = new QDockWidget(title, host);
  dock->setObjectName(name);
  dock->setWidget(content);
  // A dock that another tab covers stays visible to Qt. What is in it is hidden: it takes no keys, and computes
  // nothing.
  connect(dock, &QDockWidget::visibilityChanged, content, &QWidget::setVisible);
  host->addDockWidget(Qt::LeftDockWidgetArea, dock);
  docks_.push_back(dock);
  return dock;
}

void MainWindow::buildDocks() {
  QDockWidget* scenario = addDock(this, tr("Scenario"), "scenarioDock", panel_);
  QDockWidget* wrong = addDock(this, tr("Findings"), "findingsDock", findings_);
  const int line = fontMetrics().height();
  resizeDocks({scenario, wrong}, {line * 40, line * 5}, Qt::Vertical);
}

// Views are docks of a window within the window: what that grows by is theirs, and the form keeps its width. The first
// view stays above; the others share the room below it as tabs.
void MainWindow::buildViews() {
  views_->installEventFilter(this);
  QDockWidget* first = nullptr;
  QDockWidget* below = nullptr;
  for (View* view : makeViews(session_)) {
    QDockWidget* dock = addDock(views_, view->title(), view->objectName() + "Dock", view);
    if (first == nullptr) {
      first = dock;
    } else if (below == nullptr) {
      views_->splitDockWidget(first, dock, Qt::Vertical);
      below = dock;
    } else {
      views_->tabifyDockWidget(below, dock);
    }
  }
  if (below != nullptr) below->raise();
}

// The tabs of views are Qt's own. Where they do not fit, arrows reach the others: names cut to two letters tell
// nothing.
bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
  if (watched == views_ && event->type() == QEvent::ChildPolished) {
    if (auto* const tabs = qobject_cast<QTabBar*>(static_cast<QChildEvent*>(event)->child())) {
      tabs->setElideMode(Qt::ElideNone);
      tabs->setUsesScrollButtons(true);
    }
  }
  // A handle between views has moved: Qt does not wipe it out where it was.
  if (watched == views_ && event->type() == QEvent::LayoutRequest)
    QTimer::singleShot(0, views_, [this] { views_->update(); });
  return QMainWindow::eventFilter(watched, event);
}

void MainWindow::showTitle() {
  const Document& document = session_.document();
  const QString name = document.path().isEmpty() ? tr("New scenario") : QFileInfo(document.path()).fileName();
  setWindowTitle(tr("%1[*] – stallcast").arg(name));
  setWindowModified(document.isModified());
  setWindowFilePath(document.path());
}

void MainWindow::showFindings() {
  Findings all = panel_->rejected();
  all.append(session_.document().findings());
  findings_->setFindings(all);
  const std::size_t count = all.list().size();
  docks_[1]->setWindowTitle(count == 0 ? tr("Findings: none") : tr("Findings: %1").arg(count));
  QStringList wrong;
  for (const Finding& finding : all.list()) {
    const QString title = QString::fromStdString(field_title(finding.pointer));
    if (finding.severity == Severity::kError && !wrong.contains(title)) wrong.append(title);
  }
  session_.setMistakes(wrong);
  next_finding_ = 0;
  copy_command_->setEnabled(hasCliCommand(session_.document()));
}

void MainWindow::nextFinding() {
  const std::vector<Finding>& list = findings_->model().findings();
  if (list.empty()) return;
  const int at = next_finding_ % static_cast<int>(list.size());
  panel_->jumpTo(QString::fromStdString(list[static_cast<std::size_t>(at)].pointer));
  next_finding_ = at + 1;
}

void MainWindow::copyCommand() {
  finishEditing();
  QApplication::clipboard()->setText(cliCommand(session_.document()));
  statusBar()->showMessage(tr("The command is on the clipboard."), 5000);
}

void MainWindow::raiseDock(QDockWidget* dock) {
  dock->show();
  dock->raise();
  dock->widget()->setFocus(Qt::ShortcutFocusReason);
}

// A menu or a shortcut takes no focus away, so a line that is being typed in is told here.
void MainWindow::finishEditing() {
  QWidget* focused = QApplication::focusWidget();
  if (focused != nullptr && panel_->isAncestorOf(focused)) focused->clearFocus();
}

void MainWindow::offerRecovery(const QString& folder, const std::function<MainWindow*()>& another) {
  for (const Recovered& recovered : Autosave::leftBehind(folder)) {
    const QString name = recovered.path.isEmpty() ? tr("a new scenario") : QFileInfo(recovered.path).fileName();
    QMessageBox question(QMessageBox::Question, tr("Unsaved changes found"),
                         tr("The program ended without saving %1. Recover its changes up to %2?")
                             .arg(name, QLocale().toString(recovered.when, QLocale::ShortFormat)),
                         QMessageBox::NoButton, this);
    question.setObjectName("recoveryQuestion");
    QPushButton* recover = question.addButton(tr("&Recover"), QMessageBox::AcceptRole);
    QPushButton* discard = question.addButton(tr("&Discard"), QMessageBox::DestructiveRole);
    question.addButton(tr("&Later"), QMessageBox::RejectRole);
    question.setDefaultButton(recover);
    question.exec();
    bool done = question.clickedButton() == static_cast<QAbstractButton*>(discard);
    if (question.clickedButton() == static_cast<QAbstractButton*>(recover)) {
      const Document& open = session_.document();
      const bool here = !open.isModified() && (open.path().isEmpty() || open.path() == recovered.path);
      MainWindow* const window = here ? this : another ? another() : nullptr;
      done = window != nullptr;
      if (done) window->files().recover(recovered);
    }
    if (done) Autosave::discard(recovered);
  }
}

void MainWindow::showStart() {
  finishEditing();
  auto* const dialog = new StartDialog(session_, *files_, recent_->paths(), this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->open();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  finishEditing();
  if (!files_->mayLoseDocument()) return event->ignore();
  QSettings settings;
  settings.setValue("window/geometry", saveGeometry());
  settings.setValue("window/layout", saveState(kLayoutVersion));
  settings.setValue("window/views", views_->saveState(kLayoutVersion));
  event->accept();
}

void MainWindow::restoreLayout() {
  const QFontMetrics metrics = fontMetrics();
  resize(metrics.height() * 88, metrics.height() * 52);  // every tab has room for its name
  resizeDocks({docks_[0]}, {panel_->sizeHint().width()}, Qt::Horizontal);
  first_layout_ = {saveState(kLayoutVersion), views_->saveState(kLayoutVersion)};
  const QSettings settings;
  restoreGeometry(settings.value("window/geometry").toByteArray());
  restoreState(settings.value("window/layout").toByteArray(), kLayoutVersion);
  views_->restoreState(settings.value("window/views").toByteArray(), kLayoutVersion);
}

void MainWindow::resetLayout() {
  restoreState(first_layout_.first, kLayoutVersion);
  views_->restoreState(first_layout_.second, kLayoutVersion);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (!dragged_file(*event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  const QString path = dragged_file(*event->mimeData());
  if (path.isEmpty()) return;
  event->acceptProposedAction();
  finishEditing();
  files_->open(path);
}

}  // namespace stallcast::gui
