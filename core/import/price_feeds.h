// Readers of price files that clouds and other projects publish. They take what the catalogue has records for.
#pragma once

#include <filesystem>
#include <string>

#include "core/catalogue/catalogue.h"
#include "core/import/price_quote.h"

namespace stallcast {

// Reads whichever it is of:
//   SkyPilot's vms.csv (AWS, Google Cloud with machine and accelerator rows, Azure);
//   AWS offer files (AmazonEC2, AmazonFSx, AmazonS3, AmazonEFS) and answers of GetProducts, as a stream;
//   Google Cloud Billing SKUs: a page, an array of pages, or pages one after the other;
//   prices of the Karpenter provider for Google Cloud.
// **Source** https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/price-changes.html,
//   https://cloud.google.com/billing/docs/reference/rest/v1/services.skus/list,
//   https://github.com/skypilot-org/skypilot-catalog
// **Errors** WorldError; findings: "not_a_price_file", "wrong_provider", "missing_column", "wrong_number",
//   "mixed_currencies", "wrong_currency", and those of stream_json(). An error leaves no feed.
Loaded<PriceFeed> read_price_feed(const std::filesystem::path& path, const Catalogue& catalogue,
                                  const FeedOptions& options);

// How Google's machines are priced: by parts. Of the name of a machine, its family's row; null when there is none.
struct GcpMachine {
  std::string prefix;     // "a3-highgpu"
  std::string core, ram;  // how their SKUs begin; other spellings after "|"
  std::string gpu;
  std::string accelerator;  // SkyPilot's name
  bool has_local_ssd;       // sold with the local SSDs of its record
};
const GcpMachine* gcp_machine(const std::string& instance);

}  // namespace stallcast
