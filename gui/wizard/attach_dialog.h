// A training job that runs on this machine, watched from beside, as the open scenario.
#pragma once

#include <QAction>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QTableWidget>
#include <functional>
#include <optional>
#include <vector>

#include "core/answers/attachment.h"
#include "core/observe/proc/job_tree.h"
#include "gui/session/session.h"

namespace stallcast::gui {

// Lists jobs with loader workers, watches the one that is chosen as `stallcast attach` does, and says what it saw. The
// scenario that explains it takes the place of the open one: where that has nothing unsaved as a new one, else as one
// step back.
class AttachDialog : public QDialog {
  Q_OBJECT
 public:
  // `jobs` is what can be chosen from; for tests.
  explicit AttachDialog(
      Session& session, QWidget* parent = nullptr,
      std::function<std::vector<JobTree>()> jobs = [] { return jobs_with_workers(); });
  ~AttachDialog() override;

  void look();      // for jobs
  void watch();     // or stops it
  void takeOver();  // what was seen becomes the scenario

 private:
  struct Seen {
    QString text;                      // what was seen, or why there is nothing
    std::optional<ScenarioFile> file;  // with what explains it
  };
  void take(Seen seen);
  void showButtons();
  bool isWatching() const;

  Session& session_;
  std::function<std::vector<JobTree>()> jobs_;
  QTableWidget* list_;
  QLineEdit *pid_, *time_, *batch_;
  QLabel* state_;
  QProgressBar* progress_;
  QPlainTextEdit* text_;
  QPushButton *watch_, *use_;
  std::optional<ScenarioFile> file_;
};

QAction* attachAction(Session& session, QWidget* window);

}  // namespace stallcast::gui
