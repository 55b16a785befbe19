#include "gui/views/make_views.h"

namespace stallcast::gui {

std::vector<View*> makeViews(Session&) { return {}; }

}  // namespace stallcast::gui
