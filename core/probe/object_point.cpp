#include "core/probe/object_point.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <numeric>

#include "core/probe/arrival_log.h"
#include "core/probe/object_asker.h"

namespace stallcast {
namespace {

constexpr double kPoll_s = 0.1;  // how late a stop is noticed
constexpr double kFewest = 4.0;  // completions that make a rate without the ramp-up

double thread_cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

struct Completion {
  double at_s = 0.0, latency_s = 0.0, first_byte_s = 0.0, set_up_s = 0.0, bytes = 0.0;
};

double relative_sd_of(const std::vector<double>& values) {
  if (values.size() < 2) return 0.0;
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return mean > 0.0 ? std::sqrt(squares / (count - 1.0)) / mean : 0.0;
}

// The state of one visit, from fill to drain.
class Visit {
 public:
  Visit(const ObjectVisit& plan, ObjectBudget& budget)
      : plan_(plan), budget_(budget), began_s_(pool_clock_s()), cpu_began_s_(thread_cpu_s()), full_until_s_(began_s_) {}

  ArrivalLog& arrivals() { return arrivals_; }
  bool filling() const { return filling_; }

  // Room for one more request of `bytes`? Once the answer is no, the visit drains.
  bool may_start(double bytes, double now_s) {
    if (!filling_) return false;
    const bool room = !late(now_s) && !budget_.over() && taken_bytes_ + bytes <= plan_.bytes && budget_.take(bytes);
    if (room)
      taken_bytes_ += bytes;
    else
      drain(now_s);
    return room;
  }

  bool late(double now_s) const { return now_s - std::max(began_s_, ramped_s_) >= plan_.seconds; }

  void drain(double now_s) {
    if (!filling_) return;
    filling_ = false;
    full_until_s_ = now_s;
    cpu_s_ = thread_cpu_s() - cpu_began_s_;
  }

  void complete(const HttpAnswer& answer, double aside) {
    settle(answer, aside);
    failures_in_a_row_ = 0;
    completions_.push_back({answer.at_s, answer.total_s, answer.first_byte_s, answer.set_up_s, answer.body_bytes});
    if (completions_.size() == static_cast<std::size_t>(plan_.in_flight)) ramped_s_ = answer.at_s;
  }

  // Returns the pause before the request is tried again.
  double fail(const HttpAnswer& answer, double aside) {
    settle(answer, aside);
    ++errors_;
    if (is_throttled(answer)) ++throttled_;
    if (answer.over_limit && plan_.pattern == AccessPattern::kRandom) ++tally_.range_ignored;
    last_failure_ = answer.failure == HttpFailure::kNone ? fmt::format("HTTP {}", answer.status) : answer.reason;
    const int attempt = failures_in_a_row_++ / plan_.in_flight;
    end_if_hopeless(answer);
    return back_off_s(attempt, answer);
  }

  MeasuredPoint result(const std::string& engine) const;

 private:
  void settle(const HttpAnswer& answer, double aside) {
    budget_.give_back(aside - answer.body_bytes);
    taken_bytes_ -= aside - answer.body_bytes;
  }

  // More refusals than answers, or a long row of failures.
  void end_if_hopeless(const HttpAnswer& answer) {
    const double enough = 8.0 + 2.0 * plan_.in_flight;
    const bool storm = throttled_ >= enough && throttled_ > static_cast<double>(completions_.size());
    if (storm || failures_in_a_row_ >= enough) drain(answer.at_s);
    hopeless_ = hopeless_ || !filling_;
  }

  // Why the point ended early: given up, or still without an answer when its time was over.
  std::string ending() const {
    const bool silent = failures_in_a_row_ >= std::max(3, plan_.in_flight);
    if (!hopeless_ && !silent) return {};
    if (throttled_ > errors_ / 2.0)
      return fmt::format("{:.0f} requests were refused for their rate ({}) and {} answered", throttled_, last_failure_,
                         completions_.size());
    return fmt::format("{:.0f} requests failed ({}) and {} were answered", errors_, last_failure_, completions_.size());
  }

  void add_slices(ReadPoint& point, double from_s, double to_s) const;

