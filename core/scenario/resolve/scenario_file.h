// Scenario files: JSON with comments, every key optional, every wrong key or value reported at once.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics/finding.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// What a person gave, before the catalogue fills in the rest.
struct ScenarioFile {
  Scenario scenario;                 // members not given keep their default
  std::set<std::string> given;       // JSON pointers of the fields that the file gives
  std::set<std::string> overridden;  // those that an override gives; a field may be in both
  std::string file;                  // as the user named it, for findings
  std::vector<ScenarioFile>
      concurrent_jobs;  // what scenario.run.concurrent_jobs names, once load_concurrent_jobs() has read it

  // Everything that a person gave, in the file or by an override: what check_scenario asks for.
  std::set<std::string> given_anywhere() const {
    std::set<std::string> all = given;
    all.insert(overridden.begin(), overridden.end());
    return all;
  }
};

// Reads a scenario file. There is a value even with errors, unless the file is no JSON object; a field with an error
// keeps its default.
// **Errors** WorldError when the file is missing or unreadable; everything else is a finding.
Loaded<ScenarioFile> load_scenario(const std::filesystem::path& path);

// The same for a document that is already read; `file_name` is what findings call it. A top-level "$schema" is for
// editors. Names of an earlier format_version are read as those of today: what is written again has today's.
Loaded<ScenarioFile> parse_scenario(const nlohmann::ordered_json& json, std::string file_name);

// Applies one --set: "/loader/num_workers=8" or "loader.num_workers=8". The value is what value_from_text reads. A
// member of a distribution or of a linear cost may be set alone: "workload.step_time.mean=200 ms". Findings name the
// file "--set".
void apply_override(ScenarioFile& file, std::string_view assignment, Findings& findings);

// Every field in file form, in the order of the field table. parse_scenario of it gives exactly `scenario`.
nlohmann::ordered_json scenario_to_json(const Scenario& scenario);

// JSON Schema 2020-12 of scenario files, for editors: help, defaults, words, ranges and the form of quantities.
nlohmann::ordered_json scenario_schema();

}  // namespace stallcast
