// New, open, save: with the questions and messages that belong to them.
#pragma once

#include <QObject>
#include <QString>
#include <QWidget>

#include "core/diagnostics/finding.h"
#include "gui/session/autosave.h"
#include "gui/session/session.h"

namespace stallcast::gui {

class FileCommands : public QObject {
  Q_OBJECT
 public:
  // Dialogs belong to `window`.
  FileCommands(Session& session, QWidget* window);

  // Each returns whether it was done. Where it is not, the document is as it was, and a message says why.
  bool startNew();
  bool openWithDialog();
  bool open(const QString& path);
  bool save();
  bool saveAs();
  // Whether the document may go: saved now, or its changes given up by a person.
  bool mayLoseDocument();

  // Puts what was not saved into the document, as a step back away from the file on disk.
  void recover(const Recovered& recovered);

 signals:
  void used(const QString& path);     // opened or saved
  void missing(const QString& path);  // was to be opened

 private:
  bool read(const QString& path);  // without a question
  bool write(const QString& path);
  void refuse(const QString& what, const Findings& findings);
  void refuse(const QString& what, const QString& why);

  Session& session_;
  QWidget* window_;
};

}  // namespace stallcast::gui
