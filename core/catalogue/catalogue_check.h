// What is doubtful or impossible about a catalogue that can be read.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "core/catalogue/catalogue.h"
#include "core/diagnostics/finding.h"

namespace stallcast {

// Days after which somebody should read a source again.
inline constexpr int kStaleDays = 90;

struct CatalogueCheck {
  std::size_t records = 0;
  std::size_t numbers = 0;   // facts and prices
  std::size_t examples = 0;  // numbers that vendors print, compared with the records'
  Findings findings;
};

// Looks at every number as of `today`, "2026-11-21"; what load_catalogue() told is not repeated. Errors:
// "law_contradicts_example", "example_not_sold", "implausible_number" (plausibility.h). Warnings: "stale_source" (read
// more than kStaleDays ago; "2026-11" counts from its last day), "date_in_future", "not_a_date", "unit_slip",
// "dearer_than_on_demand", "unknown_price".
// **Errors** InvariantError when `today` is no date.
CatalogueCheck check_catalogue(const Catalogue& catalogue, const std::string& today);

// "61 records, 812 numbers, 24 of vendors' examples: 0 errors, 3 warnings"
std::string check_text(const CatalogueCheck& check);

// {"records", "numbers", "examples", "errors", "warnings", "findings": [{"severity", "code", "file", "pointer", "got",
// "allowed", "fix", "why"}]}
nlohmann::ordered_json check_json(const CatalogueCheck& check);

}  // namespace stallcast
