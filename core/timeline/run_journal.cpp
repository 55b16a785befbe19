#include "core/timeline/run_journal.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/diagnostics/file_calls.h"
#include "core/diagnostics/invariant.h"
#include "core/diagnostics/json_input.h"
#include "core/result/json/timeline_json.h"
#include "core/result/program_version.h"
#include "core/scenario/resolve/scenario_file.h"
#include "core/timeline/replications.h"
#include "core/timeline/weeks.h"
#include "core/units/content_hash.h"

namespace stallcast {
namespace {

using nlohmann::ordered_json;

constexpr int kFormat = 1;
constexpr std::size_t kLongestLine = std::size_t{64} << 10;
constexpr std::string_view kFormatKey = "stallcast_journal";

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view doing, std::string_view why) {
  throw WorldError(fmt::format("{}: the journal cannot {}: {}", path.string(), doing, why));
}
[[noreturn]] void fail(const std::filesystem::path& path, std::string_view doing, int error) {
  fail(path, doing, std::generic_category().message(error));
}

std::string identity_line(const JournalIdentity& identity) {
  const ordered_json json = {{kFormatKey, kFormat},
                             {"scenario_hash", identity.scenario_hash},
                             {"seed", identity.seed},
                             {"program_version", identity.program_version}};
  return json.dump() + "\n";
}

std::optional<ordered_json> parsed(std::string_view line) {
  Loaded<ordered_json> json = parse_json_text(line, "");
  if (!json.ok()) return std::nullopt;
  return std::move(json.value);
}

std::optional<std::pair<std::int64_t, SimulatedRun>> parsed_run(std::string_view line) {
  std::optional<ordered_json> json = parsed(line);
  if (!json || !json->is_object()) return std::nullopt;
  const auto number = json->find("replication");
  if (number == json->end() || !number->is_number_unsigned()) return std::nullopt;
  if (!std::in_range<std::int64_t>(number->get<std::uint64_t>())) return std::nullopt;
  const auto replication = number->get<std::int64_t>();
  json->erase("replication");
  const std::optional<SimulatedRun> run = simulated_run_from_json(*json);
  if (!run) return std::nullopt;
  return std::pair(replication, *run);
}

std::string run_line(std::int64_t replication, const SimulatedRun& run) {
  ordered_json json = {{"replication", replication}};
  json.update(simulated_run_to_json(run));
  return json.dump() + "\n";
}

// The lines of a file that end in a newline, one after the other. `each` returns false to stop. What follows the last
// of them is `rest`; nothing is read beyond one that is longer than kLongestLine.
// **Errors** the system's number of what went wrong, else 0
struct LineReader {
  int descriptor;
  std::string rest;

  int for_each(const std::function<bool(std::string_view)>& each) {
    std::vector<char> block(kLongestLine);
    while (true) {
      const ssize_t got = read_some(descriptor, block.data(), block.size());
      if (got < 0) return errno;
      if (got == 0) return 0;
      rest.append(block.data(), static_cast<std::size_t>(got));
      std::size_t from = 0;
      for (std::size_t end = rest.find('\n'); end != std::string::npos; end = rest.find('\n', from)) {
        if (!each(std::string_view(rest).substr(from, end - from))) return 0;
        from = end + 1;
      }
      rest.erase(0, from);
      if (rest.size() > kLongestLine) return 0;
    }
  }
};

Finding finding_of(const std::filesystem::path& path, std::string code) {
  Finding finding;
  finding.code = std::move(code);
  finding.file = path.string();
  return finding;
}

Finding not_a_journal(const std::filesystem::path& path, std::string got) {
  Finding finding = finding_of(path, "not_a_journal");
  finding.got = std::move(got);
  finding.allowed = "a journal that stallcast wrote, or a file that does not exist yet";
  finding.fix = "give --journal another file";
  finding.why = "nothing was changed in it";
  return finding;
}

// One finding for every part of the identity that is not this run's.
Findings compared(const std::filesystem::path& path, const ordered_json& found, const JournalIdentity& identity) {
  Findings findings;
  const ordered_json wanted = ordered_json::parse(identity_line(identity));
  for (const auto& [key, value] : wanted.items()) {
    if (key == kFormatKey || (found.contains(key) && found.at(key) == value)) continue;
    Finding finding = finding_of(path, "other_run");
    finding.pointer = "/" + key;
    finding.got = found.contains(key) ? found.at(key).dump() : "nothing";
    finding.allowed = value.dump() + ", which is this run's";
    finding.fix = "give --journal another file, or remove this one to start anew";
    finding.why = "it holds results of another scenario; nothing in it was changed";
    findings.add(std::move(finding));
  }
  return findings;
}

Findings identity_problems(const std::filesystem::path& path, std::string_view line, const JournalIdentity& identity) {
  Findings findings;
  const std::optional<ordered_json> found = parsed(line);
  if (!found || !found->is_object() || !found->contains(kFormatKey)) {
    findings.add(not_a_journal(path, "a first line that says of no run"));
    return findings;
  }
  if (found->at(std::string(kFormatKey)) != kFormat) {
    findings.add(not_a_journal(path, fmt::format("format {}", found->at(std::string(kFormatKey)).dump())));
    return findings;
  }
  return compared(path, *found, identity);
}

Finding damaged(const std::filesystem::path& path, std::size_t line, std::string got) {
  Finding finding = finding_of(path, "damaged_journal");
  finding.got = fmt::format("line {}: {}", line, got);
  finding.allowed = "one simulated run in each line, each replication once";
  finding.fix = fmt::format("remove line {}; that run is then simulated again", line);
  finding.why = "nothing was changed in it";
  return finding;
}

}  // namespace

