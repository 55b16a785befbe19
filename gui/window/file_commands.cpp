#include "gui/window/file_commands.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMessageBox>
#include <QVBoxLayout>

#include "gui/panel/findings_panel.h"

namespace stallcast::gui {
namespace {

QString filter() { return QObject::tr("Scenarios (*.json);;All files (*)"); }

}  // namespace

FileCommands::FileCommands(Session& session, QWidget* window) : QObject(window), session_(session), window_(window) {}

bool FileCommands::startNew() {
  if (!mayLoseDocument()) return false;
  session_.document().startNew();
  return true;
}

bool FileCommands::openWithDialog() {
  const QString folder = QFileInfo(session_.document().path()).path();
  const QString path = QFileDialog::getOpenFileName(window_, tr("Open scenario"), folder, filter());
  return !path.isEmpty() && open(path);
}

bool FileCommands::open(const QString& path) { return mayLoseDocument() && read(path); }

bool FileCommands::read(const QString& path) {
  const QString what = tr("%1 cannot be opened").arg(QFileInfo(path).fileName());
  try {
    const Findings findings = session_.document().open(path);
    if (findings.has_errors()) {
      refuse(what, findings);
      return false;
    }
  } catch (const WorldError& error) {
    if (!QFileInfo::exists(path)) emit missing(path);
    refuse(what, QString::fromUtf8(error.what()));
    return false;
  }
  emit used(path);
  return true;
}

bool FileCommands::save() {
  const QString& path = session_.document().path();
  return path.isEmpty() ? saveAs() : write(path);
}

bool FileCommands::saveAs() {
  QString path = QFileDialog::getSaveFileName(window_, tr("Save scenario"), session_.document().path(), filter());
  if (path.isEmpty()) return false;
  if (QFileInfo(path).suffix().isEmpty()) path += ".json";
  return write(path);
}

bool FileCommands::write(const QString& path) {
  try {
    session_.document().save(path);
  } catch (const WorldError& error) {
    refuse(tr("%1 cannot be saved").arg(QFileInfo(path).fileName()), QString::fromUtf8(error.what()));
    return false;
  }
  emit used(path);
  return true;
}

bool FileCommands::mayLoseDocument() {
  if (!session_.document().isModified()) return true;
  const QString& path = session_.document().path();
  const QString name = path.isEmpty() ? tr("the new scenario") : QFileInfo(path).fileName();
  QMessageBox question(QMessageBox::Warning, tr("Unsaved changes"), tr("Save changes to %1?").arg(name),
                       QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, window_);
  question.setObjectName("unsavedQuestion");
  question.setDefaultButton(QMessageBox::Save);
  switch (question.exec()) {
    case QMessageBox::Save:
      return save();
    case QMessageBox::Discard:
      return true;
    default:
      return false;
  }
}

void FileCommands::recover(const Recovered& recovered) {
  if (!recovered.path.isEmpty() && QFileInfo::exists(recovered.path)) read(recovered.path);
  session_.document().replaceScenario(recovered.scenario, tr("Recovered changes"));
}

void FileCommands::refuse(const QString& what, const Findings& findings) {
  auto* dialog = new QDialog(window_);
  dialog->setObjectName("refusedFile");
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(what);
  auto* column = new QVBoxLayout(dialog);
  column->addWidget(new QLabel(tr("%1; the open scenario is as it was.").arg(what), dialog));
  auto* list = new FindingsPanel(dialog);
  list->setFindings(findings);
  column->addWidget(list);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
  connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  column->addWidget(buttons);
  const QFontMetrics metrics = dialog->fontMetrics();
  dialog->resize(metrics.horizontalAdvance('x') * 110, metrics.height() * 18);
  dialog->open();
}

void FileCommands::refuse(const QString& what, const QString& why) {
  auto* message = new QMessageBox(QMessageBox::Warning, what, what + "\n\n" + why, QMessageBox::Ok, window_);
  message->setObjectName("fileTrouble");
  message->setAttribute(Qt::WA_DeleteOnClose);
  message->open();
}

}  // namespace stallcast::gui
