#include "core/import/price_quote.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace stallcast {

std::optional<Dollars> dollars_of(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  if (text.empty() || text.size() > kLongest) return std::nullopt;
  // [-]digits[.digits][e[+-]dd]: the library takes more, such as infinities.
  std::string_view rest = text;
  const auto digits = [&rest] {
    const std::size_t count = std::min(rest.find_first_not_of("0123456789"), rest.size());
    rest.remove_prefix(count);
    return count;
  };
  if (rest.starts_with('-')) rest.remove_prefix(1);
  std::size_t count = digits();
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    count += digits();
  }
  if (count == 0) return std::nullopt;
  if (rest.starts_with('e') || rest.starts_with('E')) {
    rest.remove_prefix(1);
    if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
    const std::size_t power = digits();
    if (power == 0 || power > 2) return std::nullopt;
  }
  if (!rest.empty()) return std::nullopt;
  return Dollars(std::string(text));
}

std::string decimal_text(const Dollars& amount) {
  constexpr int kDecimals = 10;
  std::string text = amount.str(kDecimals, std::ios_base::fixed);
  if (text.find('.') == std::string::npos) return text;
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string wanted_region(const Record& record, const std::string& provider, const FeedOptions& options) {
  if (!options.region.empty()) return options.region;
  if (!record.region.empty()) return record.region;
  if (provider == "aws") return "us-east-1";
  return provider == "gcp" ? "us-central1" : "eastus";
}

std::optional<Finding> currency_finding(const std::vector<std::string>& currencies, const std::string& file) {
  const std::set<std::string> seen(currencies.begin(), currencies.end());
  if (seen.empty() || seen == std::set<std::string>{"USD"}) return std::nullopt;
  const bool mixed = seen.size() > 1;
  return Finding{Severity::kError,
                 mixed ? "mixed_currencies" : "wrong_currency",
                 file,
                 "",
                 fmt::format("prices in {}", fmt::join(seen, ", ")),
                 "prices in USD",
                 mixed ? "save the prices of one currency" : "",
                 "the catalogue is in US dollars, and nothing here converts"};
}

}  // namespace stallcast
