// What the program is, what it is made of, and under which licences.
#pragma once

#include <QAction>
#include <QDialog>

namespace stallcast::gui {

class AboutDialog : public QDialog {
  Q_OBJECT
 public:
  explicit AboutDialog(QWidget* parent = nullptr);
};

QAction* aboutAction(QWidget* window);

}  // namespace stallcast::gui
