// Scenario files, and the texts in them and on command lines that are small languages of their own.
#include "core/diagnostics/json_input.h"
#include "core/plan/evaluate/assertion.h"
#include "core/plan/evaluate/input_range.h"
#include "core/plan/space/space.h"
#include "core/plan/space/variable.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/scenario/resolve/concurrent_jobs.h"
#include "core/scenario/resolve/resolve.h"
#include "core/units/quantity_text.h"
#include "tests/fuzz/checks.h"
#include "tests/fuzz/readers.h"

namespace stallcast::fuzz {
namespace {

void read_scenario(std::string_view content) {
  const Loaded<ScenarioFile> file = load_scenario(file_of(content, "scenario.json"));
  check_loaded(file);
  if (file.ok()) check_scenario_file(*file.value);
}

// The first part is a scenario, the others are files that its run.concurrent_jobs may name: 1.json, 2.json, ...
void read_concurrent_jobs(std::string_view content) {
  const std::vector<std::string_view> parts = parts_of(content);
  for (std::size_t i = 1; i < std::min<std::size_t>(parts.size(), 5); ++i)
    file_of(parts[i], std::to_string(i) + ".json");
  Loaded<ScenarioFile> file = load_scenario(file_of(parts.front(), "scenario.json"));
  check_loaded(file);
  if (!file.ok()) return;
  load_concurrent_jobs(*file.value, file.findings);
  check_findings(file.findings);
  if (!file.findings.has_errors()) check_loaded(resolve(*file.value, shipped_catalogue()));
}

// What a scenario asks to vary, as a space.
void read_plan(std::string_view content) {
  const Loaded<ScenarioFile> file = load_scenario(file_of(content, "scenario.json"));
  if (!file.ok()) return;
  const Loaded<std::vector<Variable>> variables = planned_variables(*file.value);
  check_loaded(variables);
  if (!variables.ok()) return;
  const Loaded<Space> space = make_space(*file.value, *variables.value, {}, shipped_catalogue());
  check_loaded(space);
  if (!space.ok()) return;
  for (const std::int64_t index : {std::int64_t{0}, space.value->size() / 2, space.value->size() - 1}) {
    (void)point_text(space.value->point(index));
    require(space.value->index_of(space.value->choices_at(index)) == index, "a point with another number");
  }
}

// One line each for --set, --vary, --fail-if and --input.
void read_words(std::string_view content) {
  static const ScenarioFile kBase = parse_scenario(small_job(), "job.json").value.value();
  const std::string text(content);
  ScenarioFile file = kBase;
  Findings findings;
  apply_override(file, text, findings);
  check_findings(findings);
  if (!findings.has_errors()) check_scenario_file(file);
  check_loaded(parse_variable(text, kBase));
  check_loaded(parse_assertion(text));
  check_loaded(parse_input_range(text, small_job_resolved()));
  check_loaded(parse_uncertain_inputs({text}, "job.json"));
}

void read_quantity(std::string_view content) {
  for (int d = 0; d <= static_cast<int>(Dimension::kCount); ++d) {
    const auto dimension = static_cast<Dimension>(d);
    const QuantityReading reading = parse_quantity(dimension, content);
    require(reading.base.has_value() != !reading.error_code.empty(), "a quantity with an error, or neither");
    if (!reading.base) continue;
    const std::string text = format_quantity(dimension, *reading.base);
    require(parse_quantity(dimension, text).base == reading.base, "a quantity reads back as another: " + text);
  }
}

void read_json(std::string_view content) {
  const Loaded<nlohmann::ordered_json> json = parse_json_text(content, "file.json");
  check_loaded(json);
  if (!json.ok()) return;
  const Loaded<nlohmann::ordered_json> again = parse_json_text(json.value->dump(), "file.json");
  require(again.ok() && *again.value == *json.value, "JSON reads back as other JSON");
}

}  // namespace

std::vector<Reader> scenario_readers() {
  return {{"scenario", read_scenario}, {"beside", read_concurrent_jobs}, {"plan", read_plan},
          {"words", read_words},       {"quantity", read_quantity},      {"json", read_json}};
}

}  // namespace stallcast::fuzz
