// The options of `stallcast sweep`, and what they say: a space of configurations, and the part of it to do here.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/fail_if_option.h"
#include "cli/options/scenario_options.h"
#include "cli/shell/environment.h"
#include "core/answers/questions/sweep_question.h"
#include "core/plan/emit/job_file.h"
#include "core/plan/space/space.h"
#include "core/plan/sweep/points_part.h"
#include "core/plan/sweep/shard.h"

namespace stallcast {

struct SweepJobOptions {
  std::string scheduler;  // "slurm", "kubernetes", "" = none
  JobSettings settings;
  std::string program;  // "" = this one for Slurm, "stallcast" of the image for Kubernetes
  std::string image;    // "" = "stallcast:VERSION"
  std::string claim = "stallcast-sweep";
  std::string path;  // of the job file; "" = standard output
};

struct SweepCommandOptions {
  ScenarioOptions input;
  SweepTexts asked;
  std::string shard;
  unsigned threads = 0;
  bool yes = false;
  std::string directory;
  SweepJobOptions job;
  FailIfTexts fail_if;
};

void add_sweep_options(CLI::App& command, SweepCommandOptions& options);

// A sweep with its inputs read.
struct SweepPlan {
  ScenarioInput input;
  Space space;
  Shard shard;
  PointsHeader header;
};

// Findings are printed, and with an error among them there is nothing. A shard that a job scheduler says is told on
// standard error.
// **Errors** WorldError
std::optional<SweepPlan> load_sweep(const SweepCommandOptions& options, const Environment& environment);

// The words of this sweep's command line without --shard, --threads and -o.
SweepCommand sweep_command(const SweepCommandOptions& options, const std::string& program, const std::string& scenario,
                           const std::vector<std::string>& overlays, bool yes);

}  // namespace stallcast
