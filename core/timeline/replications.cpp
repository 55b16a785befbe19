#include "core/timeline/replications.h"

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "core/diagnostics/invariant.h"
#include "core/steps/parallel.h"
#include "core/timeline/calendar_journal.h"
#include "core/timeline/exact_trainer.h"
#include "core/timeline/interruptions.h"

namespace stallcast {
namespace {

bool is_random(const Scenario& s) {
  return is_interrupted_at_random(s) || (s.checkpoint.mode != CheckpointMode::kNone &&
                                         s.storage.slow_server_fraction > 0.0 && s.storage.slow_server_factor > 1.0);
}

// Null without one. What is wrong with the file is found before a run begins (calendar_journal.h).
std::unique_ptr<CalendarJournal> journal_of(const Scenario& s, const RunOptions& options) {
  if (options.journal.empty() || !is_random(s)) return nullptr;
  Loaded<std::unique_ptr<CalendarJournal>> journal =
      CalendarJournal::open(options.journal, journal_identity(s, options));
  invariant(journal.value.has_value(), "replicate: the journal has findings");
  return std::move(*journal.value);
}

constexpr std::array kMembers{
    &CalendarRun::wall_s,
    &CalendarRun::steps_lost,
    &CalendarRun::useful_gpu_s,
    &CalendarRun::computed_gpu_s,
    &CalendarRun::checkpoints,
    &CalendarRun::stored_checkpoints,
    &CalendarRun::exported_checkpoints,
    &CalendarRun::skipped_checkpoints,
    &CalendarRun::restores,
    &CalendarRun::restored_bytes,
    &CalendarRun::rehydrations,
    &CalendarRun::unpaid_s,
    &CalendarRun::staged_bytes,
};

}  // namespace

std::int64_t replications_of(const Scenario& s, const RunOptions& options) {
  if (!is_random(s)) return 1;
  return options.replications > 0 ? options.replications : s.run.replications;
}

std::vector<CalendarRun> replicate(const Scenario& s, const CalendarInput& input, std::uint64_t seed,
                                   const RunOptions& options) {
  const std::int64_t count = replications_of(s, options);
  std::vector<std::optional<CalendarRun>> runs(static_cast<std::size_t>(count));
  const std::unique_ptr<CalendarJournal> journal = journal_of(s, options);
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
    const std::unique_ptr<Trainer> trainer =
        options.exact ? exact_trainer(s, input, seed, replication) : paced_trainer(s, input, seed, replication);
    const CalendarRun run = run_calendar(s, input, *trainer, seed, replication);
    runs[static_cast<std::size_t>(r)] = run;
    if (journal) journal->append(r, run);
    if (!options.progress) return;
    const std::lock_guard lock(mutex);
    Progress progress;
    progress.calendars = ++finished;
    progress.calendars_wanted = count;
    options.progress(progress);
  });
  if (journal) journal->sync();
  std::vector<CalendarRun> out;
  for (const std::optional<CalendarRun>& run : runs)
    if (run) out.push_back(*run);
  return out;
}

CalendarRun mean_of(const std::vector<CalendarRun>& runs) {
  CalendarRun out;
  const auto n = static_cast<double>(runs.size());
  for (const CalendarRun& run : runs) {
    for (const auto member : kMembers) out.*member += run.*member / n;
    for (std::size_t k = 0; k < kWallTimes; ++k) out.time_s[k] += run.time_s[k] / n;
    for (std::size_t k = 0; k < kInterruptions; ++k) out.interruptions[k] += run.interruptions[k] / n;
  }
  return out;
}

}  // namespace stallcast
