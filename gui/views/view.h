// One way to look at the session's answer.
#pragma once

#include <QPushButton>
#include <QWidget>

#include "gui/session/session.h"

namespace stallcast::gui {

class View : public QWidget {
  Q_OBJECT
 public:
  explicit View(Session& session, QWidget* parent = nullptr) : QWidget(parent), session_(session) {}

  // What a tab or a dock is called; stable, window layouts are kept under its objectName().
  virtual QString title() const = 0;

 protected:
  // Shows what the session says now.
  virtual void refresh() {}
  // refresh() now, or as soon as the view is seen: what nobody sees takes no time from what somebody does.
  void refreshWhenSeen();
  void showEvent(QShowEvent* event) override;

  Session& session_;

 private:
  bool outdated_ = true;
};

// Of two buttons that start and stop work, the one that can be pressed now; who used the keys stays with them.
void showRunning(QPushButton& start, QPushButton& stop, bool running);

// "estimate", "coarse", "simulated".
QString stageText(AnswerStage stage);

// What is shown of session.simulated() is of, while the newest is under way: "Of the simulation before; ..."; "" when
// it is the newest.
QString stalenessText(const Session& session);

}  // namespace stallcast::gui
