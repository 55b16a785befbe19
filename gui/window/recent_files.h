// The scenarios opened and saved last, in the settings of the program.
#pragma once

#include <QMenu>
#include <QObject>
#include <QStringList>

namespace stallcast::gui {

class RecentFiles : public QObject {
  Q_OBJECT
 public:
  static constexpr int kMost = 10;

  // Fills `menu` each time it is about to be shown.
  explicit RecentFiles(QMenu* menu, QObject* parent = nullptr);

  QStringList paths() const;  // latest first
  void add(const QString& path);
  void forget(const QString& path);

 signals:
  void chosen(const QString& path);

 private:
  void fill();

  QMenu* menu_;
};

}  // namespace stallcast::gui
