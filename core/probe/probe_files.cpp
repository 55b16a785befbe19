#include "core/probe/probe_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <random>
#include <utility>

#include "core/probe/pause_watch.h"
#include "core/probe/probe_limits.h"
#include "core/probe/probe_plan.h"
#include "core/probe/probe_reads.h"
#include "core/probe/result/grade.h"
#include "core/probe/result/point_record.h"
#include "core/probe/result/probing_machine.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

constexpr double kOpenShare = 0.02;  // of time, for each number of files being opened at a time
constexpr double kSpareTime = 1.5;   // a ladder is climbed when so many times the least time for it is there
constexpr int kPasses = 2, kMostPasses = 6;
constexpr double kMostOfWanted = 4.0;  // times wanted_requests, when there is room
constexpr double kMostCached = 0.1;    // of the pages of streams that were looked at

// A rung of a ladder that was reached, with what its visits measured.
struct Reached {
  Visit visit;
  PointRecord record;
};

// How far up a ladder the probe is.
struct Climb {
  Ladder ladder;
  std::size_t next = 0;  // rung
  int small_gains = 0;   // in a row
  double best_requests_per_s = 0.0, last_requests_per_s = 0.0;
  double alone_requests_per_s = 0.0;  // of the first rung

  bool ended() const { return next >= ladder.in_flight.size(); }
  void end() { next = ladder.in_flight.size(); }
};

std::string what(const Visit& visit) {
  const std::string size = format_quantity(Dimension::kBytes, static_cast<double>(visit.block_bytes));
  if (visit.pattern == AccessPattern::kWholeFile) return fmt::format("whole files, {} at a time", visit.in_flight);
  if (visit.pattern == AccessPattern::kStream)
    return fmt::format("files in order through the page cache, {} at a time", visit.in_flight);
  return fmt::format("{} {}, {} in flight", access_pattern_name(visit.pattern), size, visit.in_flight);
}

class FileProbe {
 public:
  FileProbe(const std::filesystem::path& target, const ProbeOptions& options, const FileReading& reading)
      : options_(options),
        limits_(options),
        random_(options.seed),
        result_(blank_result(options)),
        reads_(target, options, reading, limits_, result_.notes) {
    result_.target = target.string();
    result_.file_system = reads_.system().name;
  }

  ProbeResult run() {
    reads_.look_through();
    if (limits_.is_over()) return finish_unread();
    reads_.open();
    warm_up();
    measure_opens();
    first_pass();
    for (int pass = 1; pass < kMostPasses && !limits_.is_over() && (pass < kPasses || has_room_for_a_pass()); ++pass)
      next_pass();
    finish();
    return std::move(result_);
  }

 private:
  bool has_room_for_a_pass() {
    double wanted = 0.0;
    for (const Reached& reached : reached_) wanted += reads_.wanted_bytes(reached.visit);
    return limits_.bytes_left() >= 0.5 * wanted && limits_.seconds_left() >= 0.25 * options_.seconds;
  }

  // --- visits -------------------------------------------------------------------------------------------------------

  // Extents and other things that only the first reads of a file pay for.
  void warm_up() {
    if (reads_.largest_block() == 0) return;
    Visit visit;
    visit.in_flight = std::min(4, options_.max_in_flight);
    visit.seed = random_();
    reads_.run(visit, 64.0 * static_cast<double>(kPageBytes), 0.02 * options_.seconds);
  }

  void measure_opens() {
    if (!reads_.sample().is_directory || reads_.whole_files().count() == 0) return;
    for (const int in_flight : {1, 8}) {
      if (in_flight > options_.max_in_flight || limits_.is_over()) return;
      Visit visit;
      visit.pattern = AccessPattern::kOpen;
      visit.in_flight = in_flight;
      limits_.tell(fmt::format("opening files, {} at a time", in_flight));
      PointRecord record(reads_.blank_point(visit), limits_.began_s());
      record.add(reads_.run(visit, 0.0, kOpenShare * options_.seconds));
      add_by_name(record.point());
    }
  }

  // Opens move no bytes, so slices of their rate in bytes say nothing.
  void add_by_name(ReadPoint point) {
    if (point.requests <= 0.0) return;
    point.slice_bytes_per_s.clear();
    point.slice_at_s.clear();
    point.slice_visit.clear();
    result_.points.push_back(std::move(point));
  }

  // What visits that are still to come want together.
  struct Wanted {
    double bytes = 0.0, turns = 0.0;
  };

  void add(Wanted& all, const Visit& visit, double times = 1.0) const {
    all.bytes += times * reads_.wanted_bytes(visit);
    all.turns += times * fewest_turns(visit.in_flight);
  }

