#include "cli/options/fail_if_option.h"

#include <fmt/format.h>

#include <ostream>
#include <utility>

#include "cli/shell/output.h"

namespace stallcast {
namespace {

constexpr const char* kHelp =
    "End with exit code 4, after the result was written, when a number of the JSON result is such, as in "
    "'gpu_utilization<0.9', 'cost.total_usd > $500', 'time_to_train_s>72h', or is not known; may be repeated";

std::string message(const Assertion& condition, const Checked& checked, std::string_view name) {
  const std::string of = name.empty() ? "" : fmt::format(" of {}", name);
  if (checked.verdict == Verdict::kUnknown)
    return fmt::format("--fail-if '{}': {}{} is not known, so it cannot pass", condition.text, condition.path, of);
  return fmt::format("--fail-if '{}': {}{} is {}", condition.text, condition.path, of,
                     value_of_path_text(condition.path, *checked.found));
}

}  // namespace

void add_fail_if_option(CLI::App& command, FailIfTexts& texts) { add_fail_if_option(command, texts, kHelp); }

void add_fail_if_option(CLI::App& command, FailIfTexts& texts, const std::string& help) {
  command.add_option("--fail-if", texts, help)
      ->type_name("CONDITION")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
}

std::optional<std::vector<Assertion>> read_fail_if(const FailIfTexts& texts, const nlohmann::ordered_json& shape,
                                                   const Environment& environment) {
  std::vector<Assertion> conditions;
  Findings findings;
  for (const std::string& text : texts) {
    Loaded<Assertion> loaded = parse_assertion(text);
    findings.append(loaded.findings);
    if (!loaded.value) continue;
    if (std::optional<Finding> problem = path_problem(*loaded.value, shape)) findings.add(std::move(*problem));
    conditions.push_back(std::move(*loaded.value));
  }
  print_findings(findings, environment.err);
  if (findings.has_errors()) return std::nullopt;
  return conditions;
}

int fail_if_code(const std::vector<Assertion>& conditions, const nlohmann::ordered_json& document,
                 const FailIfSubject& subject, const Environment& environment) {
  if (!conditions.empty() && environment.stop.stop_requested()) {
    environment.err << "stallcast: stopped before the end: --fail-if judges no part of a run\n";
    return kExitWorldTrouble;
  }
  int code = kExitFine;
  Findings findings;
  for (const Assertion& condition : conditions) {
    Checked checked = check(condition, document);
    if (checked.verdict == Verdict::kNoSuchKey && !subject.checked) {
      if (std::optional<Finding> problem = path_problem(condition, document)) findings.add(std::move(*problem));
      continue;
    }
    if (checked.verdict == Verdict::kNoSuchKey) checked.verdict = Verdict::kUnknown;
    if (checked.verdict == Verdict::kFine) continue;
    environment.err << "stallcast: " << message(condition, checked, subject.name) << '\n';
    code = kExitTargetsNotMet;
  }
  print_findings(findings, environment.err);
  return findings.has_errors() ? kExitBadInput : code;
}

}  // namespace stallcast
