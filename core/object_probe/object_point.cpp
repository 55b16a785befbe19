#include "core/object_probe/object_point.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <optional>

#include "core/object_probe/arrival_log.h"
#include "core/object_probe/object_asker.h"
#include "core/probe/disk/monotonic_clock.h"

namespace stallcast {
namespace {

constexpr double kPoll_s = 0.1;             // how late a stop is noticed
constexpr double kFewestCompletions = 4.0;  // completions that make a rate without the ramp-up

double thread_cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

struct Answered {
  double at_s = 0.0, latency_s = 0.0, first_byte_s = 0.0, set_up_s = 0.0;
};

// The state of one visit, from fill to drain.
class OngoingVisit {
 public:
  OngoingVisit(const ObjectVisit& plan, ObjectBudget& budget)
      : plan_(plan), budget_(budget), began_s_(monotonic_s()), cpu_began_s_(thread_cpu_s()), full_until_s_(began_s_) {}

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
    answered_.push_back({answer.at_s, answer.total_s, answer.first_byte_s, answer.set_up_s});
    if (answered_.size() == static_cast<std::size_t>(plan_.in_flight)) ramped_s_ = answer.at_s;
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

  MeasuredVisit result() const;

 private:
  void settle(const HttpAnswer& answer, double aside) {
    budget_.give_back(aside - answer.body_bytes);
    taken_bytes_ -= aside - answer.body_bytes;
  }

  // More refusals than answers, or a long row of failures.
  void end_if_hopeless(const HttpAnswer& answer) {
    const double enough = 8.0 + 2.0 * plan_.in_flight;
    const bool storm = throttled_ >= enough && throttled_ > static_cast<double>(answered_.size());
    if (storm || failures_in_a_row_ >= enough) drain(answer.at_s);
    hopeless_ = hopeless_ || !filling_;
  }

  // Why the point ended early: given up, or still without an answer when its time was over.
  std::string ending() const {
    const bool silent = failures_in_a_row_ >= std::max(3, plan_.in_flight);
    if (!hopeless_ && !silent) return {};
    if (throttled_ > errors_ / 2.0)
      return fmt::format("{:.0f} requests were refused for their rate ({}) and {} answered", throttled_, last_failure_,
                         answered_.size());
    return fmt::format("{:.0f} requests failed ({}) and {} were answered", errors_, last_failure_, answered_.size());
  }

  std::optional<double> end_of_rounds_s() const;
  std::vector<double> bytes_of_slices(const MeasuredSpan& span) const;

