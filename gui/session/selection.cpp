#include "gui/session/selection.h"

namespace stallcast::gui {

void Selection::select(const QString& key) {
  if (key == key_) return;
  key_ = key;
  emit changed(key_);
}

}  // namespace stallcast::gui
