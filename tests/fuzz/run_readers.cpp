// Measured runs and tables of them, and journals of simulated runs.
#include "core/calibrate/read/read_record.h"
#include "core/timeline/run_journal.h"
#include "core/validate/measured_run.h"
#include "core/validate/mlperf_scenario.h"
#include "core/validate/mlperf_table.h"
#include "tests/fuzz/checks.h"
#include "tests/fuzz/readers.h"

namespace stallcast::fuzz {
namespace {

// A run that is going to be predicted is one that a scenario could describe.
void check_run(const MeasuredRun& run) {
  const Loaded<ScenarioFile> file = parse_scenario(scenario_to_json(run.scenario), "runs.jsonl");
  for (const Finding& finding : file.findings.list()) throw Broken("a run out of range: " + render_finding(finding));
}

void read_runs(std::string_view content) {
  const std::filesystem::path path = file_of(content, "runs.jsonl");
  for (const Catalogue* catalogue : {static_cast<const Catalogue*>(nullptr), &shipped_catalogue()}) {
    const Loaded<MeasuredRuns> runs = load_measured_runs(path, catalogue);
    check_loaded(runs);
    if (!runs.ok()) continue;
    for (const MeasuredRun& run : runs.value->runs) check_run(run);
  }
  check_loaded(read_record(path, &shipped_catalogue()));
}

void read_mlperf(std::string_view content) {
  const Loaded<MlperfTable> table = load_mlperf_table(file_of(content, "results.csv"));
  check_loaded(table);
  if (!table.ok()) return;
  for (const MlperfRow& row : table.value->rows) {
    const Loaded<ScenarioFile> file = parse_scenario(scenario_to_json(mlperf_scenario(row, {}, 8)), "results.csv");
    for (const Finding& finding : file.findings.list()) throw Broken("a row out of range: " + render_finding(finding));
  }
}

void read_journal(std::string_view content) {
  const JournalIdentity identity{"0e4d4e11-9d2f-5d0f-8d0e-000000000000", 7, "0.1.0"};
  const std::filesystem::path path = file_of(content, "journal.jsonl");
  std::map<std::int64_t, SimulatedRun> found;
  {
    const Loaded<std::unique_ptr<RunJournal>> journal = RunJournal::open(path, identity);
    check_loaded(journal);
    if (!journal.ok()) return;
    found = (*journal.value)->finished();
    if (!found.empty()) (*journal.value)->append(found.rbegin()->first, found.begin()->second);
  }
  const Loaded<std::unique_ptr<RunJournal>> again = RunJournal::open(path, identity);
  require(again.ok() && (*again.value)->finished().size() == found.size(), "a journal that does not open again");
}

}  // namespace

std::vector<Reader> run_readers() { return {{"runs", read_runs}, {"mlperf", read_mlperf}, {"journal", read_journal}}; }

}  // namespace stallcast::fuzz
