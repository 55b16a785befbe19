#include "core/answers/attachment.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "core/diagnose/log_lines.h"
#include "core/observe/job_log.h"
#include "core/observe/try_readers.h"
#include "core/observe/watch_job.h"

namespace stallcast {
namespace {

// Of a job that hardly waits for its source nothing would be learned by reading beside it.
constexpr double kWaitsForSource = 0.05;

// What the job's own log said meanwhile counts where the user said nothing of it.
void add_log(SeenJob& job, const JobLog& log) {
  for (Observation& line : read_log_lines(log.since(), "the job's own log")) {
    const bool said = std::any_of(job.answers.observed.begin(), job.answers.observed.end(),
                                  [&](const Observation& one) { return one.quantity == line.quantity; });
    if (!said) job.answers.observed.push_back(std::move(line));
  }
}

int pid_of(const SeenJob& job) { return job.tree.ranks.front().trainer.pid; }

}  // namespace

SeenJob see_job(const AttachQuestion& question, const std::stop_token& stop,
                const std::function<void(double)>& progress) {
  SeenJob job;
  job.answers = question.answers;
  job.tree = find_job(question.pid);
  job.limits = job_limits(pid_of(job));
  const JobLog log(std::filesystem::path("/proc") / std::to_string(pid_of(job)));
  WatchOptions options;
  options.time_s = question.time_s;
  options.cores = job.limits.cores;
  options.stop = stop;
  options.progress = progress;
  job.watch = watch_job(job.tree, options);
  add_log(job, log);
  job.figures = job_figures(job.watch, job.limits, job.answers.observed);
  if (question.try_readers && !job.watch.job_ended && job.figures.waiting_for_source > kWaitsForSource) {
    if (const auto tried = try_readers(job.tree, job.watch, job.figures, stop))
      job.figures = with_readers_tried(job.figures, *tried);
  }
  for (const JobRank& rank : job.tree.ranks)
    for (const JobProcess& worker : rank.workers) job.figures.spawned = job.figures.spawned || worker.spawned;
  return job;
}

std::optional<Finding> nothing_to_simulate(const SeenJob& job) {
  const JobFigures& f = job.figures;
  if (!f.loads_data()) {
    return Finding{
        Severity::kError,
        "loads_no_data",
        "",
        "",
        fmt::format("process {}", pid_of(job)),
        "a job that reads data or has loader workers",
        "attach to the process that trains, while it trains",
        fmt::format("in {:.0f} s it read {:.3g} kB", job.watch.time_s, 1e-3 * f.read_bytes_per_s * f.time_s)};
  }
  if (!f.batches_per_s) {
    return Finding{Severity::kError,
                   "pace_not_seen",
                   "",
                   "",
                   "no batch that was handed over",
                   "the pace of the job in --observed, in --log, or in a log file that it writes to itself",
                   "add --observed it_per_s=3, in batches a second",
                   f.workers > 0 ? "workers were found, but no messages between them and the trainer"
                                 : "a job without workers hands nothing over that could be counted"};
  }
  return std::nullopt;
}

JobScenario scenario_of(const SeenJob& job) {
  return scenario_of(job.figures, job.limits, job.answers, fmt::format("Job of process {}", pid_of(job)));
}

Loaded<DiagnosisQuestion> diagnosis_of(const JobScenario& seen, const Settings& settings, const Catalogue& catalogue) {
  std::vector<SeenOutcome> outcomes;
  for (const Observation& one : seen.outcomes) outcomes.push_back({one, {}});
  return read_diagnosis(seen.document, seen.document.value("name", ""), settings, outcomes, catalogue);
}

}  // namespace stallcast
