#include "core/object_probe/probe_objects.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/diagnostics/finding.h"
#include "core/object_probe/object_flaws.h"
#include "core/object_probe/object_point.h"
#include "core/object_probe/object_source.h"
#include "core/object_probe/object_url.h"

namespace stallcast {
namespace {

constexpr std::array<double, 3> kSizes = {131072.0, 1048576.0, 8388608.0};
constexpr double kLargestWhole = 67108864.0;  // a longer object is read as ranges are
constexpr double kGain = 1.05;
constexpr double kRounds = 3.0;  // of all in flight, that make a point: one to ramp up, one to measure, one to drain

std::string host_text() {
  utsname name{};
  return uname(&name) == 0 ? fmt::format("{} {} {}", name.sysname, name.release, name.machine) : "";
}

int usable_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  return sched_getaffinity(0, sizeof(cores), &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

std::string size_text(double bytes) {
  return bytes >= 1048576.0 ? fmt::format("{:.3g} MiB", bytes / 1048576.0) : fmt::format("{:.4g} KiB", bytes / 1024.0);
}

std::string visit_text(const ObjectVisit& visit) {
  if (visit.pattern == AccessPattern::kWholeFile) return fmt::format("whole objects, {} in flight", visit.in_flight);
  return fmt::format("ranges of {}, {} in flight", size_text(visit.request_bytes), visit.in_flight);
}

// Goes through the operating points of an opened source, sharing time and bytes out among those to come.
class ObjectSweep {
 public:
  ObjectSweep(ObjectSource& source, ObjectBudget& budget, const ProbeOptions& options, ProbeResult& result,
              double began_s)
      : source_(source),
        budget_(budget),
        options_(options),
        result_(result),
        began_s_(began_s),
        pool_(source.access, options.max_in_flight, source.place.silence_s),
        reader_(pool_, source.objects, source.ranges, budget, options.seed) {
    tally_.ranges = source.ranges;
    tally_.cached = source.cached;
  }

  void run();
  double received() const { return pool_.received_bytes(); }
  const ObjectTally& tally() const { return tally_; }

 private:
  // Numbers in flight after 1: 2, 4, ...
  int doublings() const { return static_cast<int>(std::floor(std::log2(std::max(1, options_.max_in_flight)))); }
  std::vector<double> range_sizes() const;
  double whole_size() const;
  bool enough_for(ObjectVisit& visit);
  double visit_rate(ObjectVisit visit);
  void curve(AccessPattern pattern, double bytes, double alone_bytes_per_s);
  void tick(const ObjectVisit& visit);

  ObjectSource& source_;
  ObjectBudget& budget_;
  const ProbeOptions& options_;
  ProbeResult& result_;
  double began_s_;
  HttpPool pool_;
  ObjectPointReader reader_;
  ObjectTally tally_;
  double visits_left_ = 1.0;
  double ticked_s_ = 0.0;
  int failed_in_a_row_ = 0;
};

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

void ObjectSweep::run() {
  const std::vector<double> sizes = range_sizes();
  const double whole = whole_size();
  visits_left_ = static_cast<double>(sizes.size() + (whole > 0 ? 1 : 0)) * (1.0 + doublings());
  std::vector<double> alone;
  for (const double size : sizes) alone.push_back(visit_rate({AccessPattern::kRandom, size, 1}));
  const double whole_alone = whole > 0 ? visit_rate({AccessPattern::kWholeFile, whole, 1}) : 0.0;
  for (std::size_t i = 0; i < sizes.size(); ++i) curve(AccessPattern::kRandom, sizes[i], alone[i]);
  if (whole > 0)
    curve(AccessPattern::kWholeFile, whole, whole_alone);
  else
    result_.notes.push_back("No object is short enough, for what is allowed, to be read whole several times.");
}

// Its share of the time, and of the bytes a share or as many as it needs.
bool ObjectSweep::enough_for(ObjectVisit& visit) {
  constexpr double kShortest_s = 0.1, kLongest_s = 4.0;
  const double round = visit.in_flight * (visit.request_bytes + (source_.ranges ? 0.0 : kOvershoot));
  visit.seconds = std::clamp(0.95 * budget_.seconds_left() / visits_left_, kShortest_s, kLongest_s);
  visit.bytes =
      std::max(budget_.bytes_left / visits_left_, std::min((kRounds + 1.0) * round, budget_.bytes_left / 3.0));
  return kRounds * round <= visit.bytes;
}

// Measures a point and returns its rate; 0 when there was none.
double ObjectSweep::visit_rate(ObjectVisit visit) {
  const bool enough = enough_for(visit);
  visits_left_ = std::max(1.0, visits_left_ - 1.0);
  if (budget_.over() || failed_in_a_row_ > 1) return 0.0;
  if (!enough) {
    result_.notes.push_back(fmt::format("Not measured, for want of bytes: {}. Allow more.", visit_text(visit)));
    return 0.0;
  }
  const MeasuredPoint measured = reader_.measure(visit, [&] { tick(visit); });
  tally_.add(measured);
  const ReadPoint& point = measured.point;
  if (!measured.tally.ended.empty())
    result_.notes.push_back(fmt::format("Ended early, {}: {}.", visit_text(visit), measured.tally.ended));
  failed_in_a_row_ = point.requests > 0 || point.errors == 0 ? 0 : failed_in_a_row_ + 1;
  tally_.gave_up = tally_.gave_up || failed_in_a_row_ > 1;
  if (point.requests > 0 || point.errors > 0) result_.points.push_back(point);
  return measured.tally.ended.empty() ? point.bytes_per_s() : 0.0;
}

void ObjectSweep::curve(AccessPattern pattern, double bytes, double alone_bytes_per_s) {
  double best = alone_bytes_per_s;
  int without_gain = 0;
  const int levels = doublings();
  for (int level = 1; level <= levels; ++level) {
    const double rate = best > 0 && without_gain < 2 ? visit_rate({pattern, bytes, 1 << level}) : 0.0;
    if (rate <= 0.0) {
      visits_left_ = std::max(1.0, visits_left_ - (levels - level));
      return;
    }
    without_gain = rate < kGain * best ? without_gain + 1 : 0;
    best = std::max(best, rate);
  }
}

void ObjectSweep::tick(const ObjectVisit& visit) {
  constexpr double kEvery_s = 0.1;
  const double now_s = pool_clock_s();
  if (!options_.progress || now_s - ticked_s_ < kEvery_s) return;
  ticked_s_ = now_s;
  options_.progress({.seconds = now_s - began_s_,
                     .bytes = budget_.received + pool_.received_bytes(),
                     .allowed_seconds = options_.seconds,
                     .allowed_bytes = options_.bytes,
                     .doing = visit_text(visit)});
}

ProbeResult described(const ObjectUrl& url, const ProbeOptions& options) {
  ProbeResult result;
  result.target_kind = url.kind;
  result.target = url.shown;
  result.host = host_text();
  result.cores = usable_cores();
  result.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  result.allowed_seconds = options.seconds;
  result.allowed_bytes = options.bytes;
  return result;
}

}  // namespace

ProbeResult probe_objects(const std::string& url, const ProbeOptions& options) {
  const double began_s = pool_clock_s();
  const Loaded<ObjectUrl> parsed = parse_object_url(url);
  if (!parsed.value) throw WorldError(render_finding(parsed.findings.list().front()));
  ProbeResult result = described(*parsed.value, options);
  ObjectBudget budget{.until_s = began_s + options.seconds, .bytes_left = options.bytes, .stop = options.stop};
  std::optional<ObjectSource> source = open_objects(*parsed.value, budget);
  result.interrupted = !source;
  if (source) {
    std::stable_sort(source->objects.begin(), source->objects.end(),
                     [](const ReadableObject& a, const ReadableObject& b) { return a.bytes < b.bytes; });
    result.files_seen = static_cast<double>(source->objects.size());
    for (const ReadableObject& object : source->objects) result.files_bytes += std::max(0.0, object.bytes);
    result.notes = source->notes;
    if (source->list) result.points.push_back(*source->list);
    ObjectSweep sweep(*source, budget, options, result, began_s);
    sweep.run();
    result.flaws = object_flaws(sweep.tally());
    result.bytes = sweep.received();
    result.interrupted = options.stop.stop_requested();
  }
  result.bytes += budget.received;
  result.seconds = pool_clock_s() - began_s;
  return result;
}

}  // namespace stallcast
