#include "core/object_probe/object_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/probe/disk/monotonic_clock.h"
#include "core/probe/probe_plan.h"
#include "core/units/size_text.h"

namespace stallcast {
namespace {

constexpr std::array<double, 3> kSizes = {131072.0, 1048576.0, 8388608.0};
constexpr double kLargestWhole = 67108864.0;  // a longer object is read as ranges are
constexpr double kRounds = 3.0;  // of all in flight, that make a visit: one to ramp up, one to measure, one to drain
constexpr double kSpareTime = 1.2;
constexpr int kPasses = 2, kMostPasses = 6;

std::string visit_text(const ObjectVisit& visit) {
  if (visit.pattern == AccessPattern::kWholeFile) return fmt::format("whole objects, {} in flight", visit.in_flight);
  return fmt::format("ranges of {}, {} in flight", size_text(visit.request_bytes), visit.in_flight);
}

}  // namespace

ObjectSweep::ObjectSweep(const ObjectSource& source, ObjectBudget& budget, const ProbeOptions& options, double began_s,
                         ProbeResult& result)
    : source_(source),
      budget_(budget),
      options_(options),
      began_s_(began_s),
      result_(result),
      pool_(source.access, options.max_in_flight, source.place.silence_s),
      reader_(pool_, source.objects, source.ranges, budget, options.seed),
      random_(options.seed),
      last_doubling_(static_cast<int>(std::floor(std::log2(std::max(1, options.max_in_flight))))) {
  tally_.ranges = source.ranges;
  tally_.cached = source.cached;
}

void ObjectSweep::run() {
  plan_curves();
  first_pass();
  for (int pass = 1; pass < kMostPasses && !over() && (pass < kPasses || has_room_for_a_pass()); ++pass) next_pass();
  for (const Reached& reached : reached_) result_.points.push_back(reached.record.point());
}

// --- what there is to read ----------------------------------------------------------------------------------------

// Sizes of ranges that some object is long enough for. Unknown length counts as long.
std::vector<double> ObjectSweep::range_sizes() const {
  const double longest = source_.objects.back().bytes;
  std::vector<double> sizes;
  for (const double size : kSizes)
    if (longest < 0 || longest >= size) sizes.push_back(size);
  if (sizes.size() < kSizes.size())
    result_.notes.push_back(fmt::format("The longest object has {}: no ranges of {} and more.", size_text(longest),
                                        size_text(kSizes[sizes.size()])));
  return sizes;
}

// The longest object to be read whole, so that a few fit into what is allowed; 0 = none.
double ObjectSweep::whole_size() const {
  const double longest = std::min(kLargestWhole, budget_.bytes_left / 16.0);
  double size = 0.0;
  for (const ReadableObject& object : source_.objects)
    if (object.bytes > 0 && object.bytes <= longest) size = object.bytes;
  return size;
}

void ObjectSweep::plan_curves() {
  for (const double size : range_sizes()) curves_.push_back({AccessPattern::kRandom, size});
  if (const double whole = whole_size(); whole > 0.0)
    curves_.push_back({AccessPattern::kWholeFile, whole});
  else
    result_.notes.emplace_back("No object is short enough, for what is allowed, to be read whole several times.");
}

// --- shares ---------------------------------------------------------------------------------------------------------

double ObjectSweep::least_bytes(const ObjectVisit& visit) const {
  return kRounds * visit.in_flight * (visit.request_bytes + (source_.ranges ? 0.0 : kOvershoot));
}

// For another visit of every point reached.
double ObjectSweep::reserved_bytes() const {
  double bytes = 0.0;
  for (const Reached& reached : reached_) bytes += least_bytes(reached.visit);
  return bytes;
}

// An equal share of the time for each of `visits`, and of `bytes` likewise, or as many as it needs if those are there.
void ObjectSweep::share_out(ObjectVisit& visit, double visits, double bytes) const {
  constexpr double kShortest_s = 0.1, kLongest_s = 2.0, kPlannedTime = 0.95, kRoundToSpare = 4.0 / 3.0;
  visit.seconds = std::clamp(kPlannedTime * budget_.seconds_left() / visits, kShortest_s, kLongest_s);
  visit.bytes = std::max(bytes / visits, std::min(kRoundToSpare * least_bytes(visit), bytes));
}

// For two visits of that many, and another one of every point reached, if more in flight slow no request down.
bool ObjectSweep::has_time_for(const Curve& curve) const {
  double needed_s = kPasses * kRounds * curve.latency_s;
  for (const Reached& reached : reached_)
    needed_s += kRounds * reached.visit.in_flight / reached.record.last_requests_per_s();
  return kSpareTime * needed_s <= budget_.seconds_left();
}

bool ObjectSweep::has_room_for_a_pass() const {
  constexpr double kShareOfTime = 0.25;
  return budget_.seconds_left() >= kShareOfTime * options_.seconds && budget_.bytes_left >= 2.0 * reserved_bytes();
}

// --- visits ---------------------------------------------------------------------------------------------------------

MeasuredVisit ObjectSweep::measure(ObjectVisit& visit) {
  std::stop_source stop = watch_.until_next();
  const std::stop_callback forward(options_.stop, [&stop] { stop.request_stop(); });
  budget_.stop = stop.get_token();
  MeasuredVisit measured = reader_.measure(visit, [&] { tick(visit); });
  budget_.stop = options_.stop;
  return measured;
}

MeasuredVisit ObjectSweep::measure_undisturbed(ObjectVisit& visit) {
  while (true) {
    const Pauses before = watch_.pauses();
    MeasuredVisit measured = measure(visit);
    const Pauses after = watch_.pauses();
    measured.span.from_s -= after.lost_s;
    measured.span.to_s -= after.lost_s;
    if (after.count == before.count) return measured;
    ++dropped_;
    budget_.until_s += after.lost_s - before.lost_s;
    measured.span = {};
    if (over()) return measured;
  }
}

MeasuredVisit ObjectSweep::visit(ObjectVisit& visit) {
  MeasuredVisit measured = measure_undisturbed(visit);
  tally_.add(measured, visit.in_flight);
  if (!measured.tally.ended.empty())
    result_.notes.push_back(fmt::format("Ended early, {}: {}.", visit_text(visit), measured.tally.ended));
  failed_in_a_row_ = measured.span.requests > 0 || measured.errors == 0 ? 0 : failed_in_a_row_ + 1;
  tally_.gave_up = tally_.gave_up || failed_in_a_row_ > 1;
  return measured;
}

void ObjectSweep::first_pass() {
  const auto climbing = [](const Curve& curve) { return !curve.ended; };
  while (std::any_of(curves_.begin(), curves_.end(), climbing)) {
    for (Curve& curve : curves_) {
      if (over()) return;
      if (!curve.ended) step_up(curve);
    }
  }
}

void ObjectSweep::step_up(Curve& curve) {
  ObjectVisit next{curve.pattern, curve.bytes, 1 << curve.doublings};
  auto to_come = static_cast<double>(reached_.size());
  for (const Curve& other : curves_) to_come += other.ended ? 0.0 : kPasses * (last_doubling_ + 1.0 - other.doublings);
  // No point takes more than a third of what is left, its second visit included.
  constexpr double kMostOfBytes = 1.0 / 6.0;
  const double free_bytes = std::max(0.0, budget_.bytes_left - reserved_bytes());
  const bool bytes = least_bytes(next) <= std::max(kMostOfBytes, 1.0 / to_come) * free_bytes;
  if (!bytes || !has_time_for(curve)) {
    result_.notes.push_back(
        fmt::format("Not measured, for want of {}: {}. Allow more.", bytes ? "time" : "bytes", visit_text(next)));
    curve.ended = true;
    return;
  }
  share_out(next, to_come, free_bytes);
  next.bytes = std::min(next.bytes, std::max(kMostOfBytes, 1.0 / to_come) * free_bytes);
  const MeasuredVisit measured = visit(next);
  PointRecord record(reader_.point_of(next), began_s_);
  record.add_errors(measured.errors, measured.throttled);
  record.add(measured.span);
  if (options_.measured) options_.measured(record.point());
  const double rate = measured.tally.ended.empty() ? measured.span.bytes_per_s() : 0.0;
  curve.small_gains = rate < (1.0 + kWorthwhileGain) * curve.best_bytes_per_s ? curve.small_gains + 1 : 0;
  curve.best_bytes_per_s = std::max(curve.best_bytes_per_s, rate);
  curve.ended = rate <= 0.0 || curve.small_gains == 2 || ++curve.doublings > last_doubling_;
  if (record.last_requests_per_s() > 0.0) {
    curve.latency_s = next.in_flight / record.last_requests_per_s();
    reached_.push_back({next, std::move(record)});
  } else if (measured.errors > 0.0) {
    result_.points.push_back(record.point());
  }
}

void ObjectSweep::next_pass() {
  std::vector<std::size_t> order(reached_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random_);
  double reserved = reserved_bytes();
  for (std::size_t i = 0; i < order.size() && !over(); ++i) {
    Reached& reached = reached_[order[i]];
    reserved -= least_bytes(reached.visit);
    const double free_bytes = std::max(0.0, budget_.bytes_left - reserved);
    if (least_bytes(reached.visit) > free_bytes) continue;
    share_out(reached.visit, static_cast<double>(order.size() - i), free_bytes);
    const MeasuredVisit measured = visit(reached.visit);
    reached.record.add_errors(measured.errors, measured.throttled);
    reached.record.add(measured.span);
    if (options_.measured) options_.measured(reached.record.point());
  }
}

void ObjectSweep::tick(const ObjectVisit& visit) {
  constexpr double kEvery_s = 0.1;
  const double now_s = monotonic_s();
  if (!options_.progress || now_s - ticked_s_ < kEvery_s) return;
  ticked_s_ = now_s;
  options_.progress({.seconds = now_s - began_s_,
                     .bytes = budget_.received + pool_.received_bytes(),
                     .allowed_seconds = options_.seconds,
                     .allowed_bytes = options_.bytes,
                     .doing = visit_text(visit)});
}

}  // namespace stallcast
