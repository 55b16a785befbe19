#include "gui/window/start_options.h"

#include <QObject>

namespace stallcast::gui {
namespace {

const QString kCatalogue = QStringLiteral("catalogue");

}  // namespace

void addStartOptions(QCommandLineParser& parser) {
  parser.setApplicationDescription(QObject::tr("What-if on the cost and capacity of GPU training."));
  parser.addHelpOption();
  parser.addVersionOption();
  parser.addOption({kCatalogue,
                    QObject::tr("Directory of records that take precedence over the shipped ones; may be repeated, the "
                                "last wins"),
                    QStringLiteral("DIR")});
  parser.addPositionalArgument("SCENARIO", QObject::tr("Scenario files, each in a window"), "[SCENARIO...]");
}

StartOptions startOptions(const QCommandLineParser& parser) {
  StartOptions options;
  options.scenarios = parser.positionalArguments();
  for (const QString& folder : parser.values(kCatalogue))
    options.overlays.push_back(std::filesystem::absolute(folder.toStdString()));
  return options;
}

Loaded<Catalogue> loadCatalogue(const StartOptions& options) {
  std::vector<std::filesystem::path> overlays = environment_overlays();
  overlays.insert(overlays.end(), options.overlays.begin(), options.overlays.end());
  return load_catalogue(find_models_directory(), overlays);
}

}  // namespace stallcast::gui
