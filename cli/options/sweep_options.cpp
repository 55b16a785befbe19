#include "cli/options/sweep_options.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "cli/options/fail_if_points.h"
#include "cli/options/vary_options.h"
#include "cli/shell/output.h"
#include "core/plan/sweep/sweep_identity.h"

namespace stallcast {
namespace {

void add_job_options(CLI::App& command, SweepCommandOptions& options) {
  SweepJobOptions& job = options.job;
  CLI::Option* emit =
      command.add_option("--emit", job.scheduler, "Write the job file that runs this sweep in shards, and run nothing")
          ->type_name("SCHEDULER")
          ->check(CLI::IsMember({"slurm", "kubernetes"}));
  command.add_option("--shards", job.settings.shards, "Of the job: how many shards; 8 when not given")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, kMaxShards))
      ->needs(emit);
  command.add_option("--cpus", job.settings.cpus, "Of the job: cores of each shard; 1 when not given")
      ->type_name("N")
      ->check(CLI::Range(1, 1024))
      ->needs(emit);
  command.add_option("--job-name", job.settings.name, "Of the job: its name; stallcast-sweep when not given")
      ->type_name("NAME")
      ->needs(emit);
  command.add_option("--job-file", job.path, "Write the job file here instead of on standard output")
      ->type_name("FILE")
      ->needs(emit);
  command.add_option("--program", job.program, "Of the job: stallcast as the machines of the job find it")
      ->type_name("PATH")
      ->needs(emit);
  command.add_option("--image", job.image, "Of a Kubernetes job: the image that has stallcast in it")
      ->type_name("IMAGE")
      ->needs(emit);
  command.add_option("--claim", job.claim, "Of a Kubernetes job: the PersistentVolumeClaim that results go to")
      ->type_name("NAME")
      ->needs(emit);
}

std::optional<Shard> shard_of(const SweepCommandOptions& options, const Environment& environment) {
  if (!options.job.scheduler.empty()) return Shard{1, options.job.settings.shards};
  if (!options.shard.empty()) {
    Loaded<Shard> shard = parse_shard(options.shard);
    print_findings(shard.findings, environment.err);
    return shard.value;
  }
  Loaded<std::optional<ScheduledShard>> scheduled = shard_from_environment(&std::getenv);
  print_findings(scheduled.findings, environment.err);
  if (!scheduled.value) return std::nullopt;
  if (!*scheduled.value) return Shard{};
  environment.err << fmt::format("stallcast: shard {}, since {} is set; --shard 1/1 does the whole sweep\n",
                                 shard_text((*scheduled.value)->shard), (*scheduled.value)->said_by);
  return (*scheduled.value)->shard;
}

bool is_training_job(const ScenarioFile& file, const Environment& environment) {
  if (file.scenario.job != JobKind::kServing && file.scenario.run.concurrent_jobs.empty()) return true;
  environment.err << "stallcast: sweep is for one training job; leave out run.concurrent_jobs, and job \"serving\"\n";
  return false;
}

}  // namespace

void add_sweep_options(CLI::App& command, SweepCommandOptions& options) {
  add_input_options(command, options.input);
  add_vary_option(command, options.asked.vary);
  command
      .add_option("--design", options.asked.design,
                  "Which points: every combination, a Latin hypercube, or a Sobol sequence; full when not given")
      ->type_name("DESIGN")
      ->check(CLI::IsMember(sweep_designs()));
  command.add_option("--points", options.asked.points, "How many points a sampling design has")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, kMaxSampledPoints));
  command.add_option("--design-seed", options.asked.design_seed, "Seed of a Latin hypercube; 1 when not given")
      ->type_name("N");
  command
      .add_option("--shard", options.shard,
                  "Do the I-th of N parts, I from 1 to N; found by itself in a Slurm job array or a Kubernetes Job")
      ->type_name("I/N");
  command.add_option("--threads", options.threads, "Points computed at once; one per core when not given")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  command.add_flag("--yes", options.yes, "Go on, however long it takes");
  command
      .add_option("-o,--output", options.directory,
                  "Directory for the points; the same command again goes on where it was")
      ->type_name("DIR")
      ->required();
  add_job_options(command, options);
  // A shard that fails would be run again; who joins them judges.
  add_fail_if_points_option(command, options.fail_if);
  command.get_option("--fail-if")->excludes("--emit");
}

std::optional<SweepPlan> load_sweep(const SweepCommandOptions& options, const Environment& environment) {
  std::optional<ScenarioInput> input = load_input(options.input, environment);
  if (!input || !is_training_job(input->file, environment)) return std::nullopt;
  Loaded<SweepQuestion> question = read_sweep_question(options.asked, input->file, input->catalogue);
  print_findings(question.findings, environment.err);
  const std::optional<Shard> shard = shard_of(options, environment);
  if (!question.ok() || !shard) return std::nullopt;
  auto& [variables, design, space] = *question.value;
  PointsHeader header{
      to_json(sweep_identity(input->file, variables, design, space, input->catalogue)), *shard,
      sweep_command(options, "stallcast", options.input.scenario_path, options.input.catalogue.overlays, options.yes)};
  return SweepPlan{std::move(*input), std::move(space), *shard, std::move(header)};
}

SweepCommand sweep_command(const SweepCommandOptions& options, const std::string& program, const std::string& scenario,
                           const std::vector<std::string>& overlays, bool yes) {
  SweepCommand words = {program, "sweep", scenario};
  const auto add = [&words](const char* option, const std::string& value) {
    words.emplace_back(option);
    words.push_back(value);
  };
  for (const std::string& assignment : options.input.overrides) add("--set", assignment);
  for (const std::string& overlay : overlays) add("--catalogue", overlay);
  if (!options.input.seed.empty()) add("--seed", options.input.seed);
  if (!options.input.precision.empty()) add("--precision", options.input.precision);
  for (const std::string& variable : options.asked.vary) add("--vary", variable);
  if (options.asked.design != "full") {
    add("--design", options.asked.design);
    add("--points", std::to_string(options.asked.points));
  }
  if (options.asked.design == "latin") add("--design-seed", std::to_string(options.asked.design_seed));
  if (yes) words.emplace_back("--yes");
  return words;
}

}  // namespace stallcast
