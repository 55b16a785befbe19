// The answer in one line, and how far the simulation is: for the status bar.
#pragma once

#include <QLabel>
#include <QProgressBar>
#include <QWidget>

#include "gui/session/session.h"

namespace stallcast::gui {

class AnswerStatus : public QWidget {
  Q_OBJECT
 public:
  explicit AnswerStatus(Session& session, QWidget* parent = nullptr);

 private:
  void showAnswer();
  void showProgress();

  Session& session_;
  QLabel* answer_;
  QLabel* stage_;
  QProgressBar* progress_;
};

}  // namespace stallcast::gui
