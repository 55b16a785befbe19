#include <QCoreApplication>
#include <filesystem>

#include "gui/tour/tour.h"

namespace stallcast::gui {
namespace {

QString tourText(const char* text) { return QCoreApplication::translate("Tour", text); }

}  // namespace

std::vector<TourStep> tourSteps() {
  return {
      {tourText("Where GPU time goes"),
       tourText("This is a real question: 32 H100 GPUs train 3D U-Net from the largest Parallelstore. The storage has "
                "bandwidth to spare, and yet the GPUs stand still part of the time."),
       QStringLiteral("headline"),
       {}},
      {tourText("The answer is live"),
       tourText("An estimate is there at once, the simulated value with its interval a moment later. Everything you "
                "change in the scenario panel is answered like this."),
       QStringLiteral("scenarioPanel"),
       {}},
      {tourText("What is in the way"),
       tourText("The data path shows every limit as a pipe that is as full as it is used. The tightest one is "
                "hatched: four storage clients of 20 GB/s, not the storage."),
       QStringLiteral("dataPathView"),
       [](Session& session) { session.selection().select(QStringLiteral("client_cap")); }},
      {tourText("Lost time has a cause"),
       tourText("The same cause is now chosen in every view. Each second that a GPU does not compute has exactly one."),
       QStringLiteral("lost_time"),
       {}},
      {tourText("Change one thing"),
       tourText("Now twice as many nodes read, with the same GPUs on each. Watch the flow and the utilization move. "
                "Undo takes it back, as it does everything."),
       QStringLiteral("headline"), [](Session& session) { session.document().setValue("/cluster/nodes", "8"); }},
      {tourText("From days to microseconds"),
       tourText(
           "The timeline shows the whole run, and once its trace is simulated, what every rank and worker did when. "
           "Plus and minus zoom."),
       QStringLiteral("timelineView"),
       {}},
      {tourText("Your own job"),
       tourText("Open your scenario, or begin with the Tools menu: probe your storage, or import measurements of fio, "
                "DLIO or the PyTorch profiler. Scenarios can be kept side by side as variants."),
       QString(),
       {}},
  };
}

QString headlineScenario(const Catalogue& catalogue) {
  const std::filesystem::path path = std::filesystem::path(catalogue.identity.directory).parent_path() / "scenarios" /
                                     "01_headline_parallelstore.json";
  std::error_code failed;
  return std::filesystem::is_regular_file(path, failed) ? QString::fromStdString(path.string()) : QString();
}

}  // namespace stallcast::gui
