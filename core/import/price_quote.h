// Prices as feeds state them, before they are compared with the catalogue.
#pragma once
#include <boost/multiprecision/cpp_dec_float.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/catalogue/records/record.h"
#include "core/diagnostics/finding.h"

namespace stallcast {

// Dollars, exact to 50 digits: feeds print decimals, and sums of them are to be the printed sums.
using Dollars = boost::multiprecision::cpp_dec_float_50;

// "29.3871" or "-1.5e-7"; nothing when `text` is no decimal number.
std::optional<Dollars> dollars_of(std::string_view text);

// At most ten decimals, without zeros at the end: "29.3871".
std::string decimal_text(const Dollars& amount);

// One price of one record.
struct PriceQuote {
  std::string kind, name;  // of the record
  std::string key;         // of Record::prices
  std::string per;         // one of price_units()
  Dollars usd;
  std::string region;
  std::string sku;   // what the vendor calls it, or ""
  std::string note;  // how it was put together, the vendor's description
};

// What a file says.
struct PriceFeed {
  std::string file;      // as the user named it
  std::string title;     // "AWS price list, AmazonEC2"
  std::string provider;  // "aws", "gcp" or "azure"
  std::string as_of;     // day of publication, or "" when the file does not say
  std::vector<PriceQuote> quotes;
  std::vector<std::string> unmatched;  // what it prices that no record describes
};

struct FeedOptions {
  std::string provider;  // that the files must be of; "" for any
  std::string region;    // to take prices of; "" for each record's own
};

// The region that a record's prices are taken for: the option's, its own, or where most people look first.
std::string wanted_region(const Record& record, const std::string& provider, const FeedOptions& options);

// The finding for a price in another currency than US dollars, or nullopt.
std::optional<Finding> currency_finding(const std::vector<std::string>& currencies, const std::string& file);

}  // namespace stallcast
