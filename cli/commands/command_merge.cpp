// stallcast merge DIR... -o OUT: the shards of a sweep put together.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/options/fail_if_points.h"
#include "cli/shell/command.h"
#include "cli/shell/output.h"
#include "core/plan/sweep/merge.h"
#include "core/report/json/sweep_results.h"

namespace stallcast {
namespace {

struct MergeOptions {
  std::vector<std::string> directories;
  std::string output;
  FailIfTexts fail_if;
};

int merge(const MergeOptions& options, const Environment& environment) {
  if (options.output.empty() && options.directories.size() > 1) {
    environment.err << "stallcast: merge of several directories needs -o, the directory for the results\n";
    return kExitBadInput;
  }
  const auto conditions = read_fail_if_points(options.fail_if, environment);
  if (!conditions) return kExitBadInput;
  const Loaded<SweptPoints> points = merge_points({options.directories.begin(), options.directories.end()});
  print_findings(points.findings, environment.err);
  if (!points.ok()) return kExitBadInput;
  const std::string& output = options.output.empty() ? options.directories.front() : options.output;
  write_sweep_results(*points.value, output);
  environment.err << fmt::format("stallcast: {} points of {} files, {} of them cannot be; {} and {} in {}\n",
                                 points.value->lines.size(), points.value->parts.size(), points.value->failed,
                                 kResultsJsonLines, kResultsCsv, output);
  return fail_if_points_code(*conditions, points.value->lines, environment);
}

}  // namespace

void add_merge_command(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("merge", "Join the shards of a sweep, and check that none is missing");
  const auto options = std::make_shared<MergeOptions>();
  command->add_option("DIR", options->directories, "Directories that `stallcast sweep -o` wrote")->required();
  command->add_option("-o,--output", options->output, "Directory for the results; DIR when there is one")
      ->type_name("OUT");
  add_fail_if_points_option(*command, options->fail_if);
  command->callback(
      [&context, options] { context.action = [&context, options] { return merge(*options, context.environment); }; });
}

}  // namespace stallcast
