// The parts of read_price_feed(): one reader for each publisher.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/import/csv_table.h"
#include "core/import/json_stream.h"
#include "core/import/price_feeds.h"

namespace stallcast {

// Rows of machines by region, from SkyPilot's vms.csv of the cloud that it seems to be of.
Loaded<PriceFeed> read_skypilot(const CsvTable& table, const Catalogue& catalogue, const FeedOptions& options);

// Takes the parts of a JSON feed as they pass by.
class FeedCollector {
 public:
  virtual ~FeedCollector() = default;
  virtual std::vector<JsonPath> patterns() const = 0;
  // `value` at a path of the shape of one of patterns(); other collectors' parts are ignored.
  virtual void visit(const JsonPath& path, const nlohmann::ordered_json& value, Findings& findings) = 0;
  // What kind of file it is, "an AWS offer file (AmazonEC2)", or "" when it is none of this collector's.
  virtual std::string what() const = 0;
  virtual PriceFeed take(Findings& findings) = 0;
};

std::unique_ptr<FeedCollector> aws_collector(const std::string& file, const Catalogue& catalogue,
                                             const FeedOptions& options);
std::unique_ptr<FeedCollector> gcp_collector(const std::string& file, const Catalogue& catalogue,
                                             const FeedOptions& options);
std::unique_ptr<FeedCollector> karpenter_collector(const std::string& file, const Catalogue& catalogue,
                                                   const FeedOptions& options);

// --- small things that all of them need ---

// A text or a number of a JSON object as text, "" when it is neither or not there.
std::string text_at(const nlohmann::ordered_json& object, const char* key);

// The day of "2026-11-09T12:00:00Z"; "" when it does not begin with one.
std::string day_of(const std::string& time);

// The records of a provider that a vendor's price applies to: those of `names` that the catalogue has.
std::vector<const TierRecord*> tiers_named(const Catalogue& catalogue, const std::vector<std::string>& names);

}  // namespace stallcast
