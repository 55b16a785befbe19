// The options of every command that reads the catalogue.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"

namespace stallcast {

struct CatalogueOptions {
  std::vector<std::string> overlays;  // directories; a later one takes precedence
};

// --catalogue DIR, repeatable.
void add_catalogue_option(CLI::App& command, CatalogueOptions& options);

// The shipped records, under the overlays of $STALLCAST_CATALOGUE, under those of the options.
// **Errors** as load_catalogue.
Loaded<Catalogue> load_catalogue(const CatalogueOptions& options);

}  // namespace stallcast
