#include "core/catalogue/dates.h"

#include <array>
#include <charconv>
#include <system_error>

namespace stallcast {

using std::chrono::sys_days;
using std::chrono::year_month_day;

std::optional<DateRange> date_range(std::string_view text) {
  std::array<int, 3> parts = {0, 0, 0};
  std::size_t count = 0;
  while (count < parts.size()) {
    const std::size_t digits = count == 0 ? 4 : 2;
    if (text.size() < digits) return std::nullopt;
    const auto result = std::from_chars(text.data(), text.data() + digits, parts.at(count));
    if (result.ec != std::errc() || result.ptr != text.data() + digits) return std::nullopt;
    text.remove_prefix(digits);
    ++count;
    if (text.empty()) break;
    if (text.front() != '-') return std::nullopt;
    text.remove_prefix(1);
  }
  if (!text.empty()) return std::nullopt;
  const std::chrono::year year(parts[0]);
  const std::chrono::month first_month(count > 1 ? static_cast<unsigned>(parts[1]) : 1U);
  const std::chrono::month last_month(count > 1 ? static_cast<unsigned>(parts[1]) : 12U);
  if (!first_month.ok() || !last_month.ok()) return std::nullopt;
  if (count == 3) {
    const year_month_day day(year, first_month, std::chrono::day(static_cast<unsigned>(parts[2])));
    if (!day.ok()) return std::nullopt;
    return DateRange{sys_days(day), sys_days(day)};
  }
  const year_month_day first(year, first_month, std::chrono::day(1));
  const std::chrono::year_month_day_last last(year, std::chrono::month_day_last(last_month));
  return DateRange{sys_days(first), sys_days(last)};
}

bool is_date(std::string_view text) {
  const auto range = date_range(text);
  return range && range->first == range->last;
}

}  // namespace stallcast
