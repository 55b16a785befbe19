#include "core/cost/money/money.h"

#include <cmath>
#include <string_view>

namespace stallcast {
namespace {

std::string with_sign(std::string digits) {
  const bool negative = digits.starts_with('-');
  if (negative) digits.erase(0, 1);
  return (negative ? "-$" : "$") + digits;
}

}  // namespace

std::string money_text(const Money& amount) {
  std::string digits = amount.dollars().fixed(2);
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  for (std::size_t at = digits.find('.'); at > first + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return with_sign(std::move(digits));
}

std::string usd_text(double dollars) {
  if (!std::isfinite(dollars)) return "infinite";
  constexpr double kCentsUpTo = 9999.995;
  if (std::abs(dollars) < kCentsUpTo) return money_text(Money::usd(ExactNumber::exactly(dollars)));
  std::string text = money_text(Money::usd(ExactNumber::exactly(std::round(dollars))));
  text.resize(text.size() - std::string_view(".00").size());
  return text;
}

std::string price_text(const Money& price) {
  std::string digits = price.dollars().decimal();
  std::size_t point = digits.find('.');
  if (point == std::string::npos) {
    point = digits.size();
    digits += '.';
  }
  constexpr std::size_t kCents = 2;
  const std::size_t decimals = digits.size() - point - 1;
  if (decimals < kCents) digits.append(kCents - decimals, '0');
  return with_sign(std::move(digits));
}

}  // namespace stallcast