  const ObjectVisit& plan_;
  ObjectBudget& budget_;
  double began_s_, cpu_began_s_, full_until_s_;
  double cpu_s_ = 0.0, ramped_s_ = 0.0, taken_bytes_ = 0.0;
  bool filling_ = true, hopeless_ = false;
  double errors_ = 0.0, throttled_ = 0.0;
  int failures_in_a_row_ = 0;
  std::string last_failure_;
  std::vector<Completion> completions_;
  ArrivalLog arrivals_;
  ObjectVisitTally tally_;
};

MeasuredPoint Visit::result(const std::string& engine) const {
  MeasuredPoint measured;
  measured.tally = tally_;
  measured.tally.ended = ending();
  ReadPoint& point = measured.point;
  point.pattern = plan_.pattern;
  point.request_bytes = plan_.request_bytes;
  point.in_flight = static_cast<double>(plan_.in_flight);
  point.engine = engine;
  point.direct = true;
  point.errors = errors_;
  point.throttled = throttled_;
  if (completions_.empty()) return measured;
  // Where the part without ramp-up and drain holds too little, all of it.
  const auto between = [&](const Completion& done) { return done.at_s > ramped_s_ && done.at_s <= full_until_s_; };
  const bool trimmed = ramped_s_ > 0.0 &&
                       static_cast<double>(std::count_if(completions_.begin(), completions_.end(), between)) >= kFewest;
  const double from_s = trimmed ? ramped_s_ : began_s_;
  const double to_s = trimmed ? full_until_s_ : completions_.back().at_s;
  std::vector<double> latency_s, first_byte_s;
  double whole_bytes = 0.0, under_way_s = 0.0;
  for (const Completion& done : completions_) {
    if (trimmed && !between(done)) continue;
    latency_s.push_back(done.latency_s);
    first_byte_s.push_back(done.first_byte_s);
    whole_bytes += done.bytes;
    under_way_s += done.latency_s + done.set_up_s;
    measured.tally.connections += done.set_up_s > 0 ? 1.0 : 0.0;
    measured.tally.set_up_s += done.set_up_s;
  }
  point.seconds = to_s - from_s;
  point.requests = static_cast<double>(latency_s.size());
  measured.tally.under_way = under_way_s / point.seconds;
  point.bytes = arrivals_.bytes_between(from_s, to_s);
  if (plan_.pattern == AccessPattern::kWholeFile) point.request_bytes = whole_bytes / point.requests;
  point.latency = summary_of(std::move(latency_s));
  point.first_byte = summary_of(std::move(first_byte_s));
  add_slices(point, from_s, to_s);
  measured.tally.own_cpu_fraction = cpu_s_ / std::max(1e-9, full_until_s_ - began_s_);
  return measured;
}

// So many slices that each holds several requests: fewer would show their number and not the rate.
void Visit::add_slices(ReadPoint& point, double from_s, double to_s) const {
  constexpr double kRequestsPerSlice = 8.0, kMostSlices = 10.0;
  const double count = std::clamp(std::floor(point.requests / kRequestsPerSlice), 1.0, kMostSlices);
  const double length_s = (to_s - from_s) / count;
  for (double slice = 0; slice < count; ++slice)
    point.slice_bytes_per_s.push_back(
        arrivals_.bytes_between(from_s + slice * length_s, from_s + (slice + 1.0) * length_s) / length_s);
  point.relative_sd = relative_sd_of(point.slice_bytes_per_s);
}

}  // namespace

LatencySummary summary_of(std::vector<double> seconds) {
  constexpr std::array<double, 11> kProbabilities = {0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999};
  LatencySummary summary;
  if (seconds.empty()) return summary;
  std::sort(seconds.begin(), seconds.end());
  const double last = static_cast<double>(seconds.size()) - 1.0;
  summary.mean_s = std::accumulate(seconds.begin(), seconds.end(), 0.0) / (last + 1.0);
  summary.min_s = seconds.front();
  summary.max_s = seconds.back();
  for (const double probability : kProbabilities)
    summary.quantiles.emplace_back(probability, seconds[static_cast<std::size_t>(std::lround(probability * last))]);
  return summary;
}

ObjectPointReader::ObjectPointReader(HttpPool& pool, const std::vector<ReadableObject>& objects, bool ranges,
                                     ObjectBudget& budget, std::uint64_t seed)
    : pool_(pool), objects_(objects), ranges_(ranges), budget_(budget), random_(seed) {}

// Objects long enough for the visit are at the back: they are sorted by size.
HttpRequest ObjectPointReader::next_request(const ObjectVisit& visit) {
  const bool whole = visit.pattern == AccessPattern::kWholeFile;
  // A whole object must be one that the visit may hold several of; the largest such is where `request_bytes` ends.
  const auto begin = std::find_if(objects_.begin(), objects_.end(), [&](const ReadableObject& object) {
    return whole || object.bytes >= visit.request_bytes || object.bytes < 0;
  });
  const auto end = std::find_if(
      begin, objects_.end(), [&](const ReadableObject& object) { return whole && object.bytes > visit.request_bytes; });
  const auto count = std::max<std::ptrdiff_t>(1, end - begin);
  const ReadableObject& object = begin[static_cast<std::ptrdiff_t>(random_() % static_cast<std::uint64_t>(count))];
  HttpRequest request{.url = object.url};
  request.body_limit = whole ? object.bytes : visit.request_bytes;
  if (whole || !ranges_) return request;
  constexpr double kAlignment = 4096.0;
  // What has no known length is read from its start.
  const double places = std::max(1.0, std::floor((object.bytes - visit.request_bytes) / kAlignment) + 1.0);
  request.first = kAlignment * static_cast<double>(random_() % static_cast<std::uint64_t>(places));
  request.bytes = visit.request_bytes;
  return request;
}

MeasuredPoint ObjectPointReader::measure(const ObjectVisit& plan, const std::function<void()>& tick) {
  Visit visit(plan, budget_);
  pool_.watch_arrivals([&](double at_s, double bytes) { visit.arrivals().add(at_s, bytes); });
  std::vector<double> aside(1, 0.0);  // by tag
  std::vector<double> retry_at_s;     // requests that wait before they are tried again
  const auto start = [&] {
    HttpRequest request = next_request(plan);
    const double bytes = request.body_limit + (request.bytes > 0 ? 0.0 : kOvershoot);
    if (!visit.may_start(bytes, pool_clock_s())) return;
    request.tag = aside.size();
    aside.push_back(bytes);
    pool_.start(request);
  };
  const auto missing = [&] { return plan.in_flight - pool_.in_flight() - static_cast<int>(retry_at_s.size()); };
  while (visit.filling() || pool_.in_flight() > 0) {
    std::erase_if(retry_at_s, [now_s = pool_clock_s()](double at_s) { return at_s <= now_s; });
    while (visit.filling() && missing() > 0) start();
    double wait_s = std::min(kPoll_s, budget_.seconds_left());
    if (!retry_at_s.empty())
      wait_s = std::clamp(*std::min_element(retry_at_s.begin(), retry_at_s.end()) - pool_clock_s(), 0.001, kPoll_s);
    for (const HttpAnswer& answer : pool_.wait(wait_s)) {
      // A part that was cut off because the server sends no parts is complete all the same.
      const bool wanted_part = !ranges_ && answer.over_limit;
      const bool good = answer.failure == HttpFailure::kNone && (answer.status == 206 || answer.status == 200) &&
                        (!answer.over_limit || wanted_part);
      if (good)
        visit.complete(answer, aside[answer.tag]);
      else
        retry_at_s.push_back(answer.at_s + visit.fail(answer, aside[answer.tag]));
    }
    tick();
    if (budget_.over()) break;
    if (pool_.in_flight() == 0 && visit.late(pool_clock_s())) break;  // all wait to be tried again
  }
  visit.drain(pool_clock_s());
  pool_.abandon();
  pool_.watch_arrivals({});
  const std::string& url = objects_.front().url;
  return visit.result(url.substr(0, url.find(':')));
}

}  // namespace stallcast
