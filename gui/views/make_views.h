// Every view of the window, in the order of its tabs.
#pragma once

#include <vector>

#include "gui/views/view.h"

namespace stallcast::gui {

// Without a parent: the window takes them.
std::vector<View*> makeViews(Session& session);

}  // namespace stallcast::gui
