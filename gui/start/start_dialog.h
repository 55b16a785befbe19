// What somebody sees first: a few questions about the job, or a start from what is there.
#pragma once

#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <map>
#include <string>

#include "core/first/questions.h"
#include "gui/session/session.h"
#include "gui/start/job_path.h"
#include "gui/start/start_list.h"
#include "gui/window/file_commands.h"

namespace stallcast::gui {

class StartDialog : public QDialog {
  Q_OBJECT
 public:
  // `recent`: files, latest first. The parent's actions of the names in the source are offered beside them.
  StartDialog(Session& session, FileCommands& files, const QStringList& recent, QWidget* parent);

  // Answers as they are written, defaults in the place of empty ones.
  Told told() const;

  // Whether the program begins with it.
  static bool isWanted();

 private:
  QWidget* makeQuestions();
  QWidget* makeStarts(const QStringList& recent);
  void showDefaults();
  void describe();
  // The scenario of the answers as they are; the findings of what is wrong with them instead.
  Loaded<ScenarioFile> described() const;
  void openChosen();

  Session& session_;
  FileCommands& files_;
  std::map<std::string, QComboBox*> answers_;  // by the key of their question
  QLabel* wrong_ = nullptr;
  JobPicture* picture_ = nullptr;
  StartList* starts_ = nullptr;
};

}  // namespace stallcast::gui
