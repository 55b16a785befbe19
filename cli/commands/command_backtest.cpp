// stallcast backtest DIR: a small real data loader on the user's own files, predicted from a probe and then run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "cli/shell/command.h"
#include "cli/shell/output.h"
#include "core/answers/questions/quantity_option.h"
#include "core/backtest/backtest.h"
#include "core/calibrate/fit/storage_fit.h"
#include "core/probe/probe_files.h"
#include "core/probe/result/probe_json.h"
#include "core/report/json/backtest_json.h"
#include "core/report/measured/backtest_text.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

struct BacktestCommand {
  std::string directory;
  std::string time = "60 s";
  std::string bytes = "16 GiB";
  std::string decode_time = "2 ms";
  std::string step_time = "auto";
  std::int64_t batch_size = 8;
  std::vector<std::int64_t> workers;
  int repeats = 2;
  std::string probe_path;
  std::uint64_t seed = 1;
  std::string format = "table";
  std::string output_path;
};

// What the command may spend, and on what. **Units** s, bytes
struct Budget {
  double probe_s = 0.0, probe_bytes = 0.0;
  double parts_s = 0.0, parts_bytes = 0.0;
  double runs_s = 0.0, runs_bytes = 0.0;
};

constexpr OptionRange kBacktestTime = {5.0, 3600.0, "5 s to 1 h"};
constexpr OptionRange kBacktestBytes = {67108864.0, 1125899906842624.0, "64 MiB to 1 PiB"};
constexpr OptionRange kDecode = {0.0, 10.0, "0 s to 10 s"};
constexpr OptionRange kStep = {1e-5, 60.0, "10 us to 1 min"};

Budget split(double seconds, double bytes, bool probes) {
  constexpr double kCostsSeconds = 3.0;  // sleeping, handing over, processor time of reads
  Budget budget;
  if (probes) {
    budget.probe_s = std::min(10.0, 0.17 * seconds);
    budget.probe_bytes = 0.2 * bytes;
  }
  budget.parts_s = 0.27 * seconds;
  budget.parts_bytes = 0.3 * bytes;
  budget.runs_s = std::max(0.25 * seconds, seconds - budget.probe_s - budget.parts_s - kCostsSeconds);
  budget.runs_bytes = bytes - budget.probe_bytes - budget.parts_bytes;
  return budget;
}

// One line, rewritten in place.
class BacktestLine {
 public:
  explicit BacktestLine(const Environment& environment) : environment_(environment) {}
  BacktestLine(const BacktestLine&) = delete;
  BacktestLine& operator=(const BacktestLine&) = delete;
  ~BacktestLine() { clear(); }

  void show(const std::string& text) {
    if (!environment_.err_is_terminal) return;
    visible_ = true;
    environment_.err << "\r\033[K" << text << std::flush;
  }
  void clear() {
    if (visible_) environment_.err << "\r\033[K" << std::flush;
    visible_ = false;
  }

 private:
  const Environment& environment_;
  bool visible_ = false;
};

ProbeResult probe_of(const BacktestCommand& given, const Budget& budget, const Environment& environment,
                     BacktestLine& line) {
  ProbeOptions options;
  options.seconds = budget.probe_s;
  options.bytes = budget.probe_bytes;
  options.seed = given.seed;
  options.stop = environment.stop;
  options.progress = [&line](const ProbeProgress& progress) {
    line.show(fmt::format("probe: {:.0f} of {:.0f} s, {}", progress.seconds, progress.allowed_seconds, progress.doing));
  };
  return probe_files(given.directory, options);
}

// The probe given, or a new one; none when stopped.
Loaded<ProbeResult> probe_for(const BacktestCommand& given, const Budget& budget, const Environment& environment,
                              BacktestLine& line) {
  if (!given.probe_path.empty()) return load_probe(given.probe_path);
  Loaded<ProbeResult> probe;
  try {
    probe.value = probe_of(given, budget, environment, line);
  } catch (const WorldError&) {
    if (!environment.stop.stop_requested()) throw;  // stopped before there was anything to say
  }
  return probe;
}

// **Errors** WorldError when the probe says nothing about the storage.
void require_usable(const ProbeResult& probe, const std::string& directory) {
  if (!probe.refused()) return;
  std::string why;
  for (const ProbeFlaw& flaw : probe.flaws)
    if (flaw.weight == ProbeFlaw::Weight::kRefuse) why += " " + flaw.text;
  throw WorldError(
      fmt::format("{}: its probe says nothing about the storage, so nothing can be predicted.{}", directory, why));
}

int interrupted(const Environment& environment) {
  environment.err << "stallcast: interrupted before anything was measured\n";
  return kExitWorldTrouble;
}

// Fills the options in; findings say what cannot be understood.
std::optional<Budget> options_of(const BacktestCommand& given, BacktestOptions& options, Findings& findings) {
  const auto time = quantity_option("--time", Dimension::kTime, given.time, kBacktestTime, findings);
  const auto bytes = quantity_option("--bytes", Dimension::kBytes, given.bytes, kBacktestBytes, findings);
  const auto decode = quantity_option("--decode-time", Dimension::kTime, given.decode_time, kDecode, findings);
  if (given.step_time != "auto")
    options.sweep.step_s = quantity_option("--step-time", Dimension::kTime, given.step_time, kStep, findings);
  if (findings.has_errors()) return std::nullopt;
  const Budget budget = split(*time, *bytes, given.probe_path.empty());
  options.sweep.workers = given.workers;
  options.sweep.batch_size = given.batch_size;
  options.sweep.decode_s = *decode;
  options.sweep.seconds = budget.runs_s;
  options.sweep.bytes = budget.runs_bytes;
  options.parts_seconds = budget.parts_s;
  options.parts_bytes = budget.parts_bytes;
  options.sweep.repeats = given.repeats;
  options.sweep.seed = given.seed;
  return budget;
}

