// The window's menus and tool bar: every command with a key.
#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QDockWidget>
#include <QMenuBar>
#include <QSettings>
#include <QToolBar>

#include "gui/main_window.h"
#include "gui/window/add_tools.h"
#include "gui/window/appearance.h"

namespace stallcast::gui {

QAction* MainWindow::addAction(QMenu* menu, const QString& text, const QKeySequence& keys, const char* name,
                               const std::function<void()>& act) {
  QAction* action = menu->addAction(text);
  action->setObjectName(name);
  action->setShortcut(keys);
  connect(action, &QAction::triggered, this, act);
  return action;
}

void MainWindow::buildMenus() {
  buildFileMenu();
  buildEditMenu();
  buildScenarioMenu();
  buildViewMenu();
  menuBar()->addMenu(tr("&Tools"))->setObjectName("toolsMenu");
  menuBar()->addMenu(tr("&Help"))->setObjectName("helpMenu");
  addTools(*this, session_);
  for (const char* name : {"toolsMenu", "helpMenu"}) {
    auto* menu = findChild<QMenu*>(name);
    menu->menuAction()->setVisible(!menu->isEmpty());
  }
}

void MainWindow::buildFileMenu() {
  QMenu* menu = menuBar()->addMenu(tr("&File"));
  menu->setObjectName("fileMenu");
  addAction(menu, tr("&New"), QKeySequence::New, "newAction", [this] {
    finishEditing();
    files_->startNew();
  });
  addAction(menu, tr("Start from a &question…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_N), "startAction",
            [this] { showStart(); });
  addAction(menu, tr("&Open…"), QKeySequence::Open, "openAction", [this] {
    finishEditing();
    files_->openWithDialog();
  });
  recent_ = new RecentFiles(menu->addMenu(tr("Open &recent")), this);
  connect(recent_, &RecentFiles::chosen, this, [this](const QString& path) {
    finishEditing();
    files_->open(path);
  });
  menu->addSeparator();
  addAction(menu, tr("&Save"), QKeySequence::Save, "saveAction", [this] {
    finishEditing();
    files_->save();
  });
  addAction(menu, tr("Save &as…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S), "saveAsAction", [this] {
    finishEditing();
    files_->saveAs();
  });
  menu->addSeparator();
  copy_command_ = addAction(menu, tr("&Copy as command line"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C),
                            "copyCommandAction", [this] { copyCommand(); });
  menu->addSeparator();
  addAction(menu, tr("&Close"), QKeySequence::Close, "closeAction", [this] { close(); });
  addAction(menu, tr("&Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q), "quitAction",
            [] { QApplication::closeAllWindows(); });
}

void MainWindow::buildEditMenu() {
  QMenu* menu = menuBar()->addMenu(tr("&Edit"));
  menu->setObjectName("editMenu");
  QUndoStack& stack = session_.document().undoStack();
  const auto add_step = [&](const QString& text, const QKeySequence& keys, const char* name,
                            void (QUndoStack::*step)()) {
    return addAction(menu, text, keys, name, [this, &stack, step] {
      finishEditing();
      (stack.*step)();
    });
  };
  QAction* undo = add_step(tr("&Undo"), QKeySequence::Undo, "undoAction", &QUndoStack::undo);
  QAction* redo =
      add_step(tr("&Redo"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), "redoAction", &QUndoStack::redo);
  undo->setEnabled(false);
  redo->setEnabled(false);
  connect(&stack, &QUndoStack::canUndoChanged, undo, &QAction::setEnabled);
  connect(&stack, &QUndoStack::canRedoChanged, redo, &QAction::setEnabled);
  connect(&stack, &QUndoStack::undoTextChanged, undo,
          [undo](const QString& text) { undo->setText(text.isEmpty() ? tr("&Undo") : tr("&Undo: %1").arg(text)); });
  connect(&stack, &QUndoStack::redoTextChanged, redo,
          [redo](const QString& text) { redo->setText(text.isEmpty() ? tr("&Redo") : tr("&Redo: %1").arg(text)); });
  menu->addSeparator();
  addAction(menu, tr("&Find field"), QKeySequence::Find, "findAction", [this] {
    raiseDock(docks_.front());
    panel_->focusSearch();
  });
  addAction(menu, tr("Next f&inding"), QKeySequence(Qt::Key_F8), "nextFindingAction", [this] { nextFinding(); });
}

void MainWindow::buildScenarioMenu() {
  QMenu* menu = menuBar()->addMenu(tr("&Scenario"));
  menu->setObjectName("scenarioMenu");
  QAction* stop = addAction(menu, tr("&Stop simulating"), QKeySequence(Qt::CTRL | Qt::Key_Period), "stopAction",
                            [this] { session_.stopSimulating(); });
  connect(&session_, &Session::progressChanged, stop, [this, stop] { stop->setEnabled(session_.isConverging()); });
  addAction(menu, tr("Simulate &again"), QKeySequence(Qt::Key_F5), "simulateAction",
            [this] { session_.simulateAgain(); });
  menu->addSeparator();
  addAction(menu, tr("&Pin as baseline"), QKeySequence(Qt::CTRL | Qt::Key_B), "pinAction",
            [this] { session_.pinBaseline(); });
  QAction* unpin = addAction(menu, tr("&Remove baseline"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_B),
                             "unpinAction", [this] { session_.unpinBaseline(); });
  unpin->setEnabled(false);
  connect(&session_, &Session::baselineChanged, unpin,
          [this, unpin] { unpin->setEnabled(session_.baseline().has_value()); });
}

void MainWindow::buildViewMenu() {
  QMenu* menu = menuBar()->addMenu(tr("&View"));
  menu->setObjectName("viewMenu");
  int number = 0;
  for (QDockWidget* dock : docks_) {
    ++number;
    const QKeySequence keys(number <= 9 ? Qt::CTRL | static_cast<Qt::Key>(Qt::Key_0 + number)
                                        : Qt::ALT | static_cast<Qt::Key>(Qt::Key_0 + number - 9));
    const QString title = dock->widget() == findings_ ? tr("Findings") : dock->windowTitle();
    addAction(menu, title, keys, qPrintable(dock->objectName() + "Action"), [this, dock] { raiseDock(dock); });
  }
  menu->addSeparator();
  QMenu* shown = menu->addMenu(tr("&Panels shown"));
  for (QDockWidget* dock : docks_) shown->addAction(dock->toggleViewAction());
  addAction(menu, tr("&Reset layout"), QKeySequence(), "resetLayoutAction", [this] { resetLayout(); });
  buildAppearanceMenu(menu->addMenu(tr("&Appearance")));
}

void MainWindow::buildAppearanceMenu(QMenu* menu) {
  menu->setObjectName("appearanceMenu");
  auto* group = new QActionGroup(menu);
  const Appearance now = appearanceOf(QSettings().value("appearance").toString());
  const auto add = [&](const QString& text, Appearance appearance) {
    const QString word = appearanceWord(appearance);
    QAction* action = addAction(menu, text, {}, qPrintable(word + "Appearance"), [appearance, word] {
      QSettings().setValue("appearance", word);
      applyAppearance(appearance);
    });
    action->setCheckable(true);
    action->setChecked(appearance == now);
    group->addAction(action);
  };
  add(tr("As the &desktop"), Appearance::kSystem);
  add(tr("&Light"), Appearance::kLight);
  add(tr("Dar&k"), Appearance::kDark);
}

void MainWindow::buildToolBar() {
  QToolBar* bar = addToolBar(tr("Commands"));
  bar->setObjectName("commandsBar");
  bar->setToolButtonStyle(Qt::ToolButtonTextOnly);
  // Texts of the bar stay short while the menu's say what would be undone.
  const auto add = [&](const char* name, const QString& text) {
    auto* action = findChild<QAction*>(name);
    action->setIconText(text);
    bar->addAction(action);
  };
  add("newAction", tr("New"));
  add("openAction", tr("Open"));
  add("saveAction", tr("Save"));
  bar->addSeparator();
  add("undoAction", tr("Undo"));
  add("redoAction", tr("Redo"));
  bar->addSeparator();
  add("pinAction", tr("Pin baseline"));
  add("copyCommandAction", tr("Copy command"));
}

}  // namespace stallcast::gui
