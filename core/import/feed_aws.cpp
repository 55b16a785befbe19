// AWS price lists: offer files, which are read as a stream since AmazonEC2's have hundreds of MB, and GetProducts
// answers, whose products are texts inside the JSON.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/catalogue/catalogue.h"
#include "core/diagnostics/json_input.h"
#include "core/import/feed_readers.h"
#include "core/units/plain_text.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

struct Product {
  std::string sku, family;
  std::map<std::string, std::string> attributes;

  std::string attribute(const std::string& name) const {
    const auto found = attributes.find(name);
    return found == attributes.end() ? "" : found->second;
  }
};

// One line of a price: "$0.14 per GB-Mo", from `begin` units on.
struct PriceLine {
  std::string unit, description, begin, currency, amount;
};

struct Term {
  std::string lease, offering, purchase;  // "1yr", "standard", "No Upfront"
  std::vector<PriceLine> lines;
};

struct Terms {
  std::vector<Term> on_demand, reserved;
};

Term read_term(const Json& json) {
  Term term;
  if (json.contains("termAttributes")) {
    const Json& attributes = json["termAttributes"];
    term.lease = text_at(attributes, "LeaseContractLength");
    term.offering = text_at(attributes, "OfferingClass");
    term.purchase = text_at(attributes, "PurchaseOption");
  }
  if (!json.contains("priceDimensions") || !json["priceDimensions"].is_object()) return term;
  for (const auto& [code, line] : json["priceDimensions"].items()) {
    if (!line.is_object() || !line.contains("pricePerUnit") || !line["pricePerUnit"].is_object()) continue;
    for (const auto& [currency, amount] : line["pricePerUnit"].items()) {
      term.lines.push_back({text_at(line, "unit"), text_at(line, "description"), text_at(line, "beginRange"), currency,
                            amount.is_string() ? amount.get<std::string>() : amount.dump()});
    }
  }
  return term;
}

class AwsCollector : public FeedCollector {
 public:
  AwsCollector(std::string file, const Catalogue& catalogue, const FeedOptions& options)
      : catalogue_(catalogue), options_(options) {
    feed_.file = std::move(file);
    feed_.provider = "aws";
  }

  std::vector<JsonPath> patterns() const override {
    return {{"offerCode"},
            {"publicationDate"},
            {"products", "*"},
            {"terms", "OnDemand", "*"},
            {"terms", "Reserved", "*"},
            {"PriceList", "*"}};
  }

  void visit(const JsonPath& path, const Json& value, Findings& findings) override {
    if (path.front() == "offerCode" && path.size() == 1) offer_ = value.is_string() ? value.get<std::string>() : "";
    if (path.front() == "publicationDate" && path.size() == 1 && value.is_string()) {
      feed_.as_of = day_of(value.get<std::string>());
    }
    if (path.front() == "products" && path.size() == 2) add_product(value);
    if (path.front() == "terms" && path.size() == 3) add_terms(path[1], path[2], value);
    if (path.front() == "PriceList" && path.size() == 2) add_listed(value, findings);
  }

  std::string what() const override {
    if (offer_.empty()) return "";
    return fmt::format("{} of AWS ({})", listed_ ? "a GetProducts answer" : "an offer file", offer_);
  }

  PriceFeed take(Findings& findings) override {
    feed_.title = fmt::format("AWS price list, {}", offer_);
    for (const auto& [sku, product] : products_) quote(product);
    for (auto& [key, best] : reserved_) feed_.quotes.push_back(std::move(best.second));
    if (auto finding = currency_finding(currencies_, feed_.file)) {
      findings.add(std::move(*finding));
    } else if (!wrong_number_.empty()) {
      findings.add({Severity::kError, "wrong_number", feed_.file, "", wrong_number_, "a decimal number", "", ""});
    }
    feed_.unmatched.assign(unmatched_.begin(), unmatched_.end());
    return std::move(feed_);
  }

