#include "core/timeline/replications.h"

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "core/diagnostics/invariant.h"
#include "core/steps/parallel.h"
#include "core/timeline/exact_trainer.h"
#include "core/timeline/interruptions.h"
#include "core/timeline/run_journal.h"

namespace stallcast {
namespace {

bool is_random(const Scenario& s) {
  return is_interrupted_at_random(s) || (s.checkpoint.mode != CheckpointMode::kNone &&
                                         s.storage.slow_server_fraction > 0.0 && s.storage.slow_server_factor > 1.0);
}

// Null without one. What is wrong with the file is found before a run begins (run_journal.h).
std::unique_ptr<RunJournal> journal_of(const Scenario& s, const RunOptions& options) {
  if (options.journal.empty() || !is_random(s)) return nullptr;
  Loaded<std::unique_ptr<RunJournal>> journal = RunJournal::open(options.journal, journal_identity(s, options));
  invariant(journal.value.has_value(), "replicate: the journal has findings");
  return std::move(*journal.value);
}

constexpr std::array kMembers{
    &SimulatedRun::wall_s,
    &SimulatedRun::steps_lost,
    &SimulatedRun::useful_gpu_s,
    &SimulatedRun::computed_gpu_s,
    &SimulatedRun::checkpoints,
    &SimulatedRun::stored_checkpoints,
    &SimulatedRun::exported_checkpoints,
    &SimulatedRun::skipped_checkpoints,
    &SimulatedRun::restores,
    &SimulatedRun::restored_bytes,
    &SimulatedRun::rehydrations,
    &SimulatedRun::unpaid_s,
    &SimulatedRun::staged_bytes,
};

}  // namespace

std::int64_t replications_of(const Scenario& s, const RunOptions& options) {
  if (!is_random(s)) return 1;
  return options.replications > 0 ? options.replications : s.run.replications;
}

std::vector<SimulatedRun> replicate(const Scenario& s, const TimelineInput& input, std::uint64_t seed,
                                    const RunOptions& options) {
  const std::int64_t count = replications_of(s, options);
  std::vector<std::optional<SimulatedRun>> runs(static_cast<std::size_t>(count));
  const std::unique_ptr<RunJournal> journal = journal_of(s, options);
  std::int64_t finished = 0;
  if (journal) {
    for (const auto& [number, run] : journal->finished()) {
      if (number >= count) continue;
      runs[static_cast<std::size_t>(number)] = run;
      ++finished;
    }
  }
  std::mutex mutex;
  parallel_for(count, options.threads, [&](std::int64_t r) {
    if (options.stop.stop_requested() || runs[static_cast<std::size_t>(r)]) return;
    const auto replication = static_cast<std::uint64_t>(r);
    const std::unique_ptr<Trainer> trainer = options.exact ? exact_trainer(s, input, seed, replication, options.stop)
                                                           : paced_trainer(s, input, seed, replication);
    const SimulatedRun run = simulate_timeline(s, input, *trainer, seed, replication);
    if (options.exact && options.stop.stop_requested()) return;  // it may be a part of one
    runs[static_cast<std::size_t>(r)] = run;
    if (journal) journal->append(r, run);
    if (!options.progress) return;
    const std::lock_guard lock(mutex);
    Progress progress;
    progress.runs = ++finished;
    progress.runs_wanted = count;
    options.progress(progress);
  });
  if (journal) journal->sync();
  std::vector<SimulatedRun> out;
  for (const std::optional<SimulatedRun>& run : runs)
    if (run) out.push_back(*run);
  return out;
}

SimulatedRun mean_of(const std::vector<SimulatedRun>& runs) {
  SimulatedRun sum;
  for (const SimulatedRun& run : runs) {
    for (const auto member : kMembers) sum.*member += run.*member;
    for (std::size_t k = 0; k < kWallTimes; ++k) sum.time_s[k] += run.time_s[k];
    for (std::size_t k = 0; k < kInterruptions; ++k) sum.interruptions[k] += run.interruptions[k];
  }
  if (runs.empty()) return sum;
  // Divided once, at the end: the mean of equal whole numbers is that number.
  const auto n = static_cast<double>(runs.size());
  for (const auto member : kMembers) sum.*member /= n;
  for (double& time : sum.time_s) time /= n;
  for (double& times : sum.interruptions) times /= n;
  return sum;
}

}  // namespace stallcast