void add_probe_doubts(const ProbeResult& probe, Backtest& backtest) {
  for (const ProbeFlaw& flaw : probe.flaws) backtest.doubts.push_back({"probe_" + flaw.code, "Probe: " + flaw.text});
}

// Whether the runs read no more than they may; if not, says what would do.
bool fits(const Backtest& backtest, const BacktestCommand& given, const Environment& environment) {
  const double wanted = sweep_bytes(backtest.workloads, backtest.files, backtest.options.repeats);
  if (wanted <= backtest.options.bytes) return true;
  Findings findings;
  findings.add(
      {Severity::kError, "too_few_bytes", "--bytes", "", given.bytes,
       fmt::format("more than {} for a batch in every run", format_quantity(Dimension::kBytes, std::ceil(wanted))),
       "allow more bytes, or run fewer --workers, --repeats or a smaller --batch-size", ""});
  print_findings(findings, environment.err);
  return false;
}

int backtest_command(const BacktestCommand& given, const Environment& environment) {
  require_place_for(given.output_path);
  BacktestOptions options;
  Findings findings;
  const std::optional<Budget> budget = options_of(given, options, findings);
  print_findings(findings, environment.err);
  if (!budget) return kExitBadInput;
  SampleFiles files = find_sample_files(given.directory);

  BacktestLine line(environment);
  options.stop = environment.stop;
  options.progress = [&line](const BacktestProgress& progress) {
    line.show(fmt::format("{} of {}: {}", progress.done + 1, progress.total, progress.doing));
  };
  const Loaded<ProbeResult> probe = probe_for(given, *budget, environment, line);
  line.clear();
  print_findings(probe.findings, environment.err);
  if (environment.stop.stop_requested()) return interrupted(environment);
  if (!probe.ok()) return kExitBadInput;
  require_usable(*probe.value, given.directory);
  Loaded<StorageFit> fit = fit_storage(probe.value->points, {probe.value->widen()});
  print_findings(fit.findings, environment.err);
  if (!fit.ok()) return kExitBadInput;

  MeasuredParts parts = measure_parts(files, *probe.value, std::move(*fit.value), options);
  if (environment.stop.stop_requested()) return interrupted(environment);
  Backtest backtest = predict_backtest(given.directory, std::move(files), std::move(parts), options);
  add_probe_doubts(*probe.value, backtest);
  line.clear();
  if (backtest.interrupted) return interrupted(environment);
  if (!fits(backtest, given, environment)) return kExitBadInput;
  // On standard output the predictions stand before anything has run.
  const bool at_once = given.format == "table" && (given.output_path.empty() || given.output_path == "-");
  const std::string predictions = given.format == "table" ? render_backtest_predictions(backtest) : "";
  if (at_once) deliver(predictions, "", environment);
  run_backtest(backtest, options);
  line.clear();
  if (backtest.score.settings == 0) return interrupted(environment);
  const std::string results = render_backtest_results(backtest, environment.style);
  const std::string text = given.format == "json" ? json_text(backtest_json(backtest))
                           : at_once              ? results
                                                  : predictions + results;
  deliver(text, given.output_path, environment);
  return kExitFine;
}

}  // namespace

void add_backtest_command(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand(
      "backtest", "Predict a small real data loader on your own files, then run it and show the error");
  const auto given = std::make_shared<BacktestCommand>();
  command->add_option("DIR", given->directory, "Directory whose files are read as samples; nothing is written")
      ->required();
  command->add_option("--time", given->time, "About how long all of it may take")
      ->type_name("TIME")
      ->capture_default_str();
  command->add_option("--bytes", given->bytes, "Most bytes to read, probe and runs together")
      ->type_name("SIZE")
      ->capture_default_str();
  command->add_option("--decode-time", given->decode_time, "CPU time of decode-like work per sample, on average")
      ->type_name("TIME")
      ->capture_default_str();
  command
      ->add_option("--step-time", given->step_time, "Emulated compute time of a step; auto: from starved to saturated")
      ->type_name("TIME")
      ->capture_default_str();
  command->add_option("--batch-size", given->batch_size, "Samples per step")
      ->type_name("N")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command->add_option("--workers", given->workers, "Numbers of workers to run; up to twice the cores when not given")
      ->type_name("N,N,...")
      ->delimiter(',')
      ->check(CLI::Range(0, 256));
  command->add_option("--repeats", given->repeats, "Runs of each setting")
      ->type_name("N")
      ->check(CLI::Range(1, 20))
      ->capture_default_str();
  command->add_option("--probe", given->probe_path, "Predict from this probe of the directory instead of a new one")
      ->type_name("FILE");
  command->add_option("--seed", given->seed, "Which files are read in which order")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--format", given->format, "table or json")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  command->add_option("-o,--output", given->output_path, "Write to a file instead of standard output")
      ->type_name("FILE");
  command->callback([&context, given] {
    context.action = [&context, given] { return backtest_command(*given, context.environment); };
  });
}

}  // namespace stallcast