 private:
  void add_product(const Json& json) {
    Product product{text_at(json, "sku"), text_at(json, "productFamily"), {}};
    if (!json.is_object() || !json.contains("attributes") || !json["attributes"].is_object()) return;
    for (const auto& [name, value] : json["attributes"].items()) {
      if (value.is_string()) product.attributes.emplace(name, value.get<std::string>());
    }
    products_seen_ = true;
    if (is_wanted(product)) products_.insert_or_assign(product.sku, std::move(product));
  }

  void add_terms(const std::string& kind, const std::string& sku, const Json& json) {
    // Products stand before terms; should they not, every term is kept until they are known.
    if ((products_seen_ && !products_.contains(sku)) || !json.is_object()) return;
    for (const auto& [code, term] : json.items()) {
      if (!term.is_object()) continue;
      (kind == "OnDemand" ? terms_[sku].on_demand : terms_[sku].reserved).push_back(read_term(term));
    }
  }

  void add_listed(const Json& value, Findings& findings) {
    listed_ = true;
    Json json = value;
    if (value.is_string()) {
      Loaded<Json> parsed = parse_json_text(value.get_ref<const std::string&>(), feed_.file);
      if (!parsed.value) {
        if (!findings.has_errors()) findings.append(parsed.findings);
        return;
      }
      json = std::move(*parsed.value);
    }
    if (!json.is_object() || !json.contains("product")) return;
    if (const std::string code = text_at(json, "serviceCode"); !code.empty()) offer_ = code;
    if (const std::string day = day_of(text_at(json, "publicationDate")); day > feed_.as_of) feed_.as_of = day;
    add_product(json["product"]);
    const std::string sku = text_at(json["product"], "sku");
    if (!json.contains("terms") || !json["terms"].is_object()) return;
    for (const auto& [kind, terms] : json["terms"].items()) add_terms(kind, sku, terms);
  }

  bool is_wanted(const Product& product) const {
    const std::string code = product.attribute("servicecode");
    if (product.attributes.contains("instanceType")) {
      const std::string market = product.attribute("marketoption");
      const auto is = [&](const char* name, const char* value) {
        const std::string has = product.attribute(name);
        return has.empty() || has == value;
      };
      const std::string gpus = product.attribute("gpu");
      const bool known = catalogue_.instances.contains(product.attribute("instanceType"));
      return (known || (!gpus.empty() && gpus != "0" && gpus != "NA")) && is("operatingSystem", "Linux") &&
             is("tenancy", "Shared") && is("preInstalledSw", "NA") && is("capacitystatus", "Used") &&
             (market.empty() || market == "OnDemand");
    }
    return code == "AmazonFSx" || code == "AmazonS3" || code == "AmazonEFS" || code.empty();
  }

  bool is_region(const Product& product, const Record& record) const {
    const std::string region = product.attribute("regionCode");
    return region.empty() || region == wanted_region(record, "aws", options_);
  }

  // The first price that is not 0, from the smallest amount on; nothing when there is none.
  std::optional<std::pair<Dollars, PriceLine>> price_of(const Terms& terms) {
    std::optional<std::pair<Dollars, PriceLine>> best;
    double best_begin = 0.0;
    for (const Term& term : terms.on_demand) {
      for (const PriceLine& line : term.lines) {
        const auto amount = checked(line);
        if (!amount || *amount == 0) continue;
        const double begin = std::strtod(line.begin.c_str(), nullptr);
        if (best && begin >= best_begin) continue;
        best = {*amount, line};
        best_begin = begin;
      }
    }
    return best;
  }

  std::optional<Dollars> checked(const PriceLine& line) {
    currencies_.push_back(line.currency);
    if (currencies_.size() > 64)
      currencies_.erase(std::unique(currencies_.begin(), currencies_.end()), currencies_.end());
    auto amount = dollars_of(line.amount);
    if (!amount && wrong_number_.empty()) wrong_number_ = fmt::format("\"{}\" as a price", line.amount);
    return amount;
  }

  void quote(const Product& product) {
    const auto terms = terms_.find(product.sku);
    if (terms == terms_.end()) return;
    if (product.attributes.contains("instanceType")) return quote_instance(product, terms->second);
    const auto price = price_of(terms->second);
    if (!price) return;
    const std::string usage = usage_of(product);
    const std::string code = product.attribute("servicecode").empty() ? offer_ : product.attribute("servicecode");
    if (code == "AmazonFSx") quote_fsx(product, *price);
    if (code == "AmazonS3") quote_s3(product, usage, *price);
    if (code == "AmazonEFS") quote_efs(product, usage, *price);
  }

