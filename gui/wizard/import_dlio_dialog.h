// A workload file of DLIO or MLPerf Storage in the place of the open scenario.
#pragma once

#include <QAction>
#include <QWidget>

#include "gui/session/session.h"

namespace stallcast::gui {

// Reads `path`, with the machines and the storage of the open scenario, and puts it in its place as one step back. What
// was found on the way, warnings too; nothing is replaced where there is an error.
Findings importDlio(Session& session, const QString& path);

// Asks for a file, imports it, and says what was found.
QAction* importDlioAction(Session& session, QWidget* window);

}  // namespace stallcast::gui
