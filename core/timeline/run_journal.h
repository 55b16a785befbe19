// A file that keeps finished simulated runs, so that a run that is killed goes on where it was.
//
// JSON Lines: one that says whose simulated runs they are, then one for each that is finished, in any order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "core/diagnostics/finding.h"
#include "core/result/timeline_result.h"
#include "core/scenario/scenario.h"
#include "core/steps/run_options.h"

namespace stallcast {

// What simulated runs depend on: the same identity and the same number of the replication give the same run.
struct JournalIdentity {
  std::string scenario_hash;
  std::uint64_t seed = 0;
  std::string program_version;
};

// Of `scenario`, which must come from resolve(). What does not change a run is left out of the hash, so that a run
// may go on under another name and to more replications.
// **Model** the hash is the name-based UUID (SHA-1) of the scenario in file form, and of options.exact
JournalIdentity journal_identity(const Scenario& scenario, const RunOptions& options);

// The finding "nothing_to_keep" when nothing in the runs of `scenario` is random, so that there is nothing to keep at
// `path`.
std::optional<Finding> journal_problem(const Scenario& scenario, const std::string& path);

// An open journal; while it is open no other process has it.
class RunJournal {
 public:
  // Opens `path`, or makes it. A last line that was not written to its end is taken away; nothing else is.
  // **Errors** WorldError when the file cannot be read and written, is no regular file, or is open elsewhere. Findings:
  // "not_a_journal", "other_run" (for each part of the identity that differs), "damaged_journal" (a line before the
  // last that cannot be read, or two simulated runs of one number). With findings the file is as it was.
  static Loaded<std::unique_ptr<RunJournal>> open(const std::filesystem::path& path, const JournalIdentity& identity);
  ~RunJournal();
  RunJournal(const RunJournal&) = delete;
  RunJournal& operator=(const RunJournal&) = delete;

  // By the number of the replication: those found when the file was opened, and those added since.
  std::map<std::int64_t, SimulatedRun> finished() const;

  // Adds one run. From any thread. A number that is there already is not added again.
  // **Errors** WorldError when it cannot be written, then the file is as it was before; and when the file was removed.
  void append(std::int64_t replication, const SimulatedRun& run);

  // Until the storage has every run. **Errors** WorldError when it does not take them.
  void sync();

 private:
  RunJournal(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  Findings read(const JournalIdentity& identity);
  void write_line(const std::string& line);

  std::filesystem::path path_;
  int descriptor_;
  std::int64_t end_ = 0;  // bytes of the file that are whole lines
  mutable std::mutex mutex_;
  std::map<std::int64_t, SimulatedRun> finished_;
};

}  // namespace stallcast
