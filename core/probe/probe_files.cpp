#include "core/probe/probe_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <utility>

#include "core/diagnostics/finding.h"
#include "core/probe/disk/block_positions.h"
#include "core/probe/disk/whole_files.h"
#include "core/probe/pause_watch.h"
#include "core/probe/probe_plan.h"
#include "core/probe/result/grade.h"
#include "core/probe/result/point_record.h"
#include "core/probe/result/probing_machine.h"
#include "core/units/quantity_text.h"
#include "core/units/size_text.h"

namespace stallcast {
namespace {

constexpr double kPlannedTime = 0.97, kPlannedBytes = 0.98;
constexpr double kWalkShare = 0.1;   // of time and bytes, for looking through the directory
constexpr double kOpenShare = 0.02;  // of time, for each number of files being opened at a time
constexpr double kSpareTime = 1.5;   // a ladder is climbed when so many times the least time for it is there
constexpr int kPasses = 2, kMostPasses = 6;
constexpr double kMostOfWanted = 4.0;        // times wanted_requests, when there is room
constexpr std::uint64_t kFewestBlocks = 16;  // of a size, in the files, for it to be used
constexpr std::size_t kMostStreamFiles = 64;
constexpr double kMostCached = 0.1;                           // of the pages of streams that were looked at
constexpr double kLargestWholeFile = 64.0 * 1024.0 * 1024.0;  // and 1/256 of the bytes allowed

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
        reading_(reading),
        system_(file_system_of(target)),
        began_s_(monotonic_s()),
        end_s_(began_s_ + kPlannedTime * options.seconds),
        fetched_before_(process_fetched_bytes()),
        random_(options.seed),
        result_(blank_result(options)) {
    result_.target = target.string();
    result_.file_system = system_.name;
  }

  ProbeResult run() {
    look_through();
    if (is_over()) return finish_unread();
    reader_.emplace(sample_.files, reading_, system_, result_.notes);
    taken_bytes_ += static_cast<double>(reader_->tried_bytes());
    choose_whole_files();
    choose_stream_files();
    warm_up();
    measure_opens();
    first_pass();
    for (int pass = 1; pass < kMostPasses && !is_over() && (pass < kPasses || has_room_for_a_pass()); ++pass)
      next_pass();
    finish();
    return std::move(result_);
  }

 private:
  // --- limits -------------------------------------------------------------------------------------------------------

  double fetched_bytes() const {
    const std::optional<double> now = process_fetched_bytes();
    return now && fetched_before_ ? *now - *fetched_before_ : 0.0;
  }
  double bytes_left() const {
    return std::max(0.0, kPlannedBytes * options_.bytes - std::max(taken_bytes_, fetched_bytes()));
  }
  // Time in which this process did not stand still, from the same origin as monotonic_s.
  double now_s() { return monotonic_s() - watch_.pauses().lost_s; }
  double seconds_left() { return std::max(0.0, end_s_ - now_s()); }
  bool is_over() {
    if (options_.stop.stop_requested()) result_.interrupted = true;
    return result_.interrupted || seconds_left() <= 0.0 || bytes_left() < static_cast<double>(kPageBytes);
  }
  bool has_room_for_a_pass() {
    double wanted = 0.0;
    for (const Reached& reached : reached_) wanted += wanted_bytes(reached.visit);
    return bytes_left() >= 0.5 * wanted && seconds_left() >= 0.25 * options_.seconds;
  }

  void tell(std::string doing) {
    if (!options_.progress) return;
    options_.progress({now_s() - began_s_, std::max(taken_bytes_, fetched_bytes()), options_.seconds, options_.bytes,
                       std::move(doing)});
  }

  // --- files --------------------------------------------------------------------------------------------------------

  void look_through() {
    tell("looking through the files");
    SampleLimits limits;
    limits.fetched_bytes = kWalkShare * options_.bytes;
    limits.seed = options_.seed;
    undisturbed([&](const std::stop_token& stop) {
      limits.until_s = monotonic_s() + kWalkShare * options_.seconds;
      limits.stop = stop;
      sample_ = sample_files(result_.target, limits);
    });
    result_.target_kind = sample_.is_directory ? ProbeTarget::kDirectory : ProbeTarget::kFile;
    result_.files_seen = sample_.seen;
    result_.files_bytes = sample_.bytes;
    result_.notes = skipped_notes(sample_);
    if (!sample_.files.empty() || is_over()) return;
    std::string why;
    for (const std::string& note : result_.notes) why += "; " + note;
    throw WorldError(fmt::format("{}: holds no file that can be read{}", result_.target, why));
  }

