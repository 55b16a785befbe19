// Two minutes on the headline scenario, for who opens the program for the first time.
#pragma once

#include <QAction>
#include <QFrame>
#include <QLabel>
#include <QMainWindow>
#include <QPushButton>
#include <functional>
#include <vector>

#include "gui/session/session.h"

namespace stallcast::gui {

struct TourStep {
  QString title, text;
  QString widget;                     // objectName of what is framed; "" or not there: none
  std::function<void(Session&)> act;  // when the step is reached; may be empty
};

// What is said, in order.
std::vector<TourStep> tourSteps();

// scenarios/01_headline_parallelstore.json beside the catalogue; "" where it is not.
QString headlineScenario(const Catalogue& catalogue);

// A card over the window. Keys: Return or Right goes on, Left back, Escape leaves.
class Tour : public QFrame {
  Q_OBJECT
 public:
  Tour(QMainWindow& window, Session& session, std::vector<TourStep> steps);

  int step() const { return step_; }
  int steps() const { return static_cast<int>(steps_.size()); }
  void next();
  void back();
  void leave();

  // Opens the headline scenario and starts; the card is deleted when it is left. Null and nothing happens where the
  // scenario cannot be opened, or where the open document would be lost.
  static Tour* begin(QMainWindow& window, Session& session);

 signals:
  void left();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void show(int step);
  void place();

  QMainWindow& window_;
  Session& session_;
  std::vector<TourStep> steps_;
  int step_ = -1;
  int changed_to_ = 0;  // place in the document's steps that the tour itself made last
  QLabel *title_, *text_, *count_;
  QPushButton *back_, *next_, *skip_;
  QFrame* frame_;  // around what is spoken of
};

QAction* tourAction(QMainWindow& window, Session& session);

}  // namespace stallcast::gui