JournalIdentity journal_identity(const Scenario& scenario, const RunOptions& options) {
  Scenario same = scenario;
  same.name.clear();
  same.description.clear();
  same.run.seed = 0;
  same.run.replications = RunSpec{}.replications;
  same.run.uncertain.clear();  // simulated runs are those of the inputs as given
  const std::string text = scenario_to_json(same).dump() + (options.exact ? "\nexact" : "");
  return {content_hash(text), options.seed.value_or(static_cast<std::uint64_t>(scenario.run.seed)),
          std::string(program_version())};
}

std::optional<Finding> journal_problem(const Scenario& scenario, const std::string& path) {
  RunOptions two;
  two.replications = 2;
  const bool random = replications_of(scenario, two) > 1;
  if (random && needs_timeline(scenario)) return std::nullopt;
  Finding finding;
  finding.code = "nothing_to_keep";
  finding.file = "--journal";
  finding.got = path;
  finding.allowed = random ? "a run whose length is given" : "a run that something interrupts at random";
  finding.fix = random ? "set dataset.samples or run.steps_per_epoch, or leave --journal out"
                       : "set failures.mtti, failures.per_1000_node_days, failures.outage_mtti or "
                         "failures.preemption_mtti, or leave --journal out";
  finding.why = "a journal stores simulated runs of an interrupted job, and nothing interrupts this one";
  return finding;
}

Loaded<std::unique_ptr<RunJournal>> RunJournal::open(const std::filesystem::path& path,
                                                     const JournalIdentity& identity) {
  const int descriptor = open_file(path, O_RDWR | O_CREAT | O_NONBLOCK, 0666);
  if (descriptor < 0) fail(path, "be opened", errno);
  std::unique_ptr<RunJournal> journal(new RunJournal(path, descriptor));
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0) fail(path, "be read", errno);
  if (!S_ISREG(status.st_mode)) fail(path, "be kept there", "not a regular file");
  const int locked = lock_file(descriptor);
  if (locked == EWOULDBLOCK) fail(path, "be opened", "another stallcast is writing it");
  if (locked != 0) fail(path, "be locked", locked);
  Loaded<std::unique_ptr<RunJournal>> out;
  out.findings = journal->read(identity);
  if (!out.findings.has_errors()) out.value = std::move(journal);
  return out;
}

RunJournal::~RunJournal() { (void)close_file(descriptor_); }

Findings RunJournal::read(const JournalIdentity& identity) {
  Findings findings;
  std::size_t lines = 0;
  std::optional<Finding> unreadable;  // the line before, an error unless it is the last
  LineReader reader{descriptor_, {}};
  const int error = reader.for_each([&](std::string_view line) {
    ++lines;
    if (unreadable) findings.add(*std::exchange(unreadable, std::nullopt));
    if (lines == 1) {
      findings.append(identity_problems(path_, line, identity));
    } else if (const auto run = parsed_run(line)) {
      if (!finished_.insert(*run).second)
        findings.add(damaged(path_, lines, fmt::format("replication {} once more", run->first)));
    } else {
      unreadable = damaged(path_, lines, "not a simulated run");
    }
    if (!unreadable) end_ += static_cast<std::int64_t>(line.size()) + 1;
    return !findings.has_errors();
  });
  if (error != 0) fail(path_, "be read", error);
  if (unreadable && !reader.rest.empty()) findings.add(*unreadable);
  if (lines > 0 && reader.rest.size() > kLongestLine)
    findings.add(damaged(path_, lines + 1, "too long for one simulated run"));
  if (findings.has_errors()) return findings;
  const std::string first = identity_line(identity);
  if (lines == 0 && !std::string_view(first).starts_with(reader.rest)) {
    findings.add(not_a_journal(path_, "a first line that says of no run"));
    return findings;
  }
  if (const int cut = set_file_size(descriptor_, end_); cut != 0) fail(path_, "be written", cut);
  if (lines == 0) write_line(first);
  return findings;
}

std::map<std::int64_t, SimulatedRun> RunJournal::finished() const {
  const std::scoped_lock lock(mutex_);
  return finished_;
}

void RunJournal::append(std::int64_t replication, const SimulatedRun& run) {
  const std::string line = run_line(replication, run);
  invariant(replication >= 0 && parsed_run(line).has_value(), "RunJournal: a number of a run is not finite");
  const std::scoped_lock lock(mutex_);
  if (finished_.contains(replication)) return;
  write_line(line);
  finished_.emplace(replication, run);
}

void RunJournal::write_line(const std::string& line) {
  if (is_removed(descriptor_)) fail(path_, "be written", "the file was removed");
  if (const int error = write_whole_at(descriptor_, line, end_); error != 0) {
    (void)set_file_size(descriptor_, end_);
    fail(path_, "be written", error);
  }
  end_ += static_cast<std::int64_t>(line.size());
}

void RunJournal::sync() {
  if (const int error = sync_file(descriptor_); error != 0) fail(path_, "be written", error);
}

}  // namespace stallcast
