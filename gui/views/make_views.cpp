#include "gui/views/make_views.h"

#include "gui/plan/changes_view.h"
#include "gui/plan/curve_view.h"
#include "gui/plan/find_best_view.h"
#include "gui/plan/tornado_view.h"
#include "gui/report/report_view.h"
#include "gui/variants/variants_panel.h"
#include "gui/views/headline_view.h"
#include "gui/views/path/data_path_view.h"
#include "gui/views/result_views.h"
#include "gui/views/run_timeline_view.h"
#include "gui/views/timeline_view.h"

namespace stallcast::gui {

std::vector<View*> makeViews(Session& session) {
  return {new HeadlineView(session),    new LostTimeView(session), new CostView(session),
          new CurveView(session),       new DataPathView(session), new TimelineView(session),
          new RunTimelineView(session), new FindBestView(session), new TornadoView(session),
          new VariantsPanel(session),   new ChangesView(session),  new ReportView(session)};
}

}  // namespace stallcast::gui
