#include "cli/options/catalogue_options.h"

#include <filesystem>

namespace stallcast {

void add_catalogue_option(CLI::App& command, CatalogueOptions& options) {
  command
      .add_option("--catalogue", options.overlays,
                  "Directory of records that take precedence over the shipped ones; may be repeated, the last wins")
      ->type_name("DIR")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
}

Loaded<Catalogue> load_catalogue(const CatalogueOptions& options) {
  std::vector<std::filesystem::path> overlays = environment_overlays();
  overlays.insert(overlays.end(), options.overlays.begin(), options.overlays.end());
  return load_catalogue(find_models_directory(), overlays);
}

}  // namespace stallcast
