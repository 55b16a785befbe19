#include "gui/window/add_tools.h"

namespace stallcast::gui {

void addTools(QMainWindow&, Session&) {}

}  // namespace stallcast::gui
