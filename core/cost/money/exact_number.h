// A number without rounding: what prices, quantities and dollars are made of until they are shown.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace stallcast {

// A ratio of whole numbers of any size. Not a decimal type: prices are decimals, but a share of a month (1/730) or a
// cost per useful hour is not, and those must not need a rounding rule of their own.
class ExactNumber {
 public:
  ExactNumber() = default;
  ExactNumber(std::int64_t whole) : value_(whole) {}  // NOLINT(google-explicit-constructor): 2 * x reads as it should

  // The double itself, all its binary digits: 0.1 is 0.1000000000000000055511151231257827... **Errors** InvariantError
  // when it is not finite.
  static ExactNumber exactly(double value);
  // The shortest decimal that reads back as the double: 0.1 is 0.1. For numbers that a person wrote as decimals.
  static ExactNumber as_written(double value);
  // "0.0001917808"; nothing unless the text is digits with at most one point and perhaps a sign.
  static std::optional<ExactNumber> parse(std::string_view text);

  friend ExactNumber operator+(const ExactNumber& a, const ExactNumber& b);
  friend ExactNumber operator-(const ExactNumber& a, const ExactNumber& b);
  friend ExactNumber operator*(const ExactNumber& a, const ExactNumber& b);
  friend ExactNumber operator/(const ExactNumber& a, const ExactNumber& b);
  ExactNumber& operator+=(const ExactNumber& other);
  friend bool operator==(const ExactNumber& a, const ExactNumber& b);
  friend std::strong_ordering operator<=>(const ExactNumber& a, const ExactNumber& b);

  double to_double() const;
  // To `places` decimals, half to even.
  ExactNumber rounded(int places) const;
  // With exactly `places` decimals, half to even: "2.50".
  std::string fixed(int places) const;
  // Every decimal there is, and no zeros at the end: "0.0001917808". **Errors** InvariantError for a number whose
  // decimals never end.
  std::string decimal() const;

 private:
  using Rational = boost::multiprecision::cpp_rational;
  explicit ExactNumber(Rational value) : value_(std::move(value)) {}

  Rational value_;
};

}  // namespace stallcast
