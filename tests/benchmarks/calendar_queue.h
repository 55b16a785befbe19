// A calendar queue: pending events in days of equal width, many years on one calendar. To compare with, not used by the
// engine.
//
// **Model** an event goes to day (time / width) modulo the number of days; the next event is looked for from today on,
// and directly when a whole year is empty. The calendar has one to two events a day: it doubles or halves its days, and
// the width becomes three mean gaps between the first events. Days are a power of two nanoseconds wide: no division.
// **Source** Brown, "Calendar queues", CACM 31(10), 1988.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/engine/event.h"

namespace stallcast::benchmarks {

// **Range** no event pushed is before the last one popped.
class CalendarQueue {
 public:
  bool empty() const { return size_ == 0; }

  void push(const Event& event) {
    insert(event);
    if (size_ > 2 * days_.size()) resize(2 * days_.size());
  }

  Event pop() {
    const std::uint64_t first = today_;
    while (!is_due(days_[today_ & mask()])) {
      if (++today_ - first == days_.size()) go_to_first_event();
    }
    std::vector<Event>& day = days_[today_ & mask()];
    const Event out = day.back();
    day.pop_back();
    --size_;
    if (days_.size() > kFewestDays && size_ < days_.size() / 2) resize(days_.size() / 2);
    return out;
  }

 private:
  static constexpr std::size_t kFewestDays = 2;

  std::size_t mask() const { return days_.size() - 1; }
  std::uint64_t day_of(const Event& event) const { return static_cast<std::uint64_t>(event.time) >> width_log2_; }
  bool is_due(const std::vector<Event>& day) const { return !day.empty() && day_of(day.back()) == today_; }

  void insert(const Event& event) {
    std::vector<Event>& day = days_[day_of(event) & mask()];
    std::size_t slot = day.size();
    day.push_back(event);
    for (; slot > 0 && day[slot - 1].before(event); --slot) day[slot] = day[slot - 1];
    day[slot] = event;
    ++size_;
  }

  void go_to_first_event() {
    const Event* first = nullptr;
    for (const auto& day : days_)
      if (!day.empty() && (first == nullptr || day.back().before(*first))) first = &day.back();
    today_ = day_of(*first);
  }

  void resize(std::size_t days) {
    std::vector<Event> all;
    all.reserve(size_);
    for (const auto& day : days_) all.insert(all.end(), day.begin(), day.end());
    const std::uint64_t now = today_ << width_log2_;
    width_log2_ = static_cast<int>(std::bit_width(three_mean_gaps(all))) - 1;
    today_ = now >> width_log2_;
    days_.assign(days, {});
    size_ = 0;
    for (const Event& event : all) insert(event);
  }

  // Of the first events, leaving out gaps of more than twice their mean.
  static std::uint64_t three_mean_gaps(std::vector<Event>& all) {
    const auto sample = static_cast<std::ptrdiff_t>(std::min({all.size(), 5 + all.size() / 10, std::size_t{25}}));
    std::partial_sort(all.begin(), all.begin() + sample, all.end(),
                      [](const Event& a, const Event& b) { return a.before(b); });
    if (sample < 2) return 1;
    const std::int64_t mean = (all[static_cast<std::size_t>(sample) - 1].time - all[0].time) / (sample - 1);
    std::int64_t sum = 0, count = 0;
    for (std::size_t i = 1; i < static_cast<std::size_t>(sample); ++i) {
      const std::int64_t gap = all[i].time - all[i - 1].time;
      if (gap > 2 * mean) continue;
      sum += gap;
      ++count;
    }
    return static_cast<std::uint64_t>(std::max<std::int64_t>(1, 3 * sum / std::max<std::int64_t>(1, count)));
  }

  std::vector<std::vector<Event>> days_{kFewestDays};  // each latest first
  std::size_t size_ = 0;
  std::uint64_t today_ = 0;  // counted from time 0
  int width_log2_ = 0;       // of a day in nanoseconds
};

}  // namespace stallcast::benchmarks
