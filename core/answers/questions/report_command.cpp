#include "core/answers/questions/report_command.h"

#include <fmt/format.h>

#include "core/plan/sweep/shell_words.h"

namespace stallcast {

std::string report_command_line(const ReportWords& words) {
  std::string text = "stallcast report";
  for (const std::string& path : words.paths) text += " " + shell_word(path);
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) text += fmt::format(" {} {}", option, shell_word(value));
  };
  for (const std::string& one : words.settings.overrides) add("--set", one);
  for (const std::string& one : words.overlays) add("--catalogue", one);
  add("--seed", words.settings.seed);
  add("--precision", words.settings.precision);
  for (const std::string& one : words.vary) add("--vary", one);
  add("--min-utilization", words.targets.min_utilization);
  add("--deadline", words.targets.deadline);
  add("--budget", words.targets.budget);
  add("--format", words.format);
  add("-o", words.output);
  return text;
}

}  // namespace stallcast
