#include "core/answers/questions/sensitivity_question.h"

#include <utility>

#include "core/plan/evaluate/input_range.h"

namespace stallcast {
namespace {

const Kpi* read_figure(const char* option, const std::string& name, Findings& findings) {
  const Kpi* kpi = find_kpi(name);
  if (kpi != nullptr) return kpi;
  std::vector<std::string> names;
  for (const Kpi& one : kpi_table()) names.push_back(one.name);
  const std::string nearest = nearest_word(name, names);
  std::string all;
  for (const std::string& one : names) all += (all.empty() ? "" : ", ") + one;
  findings.add({Severity::kError, "unknown_figure", option, "", "\"" + name + "\"", all,
                nearest.empty() ? "" : "did you mean " + nearest + "?", ""});
  return nullptr;
}

void read_condition(const std::string& text, std::size_t scenarios, BreakEvenOptions& out, Findings& findings) {
  if (text.empty()) return;
  if (scenarios > 1) {
    findings.add({Severity::kError, "one_scenario", "--until", "", "", "one scenario",
                  "leave it out: of several the best one is asked for, by --by", ""});
    return;
  }
  Loaded<Assertion> condition = parse_assertion(text, "--until");
  findings.append(condition.findings);
  if (condition.value && read_figure("--until", condition.value->path, findings) != nullptr)
    out.condition = std::move(condition.value);
}

// An interval is for every scenario that has such a value; it is wrong where none takes it.
void read_input(const std::string& text, const std::vector<ResolvedScenario>& scenarios, InputsOfEach& given,
                Findings& findings) {
  Findings refused;
  bool taken = false;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    Loaded<UncertainInput> input = parse_input_range(text, scenarios[i]);
    if (input.value) given[i].push_back(std::move(*input.value));
    taken = taken || input.ok();
    if (!input.ok() && refused.empty()) refused = std::move(input.findings);
  }
  if (!taken) findings.append(refused);
}

}  // namespace

Loaded<SensitivityQuestion> read_sensitivity_question(const SensitivityTexts& texts,
                                                      const std::vector<ResolvedScenario>& scenarios) {
  Loaded<SensitivityQuestion> loaded;
  SensitivityQuestion out;
  InputsOfEach given(scenarios.size());
  for (const std::string& text : texts.inputs) read_input(text, scenarios, given, loaded.findings);
  for (const std::string& name : texts.figures)
    if (const Kpi* kpi = read_figure("--kpi", name, loaded.findings)) out.figures.push_back(kpi);
  if (out.figures.empty()) out.figures = {find_kpi("gpu_utilization"), find_kpi("effective_usd_per_useful_gpu_hour")};
  if (!texts.by.empty()) out.break_even.by = read_figure("--by", texts.by, loaded.findings);
  read_condition(texts.condition, scenarios.size(), out.break_even, loaded.findings);
  if (loaded.findings.has_errors()) return loaded;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    out.inputs.push_back(uncertain_inputs(scenarios[i].scenario, given[i]));
    for (const UncertainInput& input : out.inputs.back()) out.break_even.more.push_back(input.pointer);
  }
  loaded.value = std::move(out);
  return loaded;
}

}  // namespace stallcast
