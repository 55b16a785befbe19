// A stop that comes when somebody asks for it, or when a time is over.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <thread>

namespace stallcast {

class TimedStop {
 public:
  // Never by itself without a limit.
  TimedStop(const std::stop_token& asked, std::optional<double> limit_s);
  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::stop_callback<std::function<void()>> forward_;
  std::jthread timer_;
};

// What "--time-limit" takes, in seconds.
inline constexpr double kShortestLimit = 0.1, kLongestLimit = 3.2e7;
inline constexpr const char* kLimitText = "0.1 s to 370 d";

}  // namespace stallcast