  double share_of_time(const Visit& visit, const Wanted& all) {
    return limits_.seconds_left() * fewest_turns(visit.in_flight) / all.turns;
  }

  // A visit of a point with its share of what is left for `all` that are still to come.
  void visit_point(Reached& reached, const Wanted& all) {
    const Visit& visit = reached.visit;
    limits_.tell(what(visit));
    reached.visit.seed = random_();
    const double scale = std::min(kMostOfWanted, limits_.bytes_left() / all.bytes);
    const double least = visit_bytes(static_cast<double>(visit.block_bytes), visit.in_flight, kFewestRequests);
    reached.record.add(
        reads_.run(visit, std::max(least, scale * reads_.wanted_bytes(visit)), share_of_time(visit, all)));
    if (options_.measured) options_.measured(reached.record.point());
  }

  // --- passes -------------------------------------------------------------------------------------------------------

  void first_pass() {
    PlanInput input;
    input.bytes = limits_.bytes_left();
    input.max_in_flight = options_.max_in_flight;
    input.largest_block_bytes = reads_.largest_block();
    input.whole_files = reads_.whole_files().count();
    input.whole_file_bytes = reads_.whole_files().mean_bytes();
    input.stream_bytes = reads_.stream_bytes();
    input.read_ahead_bytes = reads_.system().read_ahead_bytes;
    for (Ladder& ladder : plan_ladders(input)) climbs_.push_back({std::move(ladder)});
    const auto climbing = [](const Climb& climb) { return !climb.ended(); };
    while (std::any_of(climbs_.begin(), climbs_.end(), climbing)) {
      for (Climb& climb : climbs_) {
        if (limits_.is_over()) return;
        if (!climb.ended()) step_up(climb);
      }
      give_up_what_time_forbids();
    }
  }

  // Where single requests are so slow that not all ladders can be climbed, the more important ones are.
  void give_up_what_time_forbids() {
    const auto wanted_s = [&] {
      double sum = 0.0;
      for (const Reached& reached : reached_)
        sum += fewest_requests(reached.visit.in_flight) / reached.record.last_requests_per_s();
      for (const Climb& climb : climbs_)
        for (std::size_t i = climb.next; i < climb.ladder.in_flight.size(); ++i)
          sum += kPasses * fewest_turns(climb.ladder.in_flight[i]) / climb.alone_requests_per_s;
      return sum;
    };
    const auto less_important = [](const Climb& a, const Climb& b) {
      return a.ended() != b.ended() ? b.ended() : a.ladder.importance < b.ladder.importance;
    };
    const auto climbing = [](const Climb& climb) { return !climb.ended(); };
    while (std::count_if(climbs_.begin(), climbs_.end(), climbing) > 1 &&
           kSpareTime * wanted_s() > limits_.seconds_left())
      std::min_element(climbs_.begin(), climbs_.end(), less_important)->end();
  }

  Visit rung(const Climb& climb, std::size_t index) const {
    return {climb.ladder.pattern, climb.ladder.block_bytes, climb.ladder.in_flight[index], 0};
  }

  void step_up(Climb& climb) {
    Wanted all;  // that may still come, in this pass and the next
    for (const Reached& reached : reached_) add(all, reached.visit);
    for (const Climb& other : climbs_)
      for (std::size_t i = other.next; i < other.ladder.in_flight.size(); ++i) add(all, rung(other, i), kPasses);
    const Visit visit = rung(climb, climb.next);
    // Twice as many are at most twice as fast.
    const double fewest_s = fewest_requests(visit.in_flight) / (2.0 * climb.last_requests_per_s);
    if (climb.last_requests_per_s > 0.0 && fewest_s > share_of_time(visit, all)) return climb.end();
    Reached reached{visit, PointRecord(reads_.blank_point(visit), limits_.began_s())};
    visit_point(reached, all);
    const double rate = reached.record.last_requests_per_s();
    if (rate > 0.0) reached_.push_back(std::move(reached));
    if (climb.next == 0) climb.alone_requests_per_s = rate;
    climb.small_gains = rate > (1.0 + kWorthwhileGain) * climb.best_requests_per_s ? 0 : climb.small_gains + 1;
    climb.best_requests_per_s = std::max(climb.best_requests_per_s, rate);
    climb.last_requests_per_s = rate;
    ++climb.next;
    if (rate <= 0.0 || (climb.ladder.ends_at_knee && climb.small_gains == 2)) climb.end();
  }

