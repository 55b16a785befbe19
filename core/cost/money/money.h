// US dollars, exact. Rounded only by the functions that make text of them.
#pragma once

#include <compare>
#include <string>
#include <utility>

#include "core/cost/money/exact_number.h"

namespace stallcast {

class Money {
 public:
  Money() = default;
  static Money usd(ExactNumber dollars) { return Money(std::move(dollars)); }
  const ExactNumber& dollars() const { return dollars_; }
  double to_double() const { return dollars_.to_double(); }

  friend Money operator+(const Money& a, const Money& b) { return Money(a.dollars_ + b.dollars_); }
  friend Money operator-(const Money& a, const Money& b) { return Money(a.dollars_ - b.dollars_); }
  friend Money operator*(const Money& a, const ExactNumber& k) { return Money(a.dollars_ * k); }
  friend Money operator/(const Money& a, const ExactNumber& k) { return Money(a.dollars_ / k); }
  friend ExactNumber operator/(const Money& a, const Money& b) { return a.dollars_ / b.dollars_; }
  Money& operator+=(const Money& other) {
    dollars_ += other.dollars_;
    return *this;
  }
  friend bool operator==(const Money& a, const Money& b) { return a.dollars_ == b.dollars_; }
  friend std::strong_ordering operator<=>(const Money& a, const Money& b) { return a.dollars_ <=> b.dollars_; }

 private:
  explicit Money(ExactNumber dollars) : dollars_(std::move(dollars)) {}
  ExactNumber dollars_;
};

// To the cent, half to even: "$1,234.50"; "-$3.00".
std::string money_text(const Money& amount);

// The same of a plain number of dollars, which is an estimate: from $10,000 on to the dollar, "$16,327,996"; "infinite"
// where it is not finite.
std::string usd_text(double dollars);

// Every decimal, at least the cents: "$0.0001917808", "$32.77". For prices, whose decimals end.
std::string price_text(const Money& price);

}  // namespace stallcast
