// What is selected, in all views alike: a key of chart data, "storage_latency", "/loader/num_workers", "A".
#pragma once

#include <QObject>
#include <QString>

namespace stallcast::gui {

class Selection : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  // "" is nothing.
  const QString& key() const { return key_; }
  void select(const QString& key);

 signals:
  void changed(const QString& key);

 private:
  QString key_;
};

}  // namespace stallcast::gui
