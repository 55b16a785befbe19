#include "cli/options/target_options.h"

namespace stallcast {
void add_target_options(CLI::App& command, TargetOptions& options) {
  command.add_option("--min-utilization", options.min_utilization, "GPU utilization to keep, as in 0.9")
      ->type_name("FRACTION");
  command.add_option("--deadline", options.deadline, "Longest time to train, as in 72h")->type_name("TIME");
  command.add_option("--budget", options.budget, "Most dollars for the whole run")->type_name("USD");
}

}  // namespace stallcast
