#include "core/units/decimal_text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace stallcast {

DecimalDigits shortest_digits(double value) {
  std::array<char, 40> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  std::string_view text(buffer.data(), static_cast<std::size_t>(result.ptr - buffer.data()));
  DecimalDigits out;
  if (text.starts_with("-")) {
    out.negative = true;
    text.remove_prefix(1);
  }
  const std::size_t e = text.find('e');
  for (const char c : text.substr(0, e)) {
    if (c != '.') out.digits.push_back(c);
  }
  // NOLINTNEXTLINE(cert-err34-c): std::to_chars wrote the exponent
  out.exponent = std::atoi(std::string(text.substr(e + 1)).c_str()) - static_cast<int>(out.digits.size()) + 1;
  while (out.digits.size() > 1 && out.digits.back() == '0') {
    out.digits.pop_back();
    ++out.exponent;
  }
  if (out.digits == "0") out.exponent = 0, out.negative = false;
  return out;
}

std::string decimal_text(const DecimalDigits& d, int unit_exponent) {
  const int exponent = d.exponent - unit_exponent;
  const int count = static_cast<int>(d.digits.size());
  const std::string sign = d.negative ? "-" : "";
  const int point = count + exponent;  // digits before the point
  if (exponent >= 0 && point <= 15) return sign + d.digits + std::string(static_cast<std::size_t>(exponent), '0');
  if (exponent >= 0 || point < -5) {
    std::string mantissa = d.digits.substr(0, 1);
    if (count > 1) mantissa += "." + d.digits.substr(1);
    return fmt::format("{}{}e{}", sign, mantissa, point - 1);
  }
  if (point > 0) {
    return sign + d.digits.substr(0, static_cast<std::size_t>(point)) + "." +
           d.digits.substr(static_cast<std::size_t>(point));
  }
  return sign + "0." + std::string(static_cast<std::size_t>(-point), '0') + d.digits;
}

}  // namespace stallcast
