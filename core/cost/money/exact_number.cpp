#include "core/cost/money/exact_number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/diagnostics/invariant.h"

namespace stallcast {
namespace {

using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;

cpp_int power_of_ten(int exponent) { return boost::multiprecision::pow(cpp_int(10), static_cast<unsigned>(exponent)); }

// value * 10^places to the nearest whole number, half to even.
cpp_int scaled(const cpp_rational& value, int places) {
  const cpp_rational wanted = value * power_of_ten(places);
  const cpp_int denominator = boost::multiprecision::denominator(wanted);
  const cpp_int numerator = boost::multiprecision::numerator(wanted);
  const bool negative = numerator < 0;
  const cpp_int size = negative ? cpp_int(-numerator) : numerator;
  cpp_int whole = size / denominator;
  const cpp_int twice_rest = 2 * cpp_int(size % denominator);
  const bool odd = (whole & 1) != 0;
  if (twice_rest > denominator || (twice_rest == denominator && odd)) ++whole;
  return negative ? cpp_int(-whole) : whole;
}

}  // namespace

ExactNumber ExactNumber::exactly(double value) {
  invariant(std::isfinite(value), "an exact number is made of a finite one");
  int exponent = 0;
  constexpr int kBits = 53;
  const auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), kBits));
  exponent -= kBits;
  cpp_int power = 1;
  power <<= static_cast<unsigned>(std::abs(exponent));
  return exponent >= 0 ? ExactNumber(cpp_rational(cpp_int(mantissa) * power))
                       : ExactNumber(cpp_rational(cpp_int(mantissa), power));
}

ExactNumber ExactNumber::as_written(double value) {
  invariant(std::isfinite(value), "an exact number is made of a finite one");
  std::array<char, 400> text{};  // the longest double without an exponent has 309 digits before the point
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed).ptr;
  const std::optional<ExactNumber> number = parse({text.data(), static_cast<std::size_t>(end - text.data())});
  return number ? *number : exactly(value);
}

std::optional<ExactNumber> ExactNumber::parse(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  std::string digits;
  std::optional<std::size_t> point;
  for (const char c : text) {
    if (c == '.' && !point) {
      point = digits.size();
    } else if (c >= '0' && c <= '9') {
      digits += c;
    } else {
      return std::nullopt;
    }
  }
  if (digits.empty()) return std::nullopt;
  const std::size_t decimals = point ? digits.size() - *point : 0;
  // A leading zero would make the digits octal.
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  const cpp_int whole(digits);
  return ExactNumber(cpp_rational(negative ? cpp_int(-whole) : whole, power_of_ten(static_cast<int>(decimals))));
}

ExactNumber operator+(const ExactNumber& a, const ExactNumber& b) { return ExactNumber(a.value_ + b.value_); }
ExactNumber operator-(const ExactNumber& a, const ExactNumber& b) { return ExactNumber(a.value_ - b.value_); }
ExactNumber operator*(const ExactNumber& a, const ExactNumber& b) { return ExactNumber(a.value_ * b.value_); }

ExactNumber operator/(const ExactNumber& a, const ExactNumber& b) {
  invariant(b != 0, "nothing is divided by zero");
  return ExactNumber(a.value_ / b.value_);
}

ExactNumber& ExactNumber::operator+=(const ExactNumber& other) {
  value_ += other.value_;
  return *this;
}

bool operator==(const ExactNumber& a, const ExactNumber& b) { return a.value_ == b.value_; }

std::strong_ordering operator<=>(const ExactNumber& a, const ExactNumber& b) {
  return a.value_.compare(b.value_) <=> 0;
}

double ExactNumber::to_double() const { return value_.convert_to<double>(); }

ExactNumber ExactNumber::rounded(int places) const {
  return ExactNumber(cpp_rational(scaled(value_, places), power_of_ten(places)));
}

std::string ExactNumber::fixed(int places) const {
  const cpp_int number = scaled(value_, places);
  std::string digits = cpp_int(boost::multiprecision::abs(number)).str();
  const auto decimals = static_cast<std::size_t>(places);
  if (digits.size() <= decimals) digits.insert(0, decimals + 1 - digits.size(), '0');
  if (places > 0) digits.insert(digits.size() - decimals, ".");
  return number < 0 ? "-" + digits : digits;
}

std::string ExactNumber::decimal() const {
  // A fraction in lowest terms ends after max(i, j) decimals when its denominator is 2^i * 5^j.
  cpp_int rest = boost::multiprecision::denominator(value_);
  int twos = 0, fives = 0;
  for (; rest % 2 == 0; ++twos) rest /= 2;
  for (; rest % 5 == 0; ++fives) rest /= 5;
  invariant(rest == 1, "only a decimal fraction can be written out");
  return fixed(std::max(twos, fives));
}

}  // namespace stallcast
