// One scenario's window: panels, views, menus. It composes; what it shows lives in the session.
#pragma once

#include <QMainWindow>
#include <functional>
#include <utility>
#include <vector>

#include "gui/panel/findings_panel.h"
#include "gui/panel/scenario_panel.h"
#include "gui/session/autosave.h"
#include "gui/session/session.h"
#include "gui/views/view.h"
#include "gui/window/file_commands.h"
#include "gui/window/recent_files.h"

namespace stallcast::gui {

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  // `session` outlives the window.
  explicit MainWindow(Session& session, QWidget* parent = nullptr);

  FileCommands& files() { return *files_; }
  ScenarioPanel& panel() { return *panel_; }
  // Asks about every scenario that was left unsaved by a program that died. One is recovered here where this window has
  // nothing of its own, else in another window; without `another` it is left for the next time.
  void offerRecovery(const QString& folder, const std::function<MainWindow*()>& another = {});
  // Asks what the job is, or what to start from.
  void showStart();

 protected:
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QDockWidget* addDock(QMainWindow* host, const QString& title, const QString& name, QWidget* content);
  void buildDocks();
  void buildViews();
  void buildMenus();
  void buildFileMenu();
  void buildEditMenu();
  void buildScenarioMenu();
  void buildViewMenu();
  void buildAppearanceMenu(QMenu* menu);
  void buildToolBar();
  QAction* addAction(QMenu* menu, const QString& text, const QKeySequence& keys, const char* name,
                     const std::function<void()>& act);

  void showTitle();
  void showFindings();
  void copyCommand();
  void nextFinding();
  void raiseDock(QDockWidget* dock);
  void finishEditing();  // what is typed in a field becomes its value
  void restoreLayout();
  void resetLayout();

  Session& session_;
  FileCommands* files_;
  Autosave* autosave_;
  RecentFiles* recent_ = nullptr;
  ScenarioPanel* panel_;
  FindingsPanel* findings_;
  QMainWindow* views_;
  std::vector<QDockWidget*> docks_;
  QAction* copy_command_ = nullptr;
  std::pair<QByteArray, QByteArray> first_layout_;  // of the window, of the views
  int next_finding_ = 0;
};

}  // namespace stallcast::gui
