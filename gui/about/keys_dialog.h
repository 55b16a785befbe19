// Every key of the window, and those of charts and the form.
#pragma once

#include <QAction>
#include <QDialog>
#include <QMainWindow>

namespace stallcast::gui {

class KeysDialog : public QDialog {
  Q_OBJECT
 public:
  // Of the actions of `window` that have a key, in the order of its menus.
  explicit KeysDialog(const QMainWindow& window, QWidget* parent = nullptr);
};

// F1.
QAction* keysAction(QMainWindow& window);

}  // namespace stallcast::gui
