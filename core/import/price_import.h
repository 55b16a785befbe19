// Prices from feeds, compared with the catalogue and written as an overlay that holds only what changed.
#pragma once
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/diagnostics/finding.h"
#include "core/import/price_quote.h"

namespace stallcast {

struct PriceChange {
  std::string record;  // "instance/p5.48xlarge"
  std::string key;     // "on_demand"
  std::string before;  // "$98.32 per hour", or "" where the record had no such price
  std::string after;
  double percent = 0.0;  // of the price before; 0 where there was none
};

struct PriceImport {
  struct FeedLine {
    std::string file, title, as_of;
    std::size_t quotes = 0;
  };
  std::vector<FeedLine> feeds;
  std::vector<PriceChange> changes;
  std::size_t unchanged = 0;
  std::vector<std::string> not_in_feeds;  // priced records of these providers that no feed has
  std::vector<std::string> unmatched;     // what the feeds price and no record describes
  // Files to write, by path; complete records of an overlay.
  std::map<std::filesystem::path, nlohmann::ordered_json> files;
};

// Reads `feeds` and compares them with `catalogue`, which is what the user sees today, the overlay in `directory`
// included. A price is unchanged when it differs by less than 2e-5, which a rounded month or hour may.
// Nothing is written. `today` is the date of reading for the new sources.
// **Errors** as read_price_feed(); "two_prices" (a warning) where feeds disagree: the last one counts.
Loaded<PriceImport> import_prices(const std::vector<std::filesystem::path>& feeds, const FeedOptions& options,
                                  const Catalogue& catalogue, const std::filesystem::path& directory,
                                  const std::string& today);

// Each file complete or not at all; directories are made. **Errors** WorldError.
void write_overlay(const PriceImport& prices);

// What changed, what is new, what was not found, and the age of the feeds.
std::string import_text(const PriceImport& prices, const std::string& today);

}  // namespace stallcast
