// Hunts for questions to which the simulator gives two answers: random jobs, each simulated as a person would have it
// and whole. scripts/hunt builds and runs it; README.md says what to do with what it finds.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/diagnostics/atomic_file.h"
#include "core/scenario/resolve/resolve.h"
#include "core/scenario/resolve/scenario_file.h"
#include "tests/hunt/shrink.h"
#include "tests/hunt/tally.h"
#include "tests/hunt/trial.h"

namespace stallcast::hunt {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

struct HuntOptions {
  double minutes = 0.0;
  std::int64_t jobs = 0;
  std::uint64_t seed = 1;
  unsigned threads = 1;
  std::string directory;
  bool shrink = true;
  std::vector<std::string> files;  // scenarios to look at instead of random ones
  TrialLimits limits;
};

struct Find {
  std::uint64_t seed = 0;
  double severity = 0.0;
  std::string worst;
  std::size_t more = 0;  // further faults of the job
};

class Hunt {
 public:
  Hunt(const Catalogue& catalogue, const HuntOptions& options) : catalogue_(catalogue), options_(options) {}

  // Whether nothing was found.
  bool run() {
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < options_.threads; ++t) threads.emplace_back([this] { work(); });
    threads.clear();
    if (show_progress_) fmt::print(stderr, "\r\033[K");
    print_summary();
    return finds_.empty();
  }

 private:
  bool goes_on(std::int64_t number) const {
    if (options_.jobs > 0) return number < options_.jobs;
    return std::chrono::duration<double>(Clock::now() - start_).count() < 60.0 * options_.minutes;
  }

  void work() {
    for (std::int64_t number = next_++; goes_on(number); number = next_++)
      look_at(options_.seed + static_cast<std::uint64_t>(number));
  }

  void look_at(std::uint64_t seed) {
    const Json job = random_job(seed, catalogue_, options_.limits.job);
    const Trial trial = try_job(job, catalogue_, options_.limits);
    note(seed, trial);
    if (trial.faults.empty() || options_.directory.empty()) return;
    keep(seed, job, trial);
  }

  void note(std::uint64_t seed, const Trial& trial) {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (trial.tried) {
      tally_.add(seed, trial.differences);
      default_s_ += trial.default_s;
      whole_s_ += trial.whole_s;
    } else if (!trial.skipped.empty()) {
      ++skipped_[trial.skipped];
    }
    if (!trial.faults.empty()) {
      const Fault& worst = trial.faults.front();
      finds_.push_back({seed, worst.severity, text_of(worst, trial.luck), trial.faults.size() - 1});
    }
    for (const Fault& fault : trial.faults) ++kinds_[fault.kind];
    if (show_progress_)
      fmt::print(stderr, "\r{} jobs, {} skipped, {} with findings\033[K", done_, skipped(), finds_.size());
  }

  // The smallest job that has the worst of the faults, with what it was in front.
  void keep(std::uint64_t seed, const Json& job, const Trial& trial) {
    const std::string kind = trial.faults.front().kind;
    std::string what = text_of(trial.faults.front(), trial.luck);
    Json small = job;
    if (options_.shrink) {
      TrialLimits limits = options_.limits;
      limits.luck = false;
      // Nothing is smaller that takes longer.
      limits.most_s = std::min(limits.most_s, 0.5 + 2.0 * std::max(trial.default_s, trial.whole_s));
      const auto has_it = [&](const Json& candidate) {
        const auto scenario = resolve_job(candidate, catalogue_);
        if (!scenario || !is_ordinary(scenario->scenario)) return false;
        const std::vector<Fault> faults = try_scenario(*scenario, limits).faults;
        return std::any_of(faults.begin(), faults.end(), [&](const Fault& fault) { return fault.kind == kind; });
      };
      small = shrink_job(job, has_it, {});
      const Trial again = try_job(small, catalogue_, options_.limits);
      for (const Fault& fault : again.faults)
        if (fault.kind == kind) what = text_of(fault, again.luck);
    }
    std::string text = fmt::format("// Seed {}. {}\n// As drawn:\n", seed, what);
    for (const Fault& fault : trial.faults) text += fmt::format("//   {}\n", text_of(fault, trial.luck));
    text += small.dump(2) + "\n";
    write_file_atomically(std::filesystem::path(options_.directory) / fmt::format("job_{}.json", seed), text);
  }

  std::int64_t skipped() const {
    std::int64_t sum = 0;
    for (const auto& [why, count] : skipped_) sum += count;
    return sum;
  }

