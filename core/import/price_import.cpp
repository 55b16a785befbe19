#include "core/import/price_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <system_error>

#include "core/catalogue/dates.h"
#include "core/catalogue/unit_price.h"
#include "core/diagnostics/atomic_file.h"
#include "core/diagnostics/json_input.h"
#include "core/import/price_feeds.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr double kSame = 2e-5;

std::string price_text(const std::string& amount, const std::string& per) {
  return fmt::format("${} per {}", amount, per);
}

const Record* record_of(const Catalogue& catalogue, const PriceQuote& quote) {
  if (quote.kind == "instance") return &catalogue.instances.at(quote.name);
  return &catalogue.tiers.at(quote.name);
}

class PriceImporter {
 public:
  PriceImporter(const Catalogue& catalogue, fs::path directory, std::string today)
      : catalogue_(catalogue), directory_(std::move(directory)), today_(std::move(today)) {}

  void add(PriceFeed feed, Findings& findings) {
    providers_.insert(feed.provider);
    out_.feeds.push_back({feed.file, feed.title, feed.as_of, feed.quotes.size()});
    unmatched_.insert(feed.unmatched.begin(), feed.unmatched.end());
    for (PriceQuote& quote : feed.quotes) {
      const std::string place = fmt::format("{}/{}/{}", quote.kind, quote.name, quote.key);
      if (quote.usd < 0) {
        findings.add({Severity::kError, "wrong_number", feed.file, "",
                      fmt::format("{} for {}", price_text(decimal_text(quote.usd), quote.per), place),
                      "a price from $0 on", "", ""});
        continue;
      }
      const auto known = quotes_.find(place);
      if (known != quotes_.end() && known->second.first.usd != quote.usd) {
        findings.add({Severity::kWarning, "two_prices", feed.file, "",
                      fmt::format("{} for {}", price_text(decimal_text(quote.usd), quote.per), place),
                      fmt::format("{}, as before it",
                                  price_text(decimal_text(known->second.first.usd), known->second.first.per)),
                      "", "the last one counts"});
      }
      quotes_.insert_or_assign(place, std::pair(std::move(quote), out_.feeds.size() - 1));
    }
  }

  PriceImport finish(Findings& findings) {
    std::set<std::string> found;
    for (const auto& [place, entry] : quotes_) {
      found.insert(entry.first.kind + "/" + entry.first.name);
      compare(entry.first, out_.feeds[entry.second], findings);
    }
    for (const Record* record : catalogue_.records()) {
      const std::string name = record->kind + "/" + record->name;
      if (!record->prices.empty() && !found.contains(name) && providers_.contains(provider_of(*record))) {
        out_.not_in_feeds.push_back(name);
      }
    }
    out_.unmatched.assign(unmatched_.begin(), unmatched_.end());
    return std::move(out_);
  }

 private:
  std::string provider_of(const Record& record) const {
    if (record.kind == "tier") return catalogue_.tiers.at(record.name).provider;
    if (record.kind == "instance") return catalogue_.instances.at(record.name).provider;
    return "";
  }

  void compare(const PriceQuote& quote, const PriceImport::FeedLine& feed, Findings& findings) {
    const Record& record = *record_of(catalogue_, quote);
    const Price price{decimal_text(quote.usd), quote.per, {}};
    const auto now = unit_price(price);
    PriceChange change{record.kind + "/" + record.name, quote.key, "", price_text(price.amount, price.per), 0.0};
    if (const auto old = record.prices.find(quote.key); old != record.prices.end()) {
      const auto before = unit_price(old->second);
      change.before = price_text(old->second.amount, old->second.per);
      if (now && before && before->usd > 0.0) {
        const double ratio = now->usd / before->usd;
        const bool same_place = record.region.empty() || record.region == quote.region;
        if (std::abs(ratio - 1.0) < kSame && same_place) {
          ++out_.unchanged;
          return;
        }
        change.percent = 100.0 * (ratio - 1.0);
      }
    }
    out_.changes.push_back(std::move(change));
    write(record, quote, feed, findings);
  }

