// Dates as records write them.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace stallcast {

// The days that a date may mean: "2026-11" is any of a month.
struct DateRange {
  std::chrono::sys_days first, last;
};

// Of "2026", "2026-11" or "2026-11-21"; nothing when it is no such date.
std::optional<DateRange> date_range(std::string_view text);

// Whether `text` is a day of the calendar, "2026-11-21".
bool is_date(std::string_view text);

}  // namespace stallcast
