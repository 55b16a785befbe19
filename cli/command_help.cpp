#include "cli/command_help.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/shell/command_tree.h"
#include "core/diagnostics/invariant.h"

namespace stallcast {
namespace {

constexpr const char* kStart = "Start here";
constexpr const char* kAnswers = "Answers about a scenario";
constexpr const char* kMeasure = "Measure instead of assume";
constexpr const char* kData = "Catalogue, files and shells";

struct CommandHelp {
  std::string_view name;
  const char* group;
  std::string_view examples;  // one a line
};

constexpr std::array kCommands{
    CommandHelp{
        "new", kStart,
        "  stallcast new job.json\n"
        "  stallcast new job.json --gpus 16xH100 --model resnet50 --samples 1.28M --sample-size 150KB --storage S3\n"
        "  stallcast new job.json --from train.sbatch --gpus H100 --model llama3-8b --storage nfs\n"},
    CommandHelp{"examples", kStart,
                "  stallcast examples\n"
                "  stallcast examples 17_webdataset -o job.json\n"},
    CommandHelp{"explain-field", kStart,
                "  stallcast explain-field storage.capacity\n"
                "  stallcast explain-field dataset\n"},
    CommandHelp{"simulate", kAnswers,
                "  stallcast simulate job.json\n"
                "  stallcast simulate job.json --set loader.num_workers=16 --set storage.tier=S3\n"
                "  stallcast simulate job.json --format json --trace timeline.json\n"},
    CommandHelp{"explain", kAnswers,
                "  stallcast explain job.json\n"
                "  stallcast explain job.json --to 90%\n"},
    CommandHelp{"size", kAnswers,
                "  stallcast size job.json --min-utilization 0.9\n"
                "  stallcast size job.json --deadline 72h --budget '$5000' --vary storage.capacity=valid\n"},
    CommandHelp{"compare", kAnswers, "  stallcast compare today.json tomorrow.json\n"},
    CommandHelp{"sensitivity", kAnswers, "  stallcast sensitivity job.json --vary storage.read_bandwidth=0.5x..2x\n"},
    CommandHelp{"sweep", kAnswers,
                "  stallcast sweep job.json --vary loader.num_workers=2,4,8 --vary storage.tier=S3,FSx -o sweep\n"},
    CommandHelp{"merge", kAnswers, "  stallcast merge sweep\n"},
    CommandHelp{"report", kAnswers, "  stallcast report job.json -o report.html\n"},
    CommandHelp{"emit", kAnswers, "  stallcast emit job.json -o provision\n"},
    CommandHelp{"attach", kMeasure,
                "  stallcast attach 24131\n"
                "  stallcast attach 24131 --time 20s --batch-size 64 -o seen.json\n"},
    CommandHelp{"diagnose", kMeasure,
                "  stallcast diagnose job.json --observed it_per_s=3 --observed data_time='217 ms'\n"},
    CommandHelp{"probe", kMeasure,
                "  stallcast probe /data/train -o probe.json\n"
                "  stallcast probe s3://bucket/train --time 20s -o probe.json\n"
                "  stallcast probe --write /data/checkpoints -o writes.json\n"},
    CommandHelp{"calibrate", kMeasure,
                "  stallcast calibrate job.json --probe probe.json -o calibrated.json\n"
                "  stallcast calibrate job.json --record run.jsonl -o calibrated.json\n"},
    CommandHelp{"backtest", kMeasure, "  stallcast backtest /data/train\n"},
    CommandHelp{"validate", kMeasure, "  stallcast validate runs.jsonl\n"},
    CommandHelp{"import", kData,
                "  stallcast import dlio unet3d_h100.yaml --instance p5.48xlarge --tier S3 -o job.json\n"},
    CommandHelp{"catalogue", kData,
                "  stallcast catalogue list tier --provider aws\n"
                "  stallcast catalogue show H100\n"},
    CommandHelp{"schema", kData, "  stallcast schema\n"},
    CommandHelp{"completions", kData, "  stallcast completions bash\n"},
    CommandHelp{"man", kData, "  stallcast man\n"},
};

}  // namespace

void describe_commands(CLI::App& program) {
  const std::string common = program.get_footer();
  // What stands behind the program's own examples holds for every command.
  const std::size_t rest = common.find("\n\n");
  for (CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    const auto found = std::find_if(kCommands.begin(), kCommands.end(),
                                    [&](const CommandHelp& help) { return help.name == command->get_name(); });
    invariant(found != kCommands.end(), "every command has its help");
    if (!command->get_group().empty()) command->group(found->group);
    command->footer("Examples:\n" + std::string(found->examples.substr(0, found->examples.size() - 1)) +
                    (rest == std::string::npos ? "" : common.substr(rest)));
  }
}

std::string where_to_start() {
  return "stallcast says, before anyone books hardware, how busy the GPUs of a training job\n"
         "will be, what limits them, what it costs, and what to change first.\n"
         "\n"
         "  stallcast new job.json             seven questions, and a first answer\n"
         "  stallcast examples                 scenarios to look at and to copy\n"
         "  stallcast explain job.json         what limits the job, what a change is worth\n"
         "  stallcast size job.json --min-utilization 0.9\n"
         "                                     the cheapest configuration that meets a target\n"
         "  stallcast probe /data              measure storage instead of assuming it\n"
         "  stallcast help, stallcast help size   every command, and one of them\n";
}

}  // namespace stallcast