  void print_summary() {
    fmt::print("{} jobs from seed {}, {} of them skipped ({:.1f} %)\n", done_, options_.seed, skipped(),
               100.0 * static_cast<double>(skipped()) / static_cast<double>(std::max<std::int64_t>(1, done_)));
    for (const auto& [why, count] : skipped_) fmt::print("  {:5}  {}\n", count, why);
    const double n = static_cast<double>(std::max<std::int64_t>(1, tally_.jobs()));
    fmt::print("\n{} ({:.2f} s and {:.2f} s a job)\n{}",
               options_.limits.large ? "default beside exact" : "default beside whole", default_s_ / n, whole_s_ / n,
               tally_.text());
    if (finds_.empty()) return;
    fmt::print("\njobs with a fault of each kind\n");
    std::vector<std::pair<std::string, std::int64_t>> kinds(kinds_.begin(), kinds_.end());
    std::stable_sort(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [kind, count] : kinds) fmt::print("  {:5}  {}\n", count, kind);
    std::sort(finds_.begin(), finds_.end(), [](const Find& a, const Find& b) { return a.severity > b.severity; });
    fmt::print("\n{} jobs with findings, the worst of each\n", finds_.size());
    for (const Find& find : finds_) {
      fmt::print("  {:>8}  {}{}\n", find.seed, find.worst,
                 find.more > 0 ? fmt::format(", and {} more", find.more) : "");
    }
  }

  const Catalogue& catalogue_;
  const HuntOptions& options_;
  const Clock::time_point start_ = Clock::now();
  const bool show_progress_ = ::isatty(STDERR_FILENO) != 0;
  std::atomic<std::int64_t> next_ = 0;
  std::mutex mutex_;  // of all below
  std::int64_t done_ = 0;
  std::map<std::string, std::int64_t> skipped_, kinds_;
  Tally tally_;
  std::vector<Find> finds_;
  double default_s_ = 0.0, whole_s_ = 0.0;
};

int hunt(int argc, char** argv) {
  HuntOptions options;
  bool print = false;
  bool as_drawn = false;
  CLI::App app("Simulates random jobs along several inner paths and reports where the answers differ.");
  app.add_option("--minutes", options.minutes, "Hunt for so long");
  app.add_option("--jobs", options.jobs, "Hunt through so many jobs");
  app.add_option("--seed", options.seed, "Of the first job")->capture_default_str();
  app.add_option("--threads", options.threads, "Jobs at a time")->capture_default_str();
  app.add_option("-o,--output", options.directory, "Folder for jobs with findings, shrunk, one file each");
  app.add_option("--samples", options.limits.job.most_samples, "Most samples that a whole run simulates")
      ->capture_default_str();
  app.add_option("--seconds", options.limits.most_s, "Longest time of one simulation")->capture_default_str();
  app.add_option("--affordable", options.limits.affordable_samples,
                 "Samples that are simulated whole by default; fewer make parts of longer runs")
      ->capture_default_str();
  app.add_flag("--all-ways", options.limits.all_ways, "Other precisions, and every rank of large jobs, too");
  app.add_flag(
      "--large", options.limits.large,
      "Nothing but jobs of many nodes that are too long to be simulated whole, beside --exact; give --samples 6e7");
  app.add_flag("--calm", options.limits.calm, "Every time and size is its mean: what differs is not luck");
  app.add_flag("--as-drawn", as_drawn, "Keep jobs as they were drawn instead of shrinking them");
  app.add_flag("--print", print, "Print the scenario of --seed and simulate nothing");
  app.add_option("SCENARIO", options.files, "Look at these instead of random jobs");
  CLI11_PARSE(app, argc, argv);
  options.shrink = !as_drawn;
  options.limits.luck = true;
  if (options.minutes <= 0.0 && options.jobs <= 0) options.minutes = 1.0;
  options.threads = std::max(1U, options.threads);

  const Loaded<Catalogue> catalogue = load_catalogue(std::filesystem::path(STALLCAST_SOURCE_DIR) / "models");
  if (print) {
    fmt::print("{}\n", random_job(options.seed, *catalogue.value, options.limits.job).dump(2));
    return 0;
  }
  if (!options.directory.empty()) std::filesystem::create_directories(options.directory);
  if (options.files.empty()) return Hunt(*catalogue.value, options).run() ? 0 : 4;

  bool found = false;
  for (const std::string& file : options.files) {
    const Loaded<ScenarioFile> read = load_scenario(file);
    Loaded<ResolvedScenario> resolved;
    if (read.ok()) resolved = resolve(*read.value, *catalogue.value);
    for (const Findings& findings : {read.findings, resolved.findings})
      for (const Finding& finding : findings.list())
        if (finding.severity == Severity::kError) fmt::print(stderr, "{}\n", render_finding(finding));
    if (!resolved.ok()) return 2;
    const Trial trial = try_scenario(*resolved.value, options.limits);
    fmt::print("{}: {:.2f} s, whole {:.2f} s{}{}\n", file, trial.default_s, trial.whole_s,
               trial.skipped.empty() ? "" : "; ", trial.skipped);
    for (const Difference& d : trial.differences)
      if (is_difference(d)) fmt::print("  {}\n", text_of(d));
    for (const Fault& fault : trial.faults) fmt::print("  fault {}\n", text_of(fault, trial.luck));
    found = found || !trial.faults.empty();
  }
  return found ? 4 : 0;
}

}  // namespace
}  // namespace stallcast::hunt

int main(int argc, char** argv) {
  try {
    return stallcast::hunt::hunt(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "stallcast_hunt: {}\n", error.what());
    return 3;
  }
}
