// stallcast sweep SCENARIO --vary ... -o DIR: every point of a space, kept as it is finished.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "cli/options/fail_if_points.h"
#include "cli/options/sweep_job.h"
#include "cli/options/sweep_options.h"
#include "cli/shell/command.h"
#include "cli/shell/output.h"
#include "cli/shell/progress_line.h"
#include "core/plan/sweep/merge.h"
#include "core/plan/sweep/point_runner.h"
#include "core/plan/sweep/points_file.h"
#include "core/plan/sweep/shell_words.h"
#include "core/plan/sweep/sweep.h"
#include "core/report/json/sweep_results.h"
#include "core/report/text/sweep_text.h"
#include "core/report/words/text_layout.h"

namespace stallcast {
namespace {

// What was spent on finding out how long the sweep takes, in seconds; nothing, with a finding, when that is so long
// that
// --yes is asked for.
std::optional<double> spent_if_wanted(const SweepCommandOptions& options, const SweepPlan& plan, PointRunner& runner,
                                      std::int64_t had_points, const Environment& environment) {
  if (options.yes) return 0.0;
  const unsigned threads =
      options.job.scheduler.empty() ? options.threads : static_cast<unsigned>(options.job.settings.cpus);
  const SweepEstimate estimate = estimate_sweep(runner, plan.shard, plan.space.size(), had_points, threads);
  if (!estimate.too_much()) return estimate.spent_s;
  Findings findings;
  findings.add(too_much_to_sweep(estimate));
  print_findings(findings, environment.err);
  return std::nullopt;
}

std::unique_ptr<PointsFile> open_points(const SweepCommandOptions& options, const SweepPlan& plan,
                                        const Environment& environment) {
  Loaded<std::unique_ptr<PointsFile>> file = PointsFile::open(options.directory, plan.header);
  print_findings(file.findings, environment.err);
  return file.ok() ? std::move(*file.value) : nullptr;
}

// The results where this was the whole sweep, else how to join its shards.
int finish(const SweepCommandOptions& options, const SweepPlan& plan, const PointsFile& file,
           const std::vector<Assertion>& conditions, const Environment& environment) {
  if (plan.shard.count > 1) {
    environment.err << fmt::format("stallcast: shard {} is in {}; once all are finished: {}\n", shard_text(plan.shard),
                                   file.path().string(), shell_command({"stallcast", "merge", options.directory}));
    const Loaded<PointsPart> part = read_points(file.path(), MappedFile(file.path()));
    print_findings(part.findings, environment.err);
    return part.ok() ? fail_if_points_code(conditions, part.value->lines(), environment) : kExitBadInput;
  }
  const Loaded<SweptPoints> points = join_points({file.path()});
  print_findings(points.findings, environment.err);
  if (!points.ok()) return kExitBadInput;
  write_sweep_results(*points.value, options.directory);
  environment.err << fmt::format("stallcast: results are {} and {} in {}\n", kResultsJsonLines, kResultsCsv,
                                 options.directory);
  return fail_if_points_code(conditions, points.value->lines, environment);
}

int run(const SweepCommandOptions& options, const SweepPlan& plan, PointRunner& runner, PointsFile& file,
        double spent_s, const std::vector<Assertion>& conditions, const Environment& environment) {
  ProgressLine line(environment);
  SweepOptions sweep;
  sweep.threads = options.threads;
  sweep.stop = environment.stop;
  sweep.spent_s = spent_s;
  if (environment.err_is_terminal)
    sweep.progress = [&line](const SweepProgress& progress) { line.show([&] { return progress_text(progress); }); };
  const SweepProgress progress = run_sweep(runner, plan.shard, plan.space.size(), file, sweep);
  line.clear();
  environment.err << "stallcast: " << summary_text(progress) << "\n";
  if (progress.finished == progress.points) return finish(options, plan, file, conditions, environment);
  environment.err << "stallcast: stopped; the same command again goes on from here\n";
  return kExitWorldTrouble;
}

int sweep(const SweepCommandOptions& options, const Environment& environment) {
  const std::optional<SweepPlan> plan = load_sweep(options, environment);
  const auto conditions = read_fail_if_points(options.fail_if, environment);
  if (!plan || !conditions) return kExitBadInput;
  PointRunner runner(plan->input.file, plan->space, plan->input.catalogue, environment.stop);
  if (!options.job.scheduler.empty()) {
    if (!spent_if_wanted(options, *plan, runner, 0, environment)) return kExitBadInput;
    return emit_sweep_job(options, environment);
  }
  const Findings findings = directory_problems(options.directory, plan->header);
  print_findings(findings, environment.err);
  if (findings.has_errors()) return kExitBadInput;
  // A sweep that is not wanted leaves nothing behind; one that is resumed is asked about what is left of it.
  std::unique_ptr<PointsFile> file;
  const auto path = std::filesystem::path(options.directory) / points_file_name(plan->shard);
  if (std::filesystem::exists(path)) file = open_points(options, *plan, environment);
  if (!file && std::filesystem::exists(path)) return kExitBadInput;
  const auto spent_s = spent_if_wanted(options, *plan, runner, file ? file->had_points() : 0, environment);
  if (!spent_s) return kExitBadInput;
  if (!file) file = open_points(options, *plan, environment);
  if (!file) return kExitBadInput;
  return run(options, *plan, runner, *file, *spent_s, *conditions, environment);
}

}  // namespace

void add_sweep_command(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("sweep", "Simulate and price every point of a space of configurations");
  const auto options = std::make_shared<SweepCommandOptions>();
  add_sweep_options(*command, *options);
  command->callback(
      [&context, options] { context.action = [&context, options] { return sweep(*options, context.environment); }; });
}

}  // namespace stallcast
