// What readers of the fuzzer share: a place for their files, catalogues to read against, and the properties they check.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/catalogue/catalogue.h"
#include "core/diagnostics/finding.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast::fuzz {

// Throws Broken saying `what` unless `holds`.
void require(bool holds, const std::string& what);

// Findings are to be shown: none writes to the terminal what is no text.
void check_findings(const Findings& findings);

// A value, or an error that says why there is none.
template <class T>
void check_loaded(const Loaded<T>& loaded) {
  check_findings(loaded.findings);
  require(loaded.value.has_value() || loaded.findings.has_errors(), "neither a value nor an error");
}

// An empty folder of this process, which is removed at its end.
std::filesystem::path empty_folder();

// `content` as the file `name` of a folder that keeps nothing else.
std::filesystem::path file_of(std::string_view content, const std::string& name);

// `content` cut at lines that are only "%%": several files in one input.
std::vector<std::string_view> parts_of(std::string_view content);

const Catalogue& shipped_catalogue();

// Two or three records of each kind, in a folder: what loads fast enough to be loaded with every input.
const std::filesystem::path& small_models();

// A small training job on a described storage, resolved: what measurements are put into.
const nlohmann::ordered_json& small_job();
const ResolvedScenario& small_job_resolved();

// A scenario without errors reads back from its own file form, and what it resolves to does too.
void check_scenario_file(const ScenarioFile& file);

}  // namespace stallcast::fuzz
