// The data path of a job in a few stations, and its small picture: what tells starting points apart at a glance.
#pragma once

#include <QPainter>
#include <QPalette>
#include <QString>
#include <QWidget>
#include <vector>

#include "core/scenario/scenario.h"

namespace stallcast::gui {

enum class StationKind { kBucket, kFileSystem, kOwnDisks, kCache, kNodes, kGpus };

struct Station {
  StationKind kind = StationKind::kFileSystem;
  QString label;  // "Bucket", "4 nodes", "32 GPUs"
};

// From where the data is kept to the GPUs, of a scenario that resolve() filled in.
std::vector<Station> jobPath(const Scenario& scenario);

// "Bucket → 4 nodes → 32 GPUs", for screen readers and tooltips.
QString pathText(const std::vector<Station>& path);

// The stations side by side within `area`, joined by arrows, each with its label below.
void drawPath(QPainter& painter, const QRectF& area, const std::vector<Station>& path, const QPalette& palette);

// The same as a widget, empty without stations.
class JobPicture : public QWidget {
 public:
  explicit JobPicture(QWidget* parent);
  void setPath(std::vector<Station> path);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  std::vector<Station> path_;
};

}  // namespace stallcast::gui