  void next_pass() {
    std::vector<std::size_t> order(reached_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random_);
    for (std::size_t i = 0; i < order.size() && !limits_.is_over(); ++i) {
      Wanted all;
      for (std::size_t j = i; j < order.size(); ++j) add(all, reached_[order[j]].visit);
      visit_point(reached_[order[i]], all);
    }
  }

  // --- result -------------------------------------------------------------------------------------------------------

  void add_looks() {
    if (!reads_.sample().is_directory) return;
    ReadPoint list;
    list.pattern = AccessPattern::kList;
    list.engine = "readdir";
    list.seconds = reads_.sample().list_s;
    list.requests = reads_.sample().listed_names;
    list.latency.mean_s = list.requests > 0.0 ? list.seconds / list.requests : 0.0;
    if (list.requests > 0.0) result_.points.push_back(std::move(list));
    ReadPoint stat;
    stat.pattern = AccessPattern::kStat;
    stat.engine = "fstatat";
    stat.latency = summarise(reads_.sample().stat_s);
    stat.requests = static_cast<double>(reads_.sample().stat_s.size());
    stat.seconds = stat.requests * stat.latency.mean_s;
    if (stat.requests > 0.0) result_.points.push_back(std::move(stat));
  }

  void add_sample() {
    const FileSample& sample = reads_.sample();
    result_.target_kind = sample.is_directory ? ProbeTarget::kDirectory : ProbeTarget::kFile;
    result_.files_seen = sample.seen;
    result_.files_bytes = sample.bytes;
    result_.interrupted = limits_.interrupted();
  }

  void add_notes() {
    if (std::string paused = pause_note(limits_.pauses(), limits_.dropped()); !paused.empty())
      result_.notes.push_back(std::move(paused));
    if (std::string busy = machine_.note(); !busy.empty()) result_.notes.push_back(std::move(busy));
    for (std::string& trouble : reads_.trouble()) result_.notes.push_back(std::move(trouble));
    if (result_.bytes > 2.0 * result_.files_bytes && reads_.sample().complete) {
      result_.notes.push_back(
          fmt::format("every byte was read {:.0f} times over: a cache in the storage may have "
                      "answered",
                      result_.bytes / result_.files_bytes));
    }
  }

  // Stopped, or out of time, before a file was found.
  ProbeResult finish_unread() {
    add_looks();
    add_sample();
    result_.seconds = limits_.now_s() - limits_.began_s();
    grade(result_);
    return std::move(result_);
  }

  // Streams that the page cache answered say nothing.
  void drop_cached_streams() {
    const double cached = reads_.cached_share_of_streams();
    if (cached <= kMostCached) return;
    std::erase_if(reached_, [](const Reached& reached) { return reached.visit.pattern == AccessPattern::kStream; });
    result_.notes.push_back(fmt::format(
        "what streams through the page cache give is not known: it held {:.0f} % of the pages looked at, after it was "
        "told to forget them",
        100.0 * cached));
  }

  void finish() {
    add_looks();
    add_sample();
    drop_cached_streams();
    for (const Reached& reached : reached_) result_.points.push_back(reached.record.point());
    result_.bytes = limits_.taken_bytes();
    const FileSystem& system = reads_.system();
    const std::optional<double> fetched = limits_.fetched_bytes();
    if (fetched && (system.on_block_device || system.in_memory || *fetched > 0.0)) result_.fetched_bytes = *fetched;
    result_.cached_share = reads_.cached_share();
    add_notes();
    result_.seconds = limits_.now_s() - limits_.began_s();
    grade(result_);
  }

  const ProbeOptions& options_;
  MachineWatch machine_;
  ProbeLimits limits_;
  std::mt19937_64 random_;
  ProbeResult result_;
  ProbeReads reads_;
  std::vector<Climb> climbs_;
  std::vector<Reached> reached_;
};

}  // namespace

ProbeResult probe_files(const std::filesystem::path& target, const ProbeOptions& options, const FileReading& reading) {
  return FileProbe(target, options, reading).run();
}

ReadPoint measure_point(const std::filesystem::path& file, const PointWanted& wanted, const FileReading& reading) {
  const FileSample sample = sample_files(file, {});
  std::vector<std::string> notes;
  FileReader reader(sample.files, reading, file_system_of(file), notes);
  const Visit visit{wanted.pattern, wanted.block_bytes, wanted.in_flight, wanted.seed};
  const double now_s = monotonic_s();
  PointRecord record(reader.point_of(visit), now_s);
  Allowance allowance(std::numeric_limits<std::uint64_t>::max(), now_s + wanted.seconds, {});
  record.add(reader.run(visit, allowance));
  return record.point();
}

}  // namespace stallcast