  // "TimedStorage-ByteHrs" of "EUC1-TimedStorage-ByteHrs".
  static std::string usage_of(const Product& product) {
    const std::string usage = product.attribute("usagetype");
    const std::size_t dash = usage.find('-');
    const bool prefix = dash != std::string::npos && dash >= 3 && dash <= 5 &&
                        std::all_of(usage.begin(), usage.begin() + static_cast<std::ptrdiff_t>(dash),
                                    [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); });
    return prefix ? usage.substr(dash + 1) : usage;
  }

  void quote_instance(const Product& product, const Terms& terms) {
    const std::string name = product.attribute("instanceType");
    const auto found = catalogue_.instances.find(name);
    if (found == catalogue_.instances.end()) {
      unmatched_.insert(fmt::format("{} ({} GPUs)", name, product.attribute("gpu")));
      return;
    }
    if (!is_region(product, found->second)) return;
    const std::string region = wanted_region(found->second, "aws", options_);
    if (const auto price = price_of(terms); price && price->second.unit == "Hrs") {
      feed_.quotes.push_back(
          {"instance", name, "on_demand", "hour", price->first, region, product.sku, price->second.description});
    }
    for (const Term& term : terms.reserved) quote_reserved(product, name, region, term);
  }

  // Of the ways to pay, the one that asks nothing at the start; a fee at the start is spread over the term.
  void quote_reserved(const Product& product, const std::string& name, const std::string& region, const Term& term) {
    const bool one = term.lease == "1yr";
    if ((!one && term.lease != "3yr") || term.offering == "convertible") return;
    Dollars hourly = 0;
    Dollars fee = 0;
    for (const PriceLine& line : term.lines) {
      const auto amount = checked(line);
      if (!amount) return;
      (line.unit == "Quantity" ? fee : hourly) += *amount;
    }
    const Dollars usd = hourly + fee / (8760 * (one ? 1 : 3));
    if (usd == 0) return;
    const int rank = term.purchase == "No Upfront" ? 0 : term.purchase == "Partial Upfront" ? 1 : 2;
    const std::string key = one ? "reserved_1y" : "reserved_3y";
    PriceQuote quote{
        "instance",
        name,
        key,
        "hour",
        usd,
        region,
        product.sku,
        fmt::format("{}, {}{}", term.lease, term.purchase, fee > 0 ? ", the fee spread over the term" : "")};
    const auto known = reserved_.find(name + "/" + key);
    if (known == reserved_.end() || rank < known->second.first) {
      reserved_.insert_or_assign(name + "/" + key, std::pair(rank, std::move(quote)));
    }
  }

  void quote_tiers(const std::vector<std::string>& names, const std::vector<std::string>& keys, const std::string& per,
                   const Dollars& usd, const Product& product, const std::string& description) {
    const std::vector<const TierRecord*> tiers = tiers_named(catalogue_, names);
    if (tiers.empty()) unmatched_.insert(fmt::format("{} (SKU {})", description, product.sku));
    for (const TierRecord* tier : tiers) {
      if (!is_region(product, *tier)) continue;
      for (const std::string& key : keys) {
        feed_.quotes.push_back(
            {"tier", tier->name, key, per, usd, wanted_region(*tier, "aws", options_), product.sku, description});
      }
    }
  }

  // Which Lustre it is stands in the attributes and the description, in changing words.
  void quote_fsx(const Product& product, const std::pair<Dollars, PriceLine>& price) {
    std::string words = lowered(price.second.description);
    for (const auto& [name, value] : product.attributes) words += " " + lowered(value);
    if (!contains(words, "lustre") || price.second.unit != "GB-Mo") return;
    const bool other = contains(words, "hdd") || contains(words, "backup") || contains(words, "cache") ||
                       contains(words, "intelligent") || contains(words, "metadata");
    std::string name;
    if (!other && contains(words, "scratch")) {
      if (!contains(words, "scratch_1") && !contains(words, "scratch-1") && !contains(words, "scratch 1"))
        name = "fsx_lustre_scratch_2";
    } else if (!other) {
      name = persistent_name(product, words);
    }
    quote_tiers({name.empty() ? "-" : name}, {"capacity"}, "GiB-month", price.first, product, price.second.description);
  }

  // Persistent 1 has 50, 100 and 200 MB/s per TiB; Persistent 2 has 125, 250, 500 and 1000.
  static std::string persistent_name(const Product& product, const std::string& words) {
    std::string rate;
    for (const char* name : {"throughputCapacity", "throughputClass", "perUnitStorageThroughput", "throughput"}) {
      const std::string value = product.attribute(name);
      const std::size_t digits = value.find_first_not_of("0123456789");
      if (rate.empty()) rate = value.substr(0, digits);
    }
    for (std::size_t at = words.find("mb"); rate.empty() && at != std::string::npos; at = words.find("mb", at + 1)) {
      std::size_t end = at;
      while (end > 0 && (words[end - 1] == ' ' || words[end - 1] == '-')) --end;
      std::size_t start = end;
      while (start > 0 && words[start - 1] >= '0' && words[start - 1] <= '9') --start;
      rate = words.substr(start, end - start);
    }
    for (const char* known : {"50", "100", "200"})
      if (rate == known) return "fsx_lustre_persistent_1_" + rate;
    for (const char* known : {"125", "250", "500", "1000"})
      if (rate == known) return "fsx_lustre_persistent_2_" + rate;
    return "";
  }

  void quote_s3(const Product& product, const std::string& usage, const std::pair<Dollars, PriceLine>& price) {
    const std::vector<std::string> standard = {"s3_standard", "mountpoint_s3"};
    const std::vector<std::string> express = {"s3_express_one_zone"};
    const std::string& text = price.second.description;
    if (usage == "TimedStorage-ByteHrs") quote_tiers(standard, {"capacity"}, "GiB-month", price.first, product, text);
    if (usage == "TimedStorage-XZ-ByteHrs") quote_tiers(express, {"capacity"}, "GiB-month", price.first, product, text);
    const std::vector<std::string> writes = {"write_requests", "list_requests"};
    const Dollars per_thousand = price.first * 1000;
    if (usage == "Requests-Tier1") quote_tiers(standard, writes, "1k requests", per_thousand, product, text);
    if (usage == "Requests-Tier2") quote_tiers(standard, {"read_requests"}, "1k requests", per_thousand, product, text);
    if (usage == "Requests-XZ-Tier1") quote_tiers(express, writes, "1k requests", per_thousand, product, text);
    if (usage == "Requests-XZ-Tier2")
      quote_tiers(express, {"read_requests"}, "1k requests", per_thousand, product, text);
  }

  void quote_efs(const Product& product, const std::string& usage, const std::pair<Dollars, PriceLine>& price) {
    const std::string& text = price.second.description;
    if (usage == "TimedStorage-ByteHrs") {
      quote_tiers({"efs", "efs_bursting"}, {"capacity"}, "GiB-month", price.first, product, text);
    }
    if (usage == "ETDataAccess-Bytes") {
      const std::string access = lowered(product.attribute("accessType") + " " + product.attribute("operation"));
      quote_tiers({"efs"}, {contains(access, "write") ? "upload" : "retrieval"}, "GiB", price.first, product, text);
    }
  }

  const Catalogue& catalogue_;
  const FeedOptions& options_;
  PriceFeed feed_;
  std::string offer_;
  bool listed_ = false;
  bool products_seen_ = false;
  std::map<std::string, Product> products_;
  std::map<std::string, Terms> terms_;
  std::map<std::string, std::pair<int, PriceQuote>> reserved_;
  std::set<std::string> unmatched_;
  std::vector<std::string> currencies_;
  std::string wrong_number_;
};

}  // namespace

std::unique_ptr<FeedCollector> aws_collector(const std::string& file, const Catalogue& catalogue,
                                             const FeedOptions& options) {
  return std::make_unique<AwsCollector>(file, catalogue, options);
}

}  // namespace stallcast
