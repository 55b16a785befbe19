// The command line that makes a report again, which the report itself states.
#pragma once

#include <string>
#include <vector>

#include "core/answers/questions/overridden.h"
#include "core/answers/questions/size_question.h"

namespace stallcast {

struct ReportWords {
  std::vector<std::string> paths;  // of scenario files
  Settings settings;
  std::vector<std::string> overlays, vary;
  TargetTexts targets;
  std::string format, output;  // "" = not given
};

// "stallcast report job.json --set loader.num_workers=8 -o report.html", quoted for a shell.
std::string report_command_line(const ReportWords& words);

}  // namespace stallcast
