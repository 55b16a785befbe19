#include "core/import/price_feeds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/catalogue/catalogue.h"
#include "core/diagnostics/file_calls.h"
#include "core/import/feed_readers.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

Finding file_finding(const char* code, const std::string& file, std::string got, std::string allowed, std::string why) {
  return {Severity::kError, code, file, "", std::move(got), std::move(allowed), "", std::move(why)};
}

constexpr const char* kKnownFeeds =
    "SkyPilot's vms.csv, an AWS offer file or GetProducts answer, Google Cloud SKUs, or Karpenter's prices for Google "
    "Cloud";

// The first character that says something.
char first_sign(const std::filesystem::path& path) {
  const auto fail = [&] {
    throw WorldError(fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
  };
  const int descriptor = open_file(path, O_RDONLY);
  if (descriptor < 0) fail();
  std::array<char, 4096> start{};
  const ssize_t count = read_some(descriptor, start.data(), start.size());
  const int error = std::exchange(errno, 0);
  (void)close_file(descriptor);
  errno = error;
  if (count < 0) fail();
  const std::string_view text(start.data(), static_cast<std::size_t>(count));
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? '\0' : text[first];
}

// The files of other makers that people may take for price files, by a key that gives them away.
class AzureRetail {
 public:
  static std::vector<JsonPath> patterns() { return {{"BillingCurrency"}}; }
};

Loaded<PriceFeed> read_json_feed(const std::filesystem::path& path, const Catalogue& catalogue,
                                 const FeedOptions& options) {
  const std::string file = path.string();
  const std::array<std::unique_ptr<FeedCollector>, 3> collectors = {aws_collector(file, catalogue, options),
                                                                    gcp_collector(file, catalogue, options),
                                                                    karpenter_collector(file, catalogue, options)};
  std::vector<JsonPath> patterns = AzureRetail::patterns();
  for (const auto& collector : collectors) {
    for (JsonPath& pattern : collector->patterns()) patterns.push_back(std::move(pattern));
  }
  Loaded<PriceFeed> loaded;
  bool azure_retail = false;
  Findings found;
  loaded.findings = stream_json(path, patterns, [&](const JsonPath& at, const Json& value) {
    if (at == JsonPath{"BillingCurrency"}) azure_retail = true;
    for (const auto& collector : collectors) collector->visit(at, value, found);
  });
  loaded.findings.append(found);
  if (loaded.findings.has_errors()) return loaded;
  const auto reader = std::find_if(collectors.begin(), collectors.end(),
                                   [](const auto& collector) { return !collector->what().empty(); });
  if (reader == collectors.end()) {
    loaded.findings.add(file_finding("not_a_price_file", file,
                                     azure_retail ? "an answer of the Azure Retail Prices interface" : "other JSON",
                                     kKnownFeeds, azure_retail ? "for Azure, SkyPilot's azure/vms.csv is read" : ""));
    return loaded;
  }
  const std::string what = (*reader)->what();
  PriceFeed feed = (*reader)->take(loaded.findings);
  if (!options.provider.empty() && feed.provider != options.provider) {
    loaded.findings = {};
    loaded.findings.add(file_finding("wrong_provider", file, what, fmt::format("prices of {}", options.provider), ""));
    return loaded;
  }
  if (!loaded.findings.has_errors()) loaded.value = std::move(feed);
  return loaded;
}

}  // namespace

std::string text_at(const Json& object, const char* key) {
  if (!object.is_object()) return "";
  const auto found = object.find(key);
  if (found == object.end()) return "";
  if (found->is_string()) return found->get<std::string>();
  return found->is_number() ? found->dump() : "";
}

std::string day_of(const std::string& time) {
  if (time.size() < 10) return "";
  const std::string day = time.substr(0, 10);
  const bool fits = std::all_of(day.begin(), day.end(), [](char c) { return (c >= '0' && c <= '9') || c == '-'; });
  return fits && day[4] == '-' && day[7] == '-' ? day : "";
}

std::vector<const TierRecord*> tiers_named(const Catalogue& catalogue, const std::vector<std::string>& names) {
  std::vector<const TierRecord*> tiers;
  for (const std::string& name : names) {
    if (const auto found = catalogue.tiers.find(name); found != catalogue.tiers.end()) tiers.push_back(&found->second);
  }
  return tiers;
}

Loaded<PriceFeed> read_price_feed(const std::filesystem::path& path, const Catalogue& catalogue,
                                  const FeedOptions& options) {
  const char sign = first_sign(path);
  if (path.extension() == ".json" || sign == '{' || sign == '[') return read_json_feed(path, catalogue, options);
  const Loaded<CsvTable> table = read_csv(path);
  if (!table.value) return {std::nullopt, table.findings};
  Loaded<PriceFeed> loaded = read_skypilot(*table.value, catalogue, options);
  if (loaded.value && !options.provider.empty() && loaded.value->provider != options.provider) {
    const std::string what = loaded.value->title;
    loaded = {};
    loaded.findings.add(
        file_finding("wrong_provider", path.string(), what, fmt::format("prices of {}", options.provider), ""));
  }
  return loaded;
}

}  // namespace stallcast
