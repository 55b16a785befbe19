// A scenario with nothing left open: every value is there, and says where it came from.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/diagnostics/finding.h"
#include "core/scenario/scenario.h"

namespace stallcast {

enum class Origin { kFile, kOverride, kCatalogue, kDefault };

// Where one value came from; `source` is the record's own source text for kCatalogue, and of a default what it is taken
// from where it is more than "off", else "".
struct Provenance {
  Origin origin = Origin::kDefault;
  std::string record;  // Record::label(), "tier/parallelstore", for kCatalogue
  std::string source;  // title, locator, date read
  std::string kind;    // "measured", "vendor", "assumed", for kCatalogue
  std::string note;    // conditions, or what other sources say, for kCatalogue
  // 90 % interval of the true value over the value taken, where the source states one; both 1 where it does not.
  double low_factor = 1.0, high_factor = 1.0;
};

// Copies of the records that a scenario names, for what no field holds: prices and how time is billed.
struct NamedRecords {
  std::optional<InstanceRecord> instance;
  std::optional<TierRecord> storage;
  std::optional<TierRecord> origin;
};

struct ResolvedScenario {
  Scenario scenario;
  std::map<std::string, Provenance> provenance;  // JSON pointer of every field -> where its value came from
  Findings warnings;
  NamedRecords records;
  CatalogueIdentity catalogue;                    // that the records are from
  std::vector<ResolvedScenario> concurrent_jobs;  // the other jobs on this storage, in the order of run.concurrent_jobs
};

}  // namespace stallcast