  void choose_whole_files() {
    const double largest = std::min(kLargestWholeFile, options_.bytes / 256.0);
    std::vector<SampledFile> files;
    for (const SampledFile& file : sample_.files)
      if (static_cast<double>(file.bytes) <= largest) files.push_back(file);
    if (sample_.is_directory && files.size() < sample_.files.size()) {
      result_.notes.push_back(fmt::format("files over {} were not read whole, {} of {} in the sample",
                                          size_text(largest), sample_.files.size() - files.size(),
                                          sample_.files.size()));
    }
    whole_files_.emplace(std::move(files), reader_->direct());
  }

  // Loaders read through the page cache, with what the kernel reads ahead: such files are opened once more, without
  // O_DIRECT, unless all reads are of that kind here.
  void choose_stream_files() {
    std::vector<SampledFile> files;
    for (const SampledFile& file : sample_.files)
      if (static_cast<double>(file.bytes) >= kShortestStream && files.size() < kMostStreamFiles) files.push_back(file);
    if (files.empty() || system_.in_memory) return;
    FileReading buffered = reading_;
    buffered.direct = buffered.io_uring = false;
    std::vector<std::string> of_direct_reads;  // said already
    stream_reader_.emplace(files, buffered, system_, of_direct_reads);
  }

  double stream_bytes() const {
    double sum = 0.0;
    if (stream_reader_)
      for (const OpenFile& file : stream_reader_->files()) sum += static_cast<double>(file.bytes);
    return sum;
  }

  FileReader& reader_of(const Visit& visit) {
    return visit.pattern == AccessPattern::kStream ? *stream_reader_ : *reader_;
  }
  const FileReader& reader_of(const Visit& visit) const {
    return visit.pattern == AccessPattern::kStream ? *stream_reader_ : *reader_;
  }

  double wanted_bytes(const Visit& visit) const {
    if (visit.pattern == AccessPattern::kStream) return wanted_stream_bytes(visit.in_flight, system_.read_ahead_bytes);
    const auto block = static_cast<double>(visit.block_bytes);
    return visit_bytes(block, visit.in_flight, wanted_requests(block));
  }

  std::uint64_t largest_block() const {
    std::uint64_t largest = kPageBytes;
    while (block_count(reader_->files(), 4 * largest) >= kFewestBlocks) largest *= 4;
    return block_count(reader_->files(), kPageBytes) > 0 ? largest : 0;
  }

  // --- visits -------------------------------------------------------------------------------------------------------

  // Extents and other things that only the first reads of a file pay for.
  void warm_up() {
    if (largest_block() == 0) return;
    Visit visit;
    visit.in_flight = std::min(4, options_.max_in_flight);
    visit.seed = random_();
    run_visit(visit, 64.0 * static_cast<double>(kPageBytes), 0.02 * options_.seconds);
  }

