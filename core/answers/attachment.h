// The whole answer of attach but for its words: a running job, watched from beside, as a scenario to diagnose.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>

#include "core/answers/diagnosis.h"
#include "core/observe/job_figures.h"
#include "core/observe/job_limits.h"
#include "core/observe/job_scenario.h"
#include "core/observe/proc/job_tree.h"

namespace stallcast {

inline constexpr double kLeastWatch_s = 2.0, kMostWatch_s = 3600.0;
inline constexpr const char* kWatchTimes = "2 s to 1 h";

struct AttachQuestion {
  int pid = 0;  // of the trainer, a launcher above it, or a loader worker
  double time_s = 30.0;
  bool try_readers = false;  // read beside the job for a moment (observe/try_readers.h)
  JobAnswers answers;        // what the person beside it says
};

// What was seen of a job, and what was said of it, by a person or in its own log.
struct SeenJob {
  JobTree tree;
  JobLimits limits;
  JobWatch watch;
  JobFigures figures;
  JobAnswers answers;
};

// Watches for `question.time_s`, or until it is stopped. `progress` is told the share that is done; may be empty.
// **Range** question.time_s in kLeastWatch_s..kMostWatch_s
// **Errors** WorldError of find_job() and watch_job()
// **Checked by** tests/cli/attach_command_test.cpp, tests/validation/attach
SeenJob see_job(const AttachQuestion& question, const std::stop_token& stop,
                const std::function<void(double)>& progress);

// Why there is nothing to simulate; nothing where there is.
std::optional<Finding> nothing_to_simulate(const SeenJob& job);

// Of `job`, where nothing_to_simulate() finds nothing.
JobScenario scenario_of(const SeenJob& job);

// What that scenario leaves open, to be fitted to what was seen.
// **Errors** those of read_diagnosis()
Loaded<DiagnosisQuestion> diagnosis_of(const JobScenario& seen, const Settings& settings, const Catalogue& catalogue);

}  // namespace stallcast
