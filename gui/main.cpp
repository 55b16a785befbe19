// stallcast-gui [--catalogue DIR]... [SCENARIO...]: a window for each scenario.
#include <QApplication>
#include <QIcon>
#include <QMessageBox>
#include <QSettings>
#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "core/result/program_version.h"
#include "gui/main_window.h"
#include "gui/start/start_dialog.h"
#include "gui/window/appearance.h"
#include "gui/window/start_options.h"

namespace {

using namespace stallcast;
using namespace stallcast::gui;

// Windows go before what they show.
struct Desk {
  std::vector<std::unique_ptr<Session>> sessions;
  std::vector<std::unique_ptr<MainWindow>> windows;

  MainWindow& addWindow(const Catalogue& catalogue) {
    sessions.push_back(std::make_unique<Session>(catalogue));
    windows.push_back(std::make_unique<MainWindow>(*sessions.back()));
    windows.back()->show();
    return *windows.back();
  }
};

// Without a window where only help or the version is asked for: that needs no display.
std::unique_ptr<QCoreApplication> makeApplication(int& argc, char** argv) {
  const auto asks_for_text = [](std::string_view argument) {
    return argument == "--version" || argument == "-v" || argument == "--help" || argument == "-h";
  };
  if (std::any_of(argv + 1, argv + argc, asks_for_text)) return std::make_unique<QCoreApplication>(argc, argv);
  return std::make_unique<QApplication>(argc, argv);
}

// Nothing, with a message, when the catalogue cannot be read.
std::optional<Catalogue> readCatalogue(const StartOptions& options) {
  QString why;
  try {
    Loaded<Catalogue> loaded = loadCatalogue(options);
    if (loaded.ok()) return std::move(loaded.value);
    for (const Finding& finding : loaded.findings.list())
      if (finding.severity == Severity::kError) why += QString::fromStdString(render_finding(finding)) + "\n";
  } catch (const WorldError& error) {
    why = QString::fromUtf8(error.what());
  }
  QMessageBox::critical(nullptr, QObject::tr("stallcast"), QObject::tr("The catalogue cannot be read.\n\n%1").arg(why));
  return std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  const std::unique_ptr<QCoreApplication> application = makeApplication(argc, argv);
  QApplication::setApplicationName("stallcast");
  QApplication::setOrganizationName("stallcast");
  QApplication::setApplicationVersion(QString::fromStdString(std::string(program_version())));
  QApplication::setDesktopFileName("org.stallcast.stallcast");  // so that a desktop knows whose window it is
  QCommandLineParser parser;
  addStartOptions(parser);
  parser.process(*application);
  const StartOptions options = startOptions(parser);
  applyAppearance(appearanceOf(QSettings().value("appearance").toString()));
  QApplication::setWindowIcon(QIcon::fromTheme("stallcast"));
  const std::optional<Catalogue> catalogue = readCatalogue(options);
  if (!catalogue) return 3;
  Desk desk;
  for (const QString& path : options.scenarios) desk.addWindow(*catalogue).files().open(path);
  if (desk.windows.empty()) desk.addWindow(*catalogue);
  desk.windows.front()->offerRecovery(Autosave::usualFolder(), [&] { return &desk.addWindow(*catalogue); });
  if (options.scenarios.isEmpty() && StartDialog::isWanted()) desk.windows.front()->showStart();
  return QApplication::exec();
}
