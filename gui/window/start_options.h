// What the desktop program is started with.
#pragma once

#include <QCommandLineParser>
#include <QStringList>
#include <filesystem>
#include <vector>

#include "core/catalogue/catalogue.h"

namespace stallcast::gui {

struct StartOptions {
  QStringList scenarios;
  std::vector<std::filesystem::path> overlays;  // absolute, so that a copied command finds them anywhere
};

// Adds SCENARIO..., --catalogue, --help and --version.
void addStartOptions(QCommandLineParser& parser);
// Of a parser that has read its arguments.
StartOptions startOptions(const QCommandLineParser& parser);

// The shipped catalogue with the overlays of the environment and then those of `options`, as the command line reads it.
// **Errors** as load_catalogue
Loaded<Catalogue> loadCatalogue(const StartOptions& options);

}  // namespace stallcast::gui
