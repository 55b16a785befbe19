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
  std::string record;  // "storage/parallelstore", for kCatalogue
  std::string source;  // title, locator, date read
  std::string kind;    // "measured", "vendor", "assumed", for kCatalogue
};

struct ResolvedScenario {
  Scenario scenario;
  std::map<std::string, Provenance> provenance;  // JSON pointer of the field -> where its value came from
  Findings warnings;
};

}  // namespace stallcast