  const ObjectVisit& plan_;
  ObjectBudget& budget_;
  double began_s_, cpu_began_s_, full_until_s_;
  double cpu_s_ = 0.0, ramped_s_ = 0.0, taken_bytes_ = 0.0;
  bool filling_ = true, hopeless_ = false;
  double errors_ = 0.0, throttled_ = 0.0;
  int failures_in_a_row_ = 0;
  std::string last_failure_;
  std::vector<Answered> answered_;
  ArrivalLog arrivals_;
  ObjectVisitTally tally_;
};

// When the last of the requests was complete that, after the ramp-up and before the drain, are a multiple of those in
// flight: requests that go side by side end side by side, and part of a group would move the rate. Before there is one
// such round, when the drain began; nothing where fewer than kFewestCompletions were complete by then.
std::optional<double> OngoingVisit::end_of_rounds_s() const {
  if (ramped_s_ <= 0.0) return std::nullopt;
  std::vector<double> at_s;
  for (const Answered& done : answered_)
    if (done.at_s > ramped_s_ && done.at_s <= full_until_s_) at_s.push_back(done.at_s);
  if (static_cast<double>(at_s.size()) < kFewestCompletions) return std::nullopt;
  const std::size_t part = at_s.size() % static_cast<std::size_t>(plan_.in_flight);
  return part == at_s.size() ? full_until_s_ : at_s[at_s.size() - part - 1];
}

MeasuredVisit OngoingVisit::result() const {
  MeasuredVisit measured;
  measured.errors = errors_;
  measured.throttled = throttled_;
  measured.tally = tally_;
  measured.tally.ended = ending();
  if (answered_.empty()) return measured;
  const std::optional<double> end_s = end_of_rounds_s();
  MeasuredSpan& span = measured.span;
  span.from_s = end_s ? ramped_s_ : began_s_;
  span.to_s = end_s ? *end_s : answered_.back().at_s;
  double under_way_s = 0.0;
  for (const Answered& done : answered_) {
    if (end_s && (done.at_s <= span.from_s || done.at_s > span.to_s)) continue;
    ++span.requests;
    span.latency_s.push_back(static_cast<float>(done.latency_s));
    span.first_byte_s.push_back(static_cast<float>(done.first_byte_s));
    under_way_s += done.latency_s + done.set_up_s;
    measured.tally.connections += done.set_up_s > 0 ? 1.0 : 0.0;
    measured.tally.set_up_s += done.set_up_s;
  }
  span.bytes = arrivals_.bytes_between(span.from_s, span.to_s);
  span.slice_bytes = bytes_of_slices(span);
  measured.tally.under_way = under_way_s / span.seconds();
  measured.tally.own_cpu_fraction = cpu_s_ / std::max(1e-9, full_until_s_ - began_s_);
  return measured;
}

// So many slices that each holds several requests: fewer would show their number and not the rate.
std::vector<double> OngoingVisit::bytes_of_slices(const MeasuredSpan& span) const {
  constexpr double kRequestsPerPart = 8.0, kMostParts = 10.0;
  const double count = std::clamp(std::floor(span.requests / kRequestsPerPart), 1.0, kMostParts);
  const double length_s = span.seconds() / count;
  std::vector<double> bytes;
  for (double slice = 0; slice < count; ++slice)
    bytes.push_back(arrivals_.bytes_between(span.from_s + slice * length_s, span.from_s + (slice + 1.0) * length_s));
  return bytes;
}

}  // namespace

ObjectPointReader::ObjectPointReader(HttpPool& pool, const std::vector<ReadableObject>& objects, bool ranges,
                                     ObjectBudget& budget, std::uint64_t seed)
    : pool_(pool), objects_(objects), ranges_(ranges), budget_(budget), random_(seed) {}

// Sorted by size, objects long enough for a range are at the back. A whole object must be one that the visit may hold
// several of; the largest such is where `request_bytes` ends.
std::span<const ReadableObject> ObjectPointReader::readable(const ObjectVisit& visit) const {
  const bool whole = visit.pattern == AccessPattern::kWholeFile;
  const auto begin = std::find_if(objects_.begin(), objects_.end(), [&](const ReadableObject& object) {
    return whole || object.bytes >= visit.request_bytes || object.bytes < 0;
  });
  const auto end = std::find_if(
      begin, objects_.end(), [&](const ReadableObject& object) { return whole && object.bytes > visit.request_bytes; });
  return {begin, end};
}

ReadPoint ObjectPointReader::point_of(const ObjectVisit& visit) const {
  const std::string& url = objects_.front().url;
  ReadPoint point;
  point.pattern = visit.pattern;
  point.request_bytes = visit.request_bytes;
  point.in_flight = static_cast<double>(visit.in_flight);
  point.engine = url.substr(0, url.find(':'));
  point.direct = true;
  if (visit.pattern != AccessPattern::kWholeFile) return point;
  const std::span<const ReadableObject> objects = readable(visit);
  double bytes = 0.0;
  for (const ReadableObject& object : objects) bytes += object.bytes;
  point.request_bytes = bytes / static_cast<double>(objects.size());
  return point;
}

HttpRequest ObjectPointReader::next_request(const ObjectVisit& visit) {
  const bool whole = visit.pattern == AccessPattern::kWholeFile;
  const std::span<const ReadableObject> objects = readable(visit);
  const ReadableObject& object = objects[random_() % objects.size()];
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

MeasuredVisit ObjectPointReader::measure(const ObjectVisit& plan, const std::function<void()>& tick) {
  OngoingVisit visit(plan, budget_);
  pool_.watch_arrivals([&](double at_s, double bytes) { visit.arrivals().add(at_s, bytes); });
  std::vector<double> aside(1, 0.0);  // by tag
  std::vector<double> retry_at_s;     // requests that wait before they are tried again
  const auto start = [&] {
    HttpRequest request = next_request(plan);
    const double bytes = request.body_limit + (request.bytes > 0 ? 0.0 : kOvershoot);
    if (!visit.may_start(bytes, monotonic_s())) return;
    request.tag = aside.size();
    aside.push_back(bytes);
    pool_.start(request);
  };
  const auto missing = [&] { return plan.in_flight - pool_.in_flight() - static_cast<int>(retry_at_s.size()); };
  while (visit.filling() || pool_.in_flight() > 0) {
    std::erase_if(retry_at_s, [now_s = monotonic_s()](double at_s) { return at_s <= now_s; });
    while (visit.filling() && missing() > 0) start();
    double wait_s = std::min(kPoll_s, budget_.seconds_left());
    if (!retry_at_s.empty())
      wait_s = std::clamp(*std::min_element(retry_at_s.begin(), retry_at_s.end()) - monotonic_s(), 0.001, kPoll_s);
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
    if (pool_.in_flight() == 0 && visit.late(monotonic_s())) break;  // all wait to be tried again
  }
  visit.drain(monotonic_s());
  pool_.abandon();
  pool_.watch_arrivals({});
  return visit.result();
}

}  // namespace stallcast
