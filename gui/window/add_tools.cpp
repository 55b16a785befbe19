#include "gui/window/add_tools.h"

#include <QMenu>

#include "gui/about/about_dialog.h"
#include "gui/about/keys_dialog.h"
#include "gui/tour/tour.h"
#include "gui/wizard/attach_dialog.h"
#include "gui/wizard/import_dlio_dialog.h"
#include "gui/wizard/probe_wizard.h"

namespace stallcast::gui {

void addTools(QMainWindow& window, Session& session) {
  if (auto* const tools = window.findChild<QMenu*>("toolsMenu"))
    tools->addActions({attachAction(session, &window), probeAction(session, &window),
                       importMeasurementsAction(session, &window), importDlioAction(session, &window)});
  if (auto* const help = window.findChild<QMenu*>("helpMenu"))
    help->addActions({tourAction(window, session), keysAction(window), aboutAction(&window)});
}

}  // namespace stallcast::gui