  // Puts the price and its source in the record's file of the overlay.
  void write(const Record& record, const PriceQuote& quote, const PriceImport::FeedLine& feed, Findings& findings) {
    const bool is_here = !record.overlay.empty() && fs::path(record.overlay) == directory_;
    const fs::path path = is_here ? fs::path(record.file) : directory_ / (record.kind + "s") / (record.name + ".json");
    auto place = out_.files.find(path);
    if (place == out_.files.end()) {
      Json json = {{"kind", record.kind}, {"name", record.name}, {"extends", record.name}};
      if (is_here) {
        Loaded<Json> old = read_json_file(path);
        findings.append(old.findings);
        if (old.value && old.value->is_object()) json = std::move(*old.value);
      }
      place = out_.files.emplace(path, std::move(json)).first;
    }
    Json& json = place->second;
    if (record.region != quote.region) json["region"] = quote.region;
    const std::string source = "feed_" + quote.key;
    Json text = {{"title", feed.title},
                 {"locator", fs::path(feed.file).filename().string() + (quote.sku.empty() ? "" : ", SKU " + quote.sku)},
                 {"read", today_}};
    if (!feed.as_of.empty()) text["as_of"] = feed.as_of;
    json["sources"][source] = std::move(text);
    json["prices"][quote.key] = {{"value", "$" + decimal_text(quote.usd)},
                                 {"per", quote.per},
                                 {"source", source},
                                 {"kind", "vendor"},
                                 {"note", quote.note.empty() ? quote.region : quote.note}};
  }

  const Catalogue& catalogue_;
  fs::path directory_;
  std::string today_;
  PriceImport out_;
  std::map<std::string, std::pair<PriceQuote, std::size_t>> quotes_;  // by place, with the feed
  std::set<std::string> unmatched_, providers_;
};

std::string age_text(const std::string& as_of, const std::string& today) {
  const auto from = date_range(as_of);
  const auto to = date_range(today);
  if (as_of.empty() || !from || !to) return "without a date";
  return fmt::format("of {}, {} days old", as_of, (to->last - from->last).count());
}

std::string listing(const char* title, const std::vector<std::string>& items) {
  constexpr std::size_t kShown = 20;
  if (items.empty()) return "";
  std::string text = fmt::format("\n{} ({}):\n", title, items.size());
  for (std::size_t i = 0; i < std::min(kShown, items.size()); ++i) text += "  " + items[i] + "\n";
  if (items.size() > kShown) text += fmt::format("  and {} more\n", items.size() - kShown);
  return text;
}

// One after the other: create_directories() may tell another reason than the system's.
void make_folder(const fs::path& folder) {
  fs::path made;
  for (const fs::path& part : folder) {
    made /= part;
    std::error_code problem;
    if (fs::status(made, problem).type() == fs::file_type::not_found) {
      problem.clear();
      fs::create_directory(made, problem);
    }
    if (problem) throw WorldError(fmt::format("{}: cannot be made: {}", made.string(), problem.message()));
  }
}

}  // namespace

Loaded<PriceImport> import_prices(const std::vector<fs::path>& feeds, const FeedOptions& options,
                                  const Catalogue& catalogue, const fs::path& directory, const std::string& today) {
  Loaded<PriceImport> loaded;
  PriceImporter importer(catalogue, directory, today);
  for (const fs::path& path : feeds) {
    Loaded<PriceFeed> feed = read_price_feed(path, catalogue, options);
    loaded.findings.append(feed.findings);
    if (feed.value) importer.add(std::move(*feed.value), loaded.findings);
  }
  if (loaded.findings.has_errors()) return loaded;
  PriceImport prices = importer.finish(loaded.findings);
  if (!loaded.findings.has_errors()) loaded.value = std::move(prices);
  return loaded;
}

void write_overlay(const PriceImport& prices) {
  AtomicFiles files;
  for (const auto& [path, json] : prices.files) {
    make_folder(path.parent_path());
    files.add(path, json.dump(2) + "\n");
  }
  files.finish();
}

std::string import_text(const PriceImport& prices, const std::string& today) {
  std::string text;
  for (const PriceImport::FeedLine& feed : prices.feeds) {
    text +=
        fmt::format("{}: {}, {}; {} prices taken\n", feed.file, feed.title, age_text(feed.as_of, today), feed.quotes);
  }
  std::size_t record = 0;
  std::size_t key = 0;
  std::size_t before = 0;
  for (const PriceChange& change : prices.changes) {
    record = std::max(record, change.record.size());
    key = std::max(key, change.key.size());
    before = std::max(before, change.before.size());
  }
  const auto is_new = [](const PriceChange& change) { return change.before.empty(); };
  const auto fresh = static_cast<std::size_t>(std::count_if(prices.changes.begin(), prices.changes.end(), is_new));
  text += fmt::format("{} changed, {} new, {} unchanged\n", prices.changes.size() - fresh, fresh, prices.unchanged);
  if (!prices.changes.empty()) text += "\n";
  for (const PriceChange& change : prices.changes) {
    text += fmt::format("  {:<{}}  {:<{}}  {:<{}}  {}  {}\n", change.record, record, change.key, key,
                        is_new(change) ? "-" : change.before, std::max<std::size_t>(before, 1), change.after,
                        is_new(change) ? "new" : fmt::format("{:+.1f} %", change.percent));
  }
  text += listing("Not in the feeds", prices.not_in_feeds);
  text += listing("Not in the catalogue", prices.unmatched);
  return text;
}

}  // namespace stallcast
