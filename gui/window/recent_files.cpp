#include "gui/window/recent_files.h"

#include <QAction>
#include <QFileInfo>
#include <QSettings>

namespace stallcast::gui {
namespace {

constexpr const char* kKey = "recentFiles";

}  // namespace

RecentFiles::RecentFiles(QMenu* menu, QObject* parent) : QObject(parent), menu_(menu) {
  connect(menu_, &QMenu::aboutToShow, this, &RecentFiles::fill);
  fill();
}

QStringList RecentFiles::paths() const { return QSettings().value(kKey).toStringList(); }

void RecentFiles::add(const QString& path) {
  const QString absolute = QFileInfo(path).absoluteFilePath();
  QStringList list = paths();
  list.removeAll(absolute);
  list.prepend(absolute);
  QSettings().setValue(kKey, list.mid(0, kMost));
  fill();
}

void RecentFiles::forget(const QString& path) {
  QStringList list = paths();
  list.removeAll(QFileInfo(path).absoluteFilePath());
  QSettings().setValue(kKey, list);
  fill();
}

void RecentFiles::fill() {
  menu_->clear();
  int number = 0;
  for (const QString& path : paths()) {
    const QString name = QFileInfo(path).fileName().replace('&', "&&");
    QAction* action = menu_->addAction(QStringLiteral("&%1  %2").arg(++number % 10).arg(name));
    action->setToolTip(path);
    action->setData(path);
    connect(action, &QAction::triggered, this, [this, path] { emit chosen(path); });
  }
  menu_->setToolTipsVisible(true);
  menu_->setEnabled(number > 0);
}

}  // namespace stallcast::gui
