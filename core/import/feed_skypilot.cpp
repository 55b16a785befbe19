// SkyPilot's vms.csv. AWS and Azure have a row per machine and region; Google Cloud has one for the machine without its
// accelerators and one for the accelerators, which together are the price.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/catalogue/catalogue.h"
#include "core/import/feed_readers.h"
#include "core/units/plain_text.h"

namespace stallcast {
namespace {

constexpr const char* kPlaceholder = "700.0";  // what stands where no price is known

// Which cloud the machines are of, by how they are called.
std::string provider_of(const CsvTable& table) {
  std::array<std::size_t, 3> votes{};
  for (const CsvTable::Row& row : table.rows) {
    const std::string& name = table.cell(row, "InstanceType");
    if (name.starts_with("Standard_") || name.starts_with("Basic_")) {
      ++votes[2];
    } else if (name.find('.') != std::string::npos) {
      ++votes[0];
    } else if (name.find('-') != std::string::npos) {
      ++votes[1];
    }
  }
  const auto most = std::max_element(votes.begin(), votes.end());
  if (*most == 0) return "";
  return std::array<const char*, 3>{"aws", "gcp", "azure"}.at(static_cast<std::size_t>(most - votes.begin()));
}

class SkypilotReader {
 public:
  SkypilotReader(const CsvTable& table, const Catalogue& catalogue, const FeedOptions& options)
      : table_(table), catalogue_(catalogue), options_(options) {}

  Loaded<PriceFeed> read() {
    if (!has_columns()) return std::move(loaded_);
    feed_.file = table_.file;
    feed_.provider = provider_of(table_);
    if (feed_.provider.empty()) {
      fail("not_a_price_file", "", "no machine of AWS, Google Cloud or Azure", "SkyPilot's vms.csv of one of them");
      return std::move(loaded_);
    }
    feed_.title = fmt::format("SkyPilot catalogue of {}, vms.csv", feed_.provider == "aws"   ? "AWS"
                                                                   : feed_.provider == "gcp" ? "Google Cloud"
                                                                                             : "Azure");
    std::set<std::string> unknown;
    for (const CsvTable::Row& row : table_.rows) sort_in(row, unknown);
    for (const auto& [name, instance] : catalogue_.instances) {
      if (instance.provider == feed_.provider) quote(instance);
    }
    feed_.unmatched.assign(unknown.begin(), unknown.end());
    if (!loaded_.findings.has_errors()) loaded_.value = std::move(feed_);
    return std::move(loaded_);
  }

 private:
  struct Prices {
    std::optional<Dollars> on_demand, spot;
  };

  void fail(const char* code, std::string pointer, std::string got, std::string allowed) {
    loaded_.findings.add(
        {Severity::kError, code, table_.file, std::move(pointer), std::move(got), std::move(allowed), "", ""});
  }

  bool has_columns() {
    for (const char* column : {"InstanceType", "AcceleratorName", "AcceleratorCount", "Price", "SpotPrice", "Region"}) {
      if (table_.columns.contains(column)) continue;
      const bool others = table_.columns.count("InstanceType") + table_.columns.count("Price") != 0;
      fail(others ? "missing_column" : "not_a_price_file", "",
           fmt::format("a table with {}", fmt::join(table_.header, ", ")),
           others ? fmt::format("the column {}", column)
                  : "SkyPilot's vms.csv, with InstanceType, Price, SpotPrice and Region");
      return false;
    }
    return true;
  }

  std::optional<Dollars> price(const CsvTable::Row& row, const char* column) {
    const std::string& text = table_.cell(row, column);
    if (text.empty() || text == kPlaceholder) return std::nullopt;  // not offered
    const auto amount = dollars_of(text);
    if (amount && *amount >= 0) return amount;
    if (!told_)
      fail("wrong_number", "", fmt::format("\"{}\" for {} in line {}", text, column, row.line), "a price in dollars");
    told_ = true;
    return std::nullopt;
  }

  static void lower(std::optional<Dollars>& known, const std::optional<Dollars>& found) {
    if (found && (!known || *found < *known)) known = found;  // zones differ in spot prices: the cheapest is offered
  }

  // By region and machine, and by region, accelerator and their number.
  void sort_in(const CsvTable::Row& row, std::set<std::string>& unknown) {
    const std::string& region = table_.cell(row, "Region");
    const std::string& name = table_.cell(row, "InstanceType");
    const std::string& accelerator = table_.cell(row, "AcceleratorName");
    Prices& prices = name.empty() ? parts_[region + "/" + accelerator + "/" + count_of(row)]
                                  : machines_[region + "/" + lowered(name)];
    lower(prices.on_demand, price(row, "Price"));
    lower(prices.spot, price(row, "SpotPrice"));
    if (!name.empty() && !accelerator.empty() && !catalogue_.instances.contains(name) &&
        !catalogue_.instances.contains(lowered(name))) {
      unknown.insert(fmt::format("{} ({} x {})", name, count_of(row), accelerator));
    }
  }

  // "8" of "8" or "8.0"
  std::string count_of(const CsvTable::Row& row) const {
    const std::string& text = table_.cell(row, "AcceleratorCount");
    return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
  }

  void quote(const InstanceRecord& instance) {
    const std::string region = wanted_region(instance, feed_.provider, options_);
    const auto machine = machines_.find(region + "/" + lowered(instance.name));
    if (machine == machines_.end()) return;
    Prices prices = machine->second;
    std::string note = region;
    if (feed_.provider == "gcp") {
      const GcpMachine* parts = gcp_machine(instance.name);
      if (parts == nullptr) return;
      const auto accelerators = parts_.find(fmt::format("{}/{}/{}", region, parts->accelerator, instance.gpus.value));
      if (accelerators == parts_.end()) return;
      const auto sum = [](std::optional<Dollars>& total, const std::optional<Dollars>& part) {
        total = total && part ? std::optional<Dollars>(*total + *part) : std::nullopt;
      };
      note = fmt::format("{}; the machine and {} x {}", region, instance.gpus.value, parts->accelerator);
      sum(prices.on_demand, accelerators->second.on_demand);
      sum(prices.spot, accelerators->second.spot);
    }
    const auto add = [&](const char* key, const std::optional<Dollars>& usd) {
      if (usd) feed_.quotes.push_back({"instance", instance.name, key, "hour", *usd, region, "", note});
    };
    add("on_demand", prices.on_demand);
    add("spot", prices.spot);
  }

  const CsvTable& table_;
  const Catalogue& catalogue_;
  const FeedOptions& options_;
  Loaded<PriceFeed> loaded_;
  PriceFeed feed_;
  std::map<std::string, Prices> machines_, parts_;
  bool told_ = false;
};

}  // namespace

Loaded<PriceFeed> read_skypilot(const CsvTable& table, const Catalogue& catalogue, const FeedOptions& options) {
  return SkypilotReader(table, catalogue, options).read();
}

}  // namespace stallcast