  void measure_opens() {
    if (!sample_.is_directory || whole_files_->count() == 0) return;
    for (const int in_flight : {1, 8}) {
      if (in_flight > options_.max_in_flight || is_over()) return;
      Visit visit;
      visit.pattern = AccessPattern::kOpen;
      visit.in_flight = in_flight;
      tell(fmt::format("opening files, {} at a time", in_flight));
      PointRecord record(blank_point(visit), began_s_);
      record.add(run_visit(visit, 0.0, kOpenShare * options_.seconds));
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

  ReadPoint blank_point(const Visit& visit) const {
    ReadPoint point = reader_of(visit).point_of(visit);
    if (visit.pattern == AccessPattern::kWholeFile) point.request_bytes = whole_files_->mean_bytes();
    if (visit.pattern == AccessPattern::kOpen) point.request_bytes = 0.0;
    return point;
  }

  // What a visit may fetch besides the requests it makes.
  double beside_bytes(const Visit& visit) const {
    const FileReader& reader = reader_of(visit);
    if (reader.direct()) return 0.0;
    const double streams = visit.pattern == AccessPattern::kSequential ? 1.0
                           : visit.pattern == AccessPattern::kStream   ? visit.in_flight
                                                                       : 0.0;
    return streams * 2.0 * system_.read_ahead_bytes + static_cast<double>(look_bytes(reader));
  }

  // Calls `measure` again when this process stood still meanwhile, or its clock jumped; false when time is up then.
  template <class Measure>
  bool undisturbed(const Measure& measure) {
    while (true) {
      const int pauses = watch_.pauses().count;
      std::stop_source stop = watch_.until_next();
      const std::stop_callback forward(options_.stop, [&stop] { stop.request_stop(); });
      measure(stop.get_token());
      if (watch_.pauses().count == pauses) return true;
      ++dropped_;
      if (is_over()) return false;
    }
  }

  // Empty when nothing undisturbed was measured in time.
  VisitTally run_visit(const Visit& visit, double bytes, double seconds) {
    VisitTally tally;
    const bool counts =
        undisturbed([&](const std::stop_token& stop) { tally = run_visit_once(visit, bytes, seconds, stop); });
    if (!counts) return {};
    const double lost_s = watch_.pauses().lost_s;
    tally.began_s -= lost_s;
    tally.full_until_s -= lost_s;
    for (Completion& done : tally.completions) done.at_s -= lost_s;
    return tally;
  }

  VisitTally run_visit_once(const Visit& visit, double bytes, double seconds, const std::stop_token& stop) {
    const double beside = beside_bytes(visit);
    const double granted = std::max(0.0, std::min(bytes, bytes_left() - beside));
    const auto grant = static_cast<std::uint64_t>(granted);
    Allowance allowance(grant, monotonic_s() + std::min(seconds_left(), seconds), stop);
    const bool by_name = visit.pattern == AccessPattern::kWholeFile || visit.pattern == AccessPattern::kOpen;
    if (visit.pattern == AccessPattern::kWholeFile && reader_->forgets_cached()) whole_files_->drop_next(grant);
    VisitTally tally = by_name ? whole_files_->run(visit, allowance) : reader_of(visit).run(visit, allowance);
    taken_bytes_ += static_cast<double>(grant - allowance.left()) + static_cast<double>(look_bytes(reader_of(visit)));
    note_trouble(tally);
    return tally;
  }

  void note_trouble(const VisitTally& tally) {
    ended_early_ += tally.ended_early;
    errors_ += tally.errors;
    if (first_error_ == 0) first_error_ = tally.first_error;
  }

  // What visits that are still to come want together.
  struct Wanted {
    double bytes = 0.0, turns = 0.0;
  };

  void add(Wanted& all, const Visit& visit, double times = 1.0) const {
    all.bytes += times * wanted_bytes(visit);
    all.turns += times * fewest_turns(visit.in_flight);
  }

  double share_of_time(const Visit& visit, const Wanted& all) {
    return seconds_left() * fewest_turns(visit.in_flight) / all.turns;
  }

  // A visit of a point with its share of what is left for `all` that are still to come.
  void visit_point(Reached& reached, const Wanted& all) {
    const Visit& visit = reached.visit;
    tell(what(visit));
    reached.visit.seed = random_();
    const double scale = std::min(kMostOfWanted, bytes_left() / all.bytes);
    const double least = visit_bytes(static_cast<double>(visit.block_bytes), visit.in_flight, kFewestRequests);
    reached.record.add(run_visit(visit, std::max(least, scale * wanted_bytes(visit)), share_of_time(visit, all)));
    if (options_.measured) options_.measured(reached.record.point());
  }

  // --- passes -------------------------------------------------------------------------------------------------------

  void first_pass() {
    PlanInput input;
    input.bytes = bytes_left();
    input.max_in_flight = options_.max_in_flight;
    input.largest_block_bytes = largest_block();
    input.whole_files = whole_files_->count();
    input.whole_file_bytes = whole_files_->mean_bytes();
    input.stream_bytes = stream_bytes();
    input.read_ahead_bytes = system_.read_ahead_bytes;
    for (Ladder& ladder : plan_ladders(input)) climbs_.push_back({std::move(ladder)});
    const auto climbing = [](const Climb& climb) { return !climb.ended(); };
    while (std::any_of(climbs_.begin(), climbs_.end(), climbing)) {
      for (Climb& climb : climbs_) {
        if (is_over()) return;
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
    while (std::count_if(climbs_.begin(), climbs_.end(), climbing) > 1 && kSpareTime * wanted_s() > seconds_left())
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
    Reached reached{visit, PointRecord(blank_point(visit), began_s_)};
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
    for (std::size_t i = 0; i < order.size() && !is_over(); ++i) {
      Wanted all;
      for (std::size_t j = i; j < order.size(); ++j) add(all, reached_[order[j]].visit);
      visit_point(reached_[order[i]], all);
    }
  }

  // --- result -------------------------------------------------------------------------------------------------------

  void add_looks() {
    if (!sample_.is_directory) return;
    ReadPoint list;
    list.pattern = AccessPattern::kList;
    list.engine = "readdir";
    list.seconds = sample_.list_s;
    list.requests = sample_.listed_names;
    list.latency.mean_s = list.requests > 0.0 ? list.seconds / list.requests : 0.0;
    if (list.requests > 0.0) result_.points.push_back(std::move(list));
    ReadPoint stat;
    stat.pattern = AccessPattern::kStat;
    stat.engine = "fstatat";
    stat.latency = summarise(sample_.stat_s);
    stat.requests = static_cast<double>(sample_.stat_s.size());
    stat.seconds = stat.requests * stat.latency.mean_s;
    if (stat.requests > 0.0) result_.points.push_back(std::move(stat));
  }

  void add_notes() {
    if (std::string paused = pause_note(watch_.pauses(), dropped_); !paused.empty())
      result_.notes.push_back(std::move(paused));
    if (std::string busy = machine_.note(); !busy.empty()) result_.notes.push_back(std::move(busy));
    if (ended_early_ > 0) {
      result_.notes.push_back(
          fmt::format("{} reads found less than their file held before: files changed while they "
                      "were read",
                      ended_early_));
    }
    if (errors_ > 0)
      result_.notes.push_back(fmt::format("{} reads failed, the first with: {}", errors_, std::strerror(first_error_)));
    if (result_.bytes > 2.0 * result_.files_bytes && sample_.complete) {
      result_.notes.push_back(
          fmt::format("every byte was read {:.0f} times over: a cache in the storage may have "
                      "answered",
                      result_.bytes / result_.files_bytes));
    }
  }

  // Stopped, or out of time, before a file was found.
  ProbeResult finish_unread() {
    add_looks();
    result_.seconds = now_s() - began_s_;
    grade(result_);
    return std::move(result_);
  }

  // Streams that the page cache answered say nothing.
  void drop_cached_streams() {
    if (!stream_reader_ || stream_reader_->cached_share() <= kMostCached) return;
    std::erase_if(reached_, [](const Reached& reached) { return reached.visit.pattern == AccessPattern::kStream; });
    result_.notes.push_back(fmt::format(
        "what streams through the page cache give is not known: it held {:.0f} % of the pages looked at, after it was "
        "told to forget them",
        100.0 * stream_reader_->cached_share()));
  }

  void finish() {
    add_looks();
    drop_cached_streams();
    for (const Reached& reached : reached_) result_.points.push_back(reached.record.point());
    result_.bytes = taken_bytes_;
    if (fetched_before_ && (system_.on_block_device || system_.in_memory || fetched_bytes() > 0.0))
      result_.fetched_bytes = fetched_bytes();
    result_.cached_share = reader_->cached_share();
    add_notes();
    result_.seconds = now_s() - began_s_;
    grade(result_);
  }

  const ProbeOptions& options_;
  const FileReading& reading_;
  FileSystem system_;
  MachineWatch machine_;
  PauseWatch watch_;
  int dropped_ = 0;  // measurements in which it saw a pause
  double began_s_, end_s_;
  std::optional<double> fetched_before_;
  std::mt19937_64 random_;
  ProbeResult result_;
  FileSample sample_;
  std::optional<FileReader> reader_;
  std::optional<FileReader> stream_reader_;
  std::optional<WholeFiles> whole_files_;
  std::vector<Climb> climbs_;
  std::vector<Reached> reached_;
  double taken_bytes_ = 0.0;
  std::uint64_t ended_early_ = 0, errors_ = 0;
  int first_error_ = 0;
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
