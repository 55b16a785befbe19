// What else the window's menus offer: wizards, reports, help.
#pragma once

#include <QMainWindow>

#include "gui/session/session.h"

namespace stallcast::gui {

// Adds to the menus "toolsMenu" and "helpMenu" (object names) of `window`. Called once, when they are there.
void addTools(QMainWindow& window, Session& session);

}  // namespace stallcast::gui
