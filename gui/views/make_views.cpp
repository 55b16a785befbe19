#include "gui/views/make_views.h"

#include "gui/views/curve_view.h"
#include "gui/views/headline_view.h"
#include "gui/views/pareto_view.h"
#include "gui/views/result_views.h"
#include "gui/views/tornado_view.h"

namespace stallcast::gui {

std::vector<View*> makeViews(Session& session) {
  return {new HeadlineView(session), new LostTimeView(session), new CostView(session),
          new CurveView(session),    new ParetoView(session),   new TornadoView(session)};
}

}  // namespace stallcast::gui
