// Strong types for physical quantities: the type carries the unit, the name of the maker and of the reader says which.
#pragma once

#include <compare>
#include <cstdint>

namespace stallcast {

// A real number of base units. Only meaningful operators exist: sums of one kind, scaling by a number, and the
// ratio of two of a kind; products across kinds are written out below.
template <class Tag>
class Quantity {
 public:
  constexpr Quantity() = default;
  static constexpr Quantity from_base(double value) { return Quantity(value); }
  constexpr double base() const { return value_; }

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity operator-() const { return Quantity(-value_); }
  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value_ -= other.value_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value_ + b.value_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value_ - b.value_); }
  friend constexpr Quantity operator*(Quantity a, double k) { return Quantity(a.value_ * k); }
  friend constexpr Quantity operator*(double k, Quantity a) { return Quantity(a.value_ * k); }
  friend constexpr Quantity operator/(Quantity a, double k) { return Quantity(a.value_ / k); }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }

 private:
  explicit constexpr Quantity(double value) : value_(value) {}
  double value_ = 0.0;
};

using Seconds = Quantity<struct SecondsTag>;                // base: second
using Bytes = Quantity<struct BytesTag>;                    // base: byte
using BytesPerSecond = Quantity<struct BytesPerSecondTag>;  // base: byte/s
using PerSecond = Quantity<struct PerSecondTag>;            // base: 1/s (operations, samples, requests)
using Flops = Quantity<struct FlopsTag>;                    // base: floating-point operation
using FlopsPerSecond = Quantity<struct FlopsPerSecondTag>;  // base: floating-point operation/s
using Usd = Quantity<struct UsdTag>;                        // base: US dollar
using UsdPerHour = Quantity<struct UsdPerHourTag>;          // base: US dollar/hour

constexpr Seconds seconds(double s) { return Seconds::from_base(s); }
constexpr Seconds milliseconds(double ms) { return Seconds::from_base(ms * 1e-3); }
constexpr Seconds microseconds(double us) { return Seconds::from_base(us * 1e-6); }
constexpr Bytes bytes(double b) { return Bytes::from_base(b); }
constexpr BytesPerSecond bytes_per_second(double r) { return BytesPerSecond::from_base(r); }
constexpr PerSecond per_second(double r) { return PerSecond::from_base(r); }

constexpr Seconds operator/(Bytes b, BytesPerSecond r) { return seconds(b.base() / r.base()); }
constexpr Seconds operator/(Flops f, FlopsPerSecond r) { return seconds(f.base() / r.base()); }
constexpr Bytes operator*(BytesPerSecond r, Seconds s) { return bytes(r.base() * s.base()); }
constexpr BytesPerSecond operator/(Bytes b, Seconds s) { return bytes_per_second(b.base() / s.base()); }

}  // namespace stallcast
