// The catalogue that stallcast brings, read once for a test program.
#pragma once

#include <filesystem>

#include "core/catalogue/catalogue.h"

namespace stallcast {

inline const Catalogue& shipped_catalogue() {
  static const Catalogue catalogue =
      load_catalogue(std::filesystem::path(STALLCAST_SOURCE_DIR) / "models").value.value();
  return catalogue;
}

}  // namespace stallcast
