#include "core/object_probe/object_asker.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "core/diagnostics/finding.h"

namespace stallcast {

ObjectAsker::ObjectAsker(HttpAccess access, ObjectPlace place, ObjectBudget& budget)
    : place_(std::move(place)), budget_(budget), pool_(std::move(access), 1, place_.silence_s) {}

std::optional<HttpAnswer> ObjectAsker::ask(const HttpRequest& request) {
  constexpr int kAttempts = 5;
  const double aside = request.body_limit + kOvershoot;
  if (!budget_.take(aside))
    throw WorldError(fmt::format("Too few bytes are allowed: {:.0f} are left, and the next request may need {:.0f}",
                                 budget_.bytes_left, aside));
  const double before = pool_.received_bytes();
  std::optional<HttpAnswer> answer;
  for (int number = 0; number < kAttempts; ++number) {
    answer = attempt(request);
    if (!answer || !may_pass(*answer)) break;
    if (number + 1 < kAttempts && !pause(back_off_s(number, *answer))) break;
  }
  const double received = pool_.received_bytes() - before;
  budget_.received += received;
  budget_.give_back(aside - received);
  if (budget_.stop.stop_requested()) return std::nullopt;
  if (!answer)
    throw WorldError(
        fmt::format("{} has not answered in the time allowed. Allow more, if it is that slow", place_.server));
  if (answer->failure != HttpFailure::kNone) throw WorldError(connection_failure(*answer, place_));
  return answer;
}

std::optional<HttpAnswer> ObjectAsker::attempt(const HttpRequest& request) {
  pool_.start(request);
  while (!budget_.over()) {
    std::vector<HttpAnswer> answers = pool_.wait(std::min(0.1, budget_.seconds_left()));
    if (!answers.empty()) return std::move(answers.front());
  }
  pool_.abandon();
  return std::nullopt;
}

bool ObjectAsker::pause(double seconds) const {
  const double end_s = monotonic_s() + seconds;
  if (end_s > budget_.until_s) return false;
  while (monotonic_s() < end_s && !budget_.stop.stop_requested())
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return !budget_.stop.stop_requested();
}

double back_off_s(int attempt, const HttpAnswer& answer) {
  constexpr double kFirst_s = 0.1, kLongest_s = 5.0;
  const double own_s = kFirst_s * static_cast<double>(1 << std::min(attempt, 6));
  return std::min(kLongest_s, std::max(own_s, answer.retry_after_s));
}

}  // namespace stallcast
