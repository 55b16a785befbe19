#include "cli/target_options.h"

#include <cctype>

#include "cli/quantity_option.h"

namespace stallcast {
namespace {

// "5000" is in dollars too.
std::string as_dollars(const std::string& text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0 ? "$" + text : text;
}

}  // namespace

void add_target_options(CLI::App& command, TargetOptions& options) {
  command.add_option("--min-utilization", options.min_utilization, "GPU utilization to keep, as in 0.9")
      ->type_name("FRACTION");
  command.add_option("--deadline", options.deadline, "Longest time to train, as in 72h")->type_name("TIME");
  command.add_option("--budget", options.budget, "Most dollars for the whole run")->type_name("USD");
}

void read_targets(const TargetOptions& options, SizeRequest& request, Findings& findings) {
  const auto read = [&](const char* option, const std::string& text, Dimension dimension, Figure figure,
                        const OptionRange& range) {
    if (text.empty()) return;
    if (const auto value = quantity_option(option, dimension, text, range, findings))
      request.targets.push_back({figure, *value});
  };
  read("--min-utilization", options.min_utilization, Dimension::kFraction, Figure::kUtilization,
       {1e-300, 1.0, "more than 0, up to 1"});
  read("--deadline", options.deadline, Dimension::kTime, Figure::kTime, kPositive);
  read("--budget", as_dollars(options.budget), Dimension::kUsd, Figure::kTotal, kPositive);
}

}  // namespace stallcast
