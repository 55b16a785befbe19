// The catalogue as a person reads it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"

namespace stallcast {

// What `catalogue list` shows of a record.
struct CatalogueRow {
  std::string kind;  // "tier", "instance", ...
  std::string name;
  std::string provider;  // "" for kinds that have none
  std::string status;    // "current" or "legacy"
  std::string sells;     // of tiers: "12 TiB or more, 13.8 GiB/s, $0.14/GiB-month" at the smallest size; of others ""
  std::string title;
  std::string overlay;  // directory that the record is from, "" for the catalogue itself
};

// Every record of `kind` and of `provider`, by kind and then by name; "" is any.
std::vector<CatalogueRow> list_records(const Catalogue& catalogue, const std::string& kind = "",
                                       const std::string& provider = "");

// A header and a line for each, in columns.
std::string rows_text(const std::vector<CatalogueRow>& rows);

// [{"kind", "name", "provider", "status", "sells", "title", "overlay"}]: null where a row has none.
nlohmann::ordered_json rows_json(const std::vector<CatalogueRow>& rows);

// One record as text: what it is, then every number with its kind, source and note, and what other sources say.
// `name` is "parallelstore" or, where two kinds share a name, "tier/parallelstore".
// **Errors** the finding "unknown_record" with the nearest name.
Loaded<std::string> show_record(const Catalogue& catalogue, const std::string& name);

}  // namespace stallcast
