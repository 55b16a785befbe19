// A scenario with nothing left open: every value is there, and says where it came from.
#pragma once

#include <map>
#include <string>

#include "core/catalogue/catalogue.h"
#include "core/diagnostics/finding.h"
#include "core/scenario/scenario.h"

namespace stallcast {

enum class Origin { kFile, kOverride, kCatalogue, kDefault };

// Where one value came from; `source` is the record's own source text for kCatalogue, else "".
struct Provenance {
  Origin origin = Origin::kDefault;
  std::string record;  // Record::label(), "tier/parallelstore", for kCatalogue
  std::string source;  // title, locator, date read
  std::string kind;    // "measured", "vendor", "assumed", for kCatalogue
  std::string note;    // conditions, or what other sources say, for kCatalogue
};

struct ResolvedScenario {
  Scenario scenario;
  std::map<std::string, Provenance> provenance;  // JSON pointer of every field -> where its value came from
  Findings warnings;
  CatalogueIdentity catalogue;  // that the records are from
};

}  // namespace stallcast
