// Keeps unsaved changes in a recovery file, for the case that the program or the machine dies.
#pragma once

#include <QDateTime>
#include <QList>
#include <QLockFile>
#include <QObject>
#include <QThreadPool>
#include <QTimer>

#include "gui/session/document.h"

namespace stallcast::gui {

// What a program that died had not saved.
struct Recovered {
  QString recovery_file;
  QString path;  // of the document, "" if it had none
  QDateTime when;
  ScenarioFile scenario;
};

class Autosave : public QObject {
  Q_OBJECT
 public:
  // Recovery files are in `folder`, made when needed; one is written some seconds after a change, away from the GUI
  // thread, and taken away when nothing is unsaved and when this object goes.
  Autosave(Document& document, QString folder, QObject* parent = nullptr);
  ~Autosave() override;

  void setDelay(int milliseconds) { timer_.setInterval(milliseconds); }
  const QString& recoveryFile() const { return file_; }
  void waitUntilWritten() { writer_.waitForDone(); }

  // In the user's folder of application data.
  static QString usualFolder();
  // Recovery files in `folder` whose programs do not run any more. What cannot be read is left out.
  static QList<Recovered> leftBehind(const QString& folder);
  static void discard(const Recovered& recovered);

 signals:
  void failed(const QString& message);

 private:
  void follow();
  void write();
  void remove();

  Document& document_;
  const QString folder_, file_;
  QLockFile lock_;
  QTimer timer_;
  QThreadPool writer_;  // one thread: files are written and removed in order
  bool written_ = false;
};

}  // namespace stallcast::gui
