// Where a person can start from: recent files and examples, as cards with the data path of each job.
#pragma once

#include <QListWidget>

#include "core/catalogue/catalogue.h"

namespace stallcast::gui {

// Items have the file's path in Qt::UserRole. Files are read when their card is first drawn; one that cannot be read
// has no picture.
class StartList : public QListWidget {
  Q_OBJECT
 public:
  StartList(const Catalogue& catalogue, const QStringList& recent, QWidget* parent);
};

}  // namespace stallcast::gui
