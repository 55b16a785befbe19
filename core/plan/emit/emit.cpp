#include "core/plan/emit/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/diagnostics/invariant.h"
#include "core/plan/emit/emit_benchmark.h"
#include "core/plan/emit/emit_provisioning.h"
#include "core/plan/emit/loader_arguments.h"

namespace stallcast {
namespace {

using Files = std::vector<EmittedFile>;

void add(Files& files, std::optional<EmittedFile> file) {
  if (file) files.push_back(std::move(*file));
}

EmittedFile loader_file(const Scenario& scenario) {
  const LoaderScript script = loader_script(scenario);
  const std::vector<std::string> about = {
      fmt::format("Data loader of \"{}\", as simulated by stallcast: {}.", scenario.name, script.library),
      "Names that are not defined here are those of your training code."};
  return {"loader.py", comment_lines(about) + loader_source(script)};
}

// The target that asks for a library by name.
std::string_view loader_target(const std::string& library) {
  return library == "tf.data" ? "tfdata" : library == "DALI" ? "dali" : "pytorch";
}

Files gcloud_files(const ResolvedScenario& resolved) {
  Files files;
  add(files, provisioning_script(resolved, "gcp"));
  add(files, gcsfuse_file(resolved));
  return files;
}

Files fio_files(const Scenario& scenario, const RunResult& result) {
  Files files = {fio_read_file(scenario, result)};
  add(files, fio_checkpoint_file(scenario));
  return files;
}

Files files_of(const ResolvedScenario& resolved, const RunResult* result, std::string_view target,
               const std::string& path) {
  const Scenario& scenario = resolved.scenario;
  Files files;
  if (target == "gcloud") return gcloud_files(resolved);
  if (target == "aws" || target == "azure") add(files, provisioning_script(resolved, target));
  if (target == "terraform") add(files, terraform_file(resolved));
  if (target == loader_target(loader_script(scenario).library)) files.push_back(loader_file(scenario));
  if (target == "checkpoint") add(files, checkpoint_file(scenario, result));
  if (target == "dlio") files.push_back(dlio_file(scenario, result));
  if (target == "fio") return fio_files(scenario, *result);
  if (target == "claims") files.push_back(claims_file(resolved, *result, path));
  return files;
}

std::string why_nothing(const ResolvedScenario& resolved, std::string_view target) {
  if (target == "checkpoint") return "the scenario has no checkpoints";
  if (target == "pytorch" || target == "tfdata" || target == "dali")
    return fmt::format("its loader is {}: --for {}", loader_script(resolved.scenario).library,
                       loader_target(loader_script(resolved.scenario).library));
  const std::vector<std::string> gaps = provisioning_gaps(resolved);
  return gaps.empty() ? "its storage and hosts are at another cloud" : gaps.front();
}

}  // namespace

const std::vector<std::string>& emit_targets() {
  static const std::vector<std::string> targets = {"gcloud", "aws",        "azure", "terraform", "pytorch", "tfdata",
                                                   "dali",   "checkpoint", "dlio",  "fio",       "claims",  "all"};
  return targets;
}

bool needs_result(std::string_view target) {
  return target == "checkpoint" || target == "dlio" || target == "fio" || target == "claims" || target == "all";
}

Loaded<Files> emit_files(const ResolvedScenario& resolved, const RunResult* result, std::string_view target,
                         const std::string& path) {
  Loaded<Files> loaded;
  const std::vector<std::string>& targets = emit_targets();
  if (std::find(targets.begin(), targets.end(), target) == targets.end()) {
    const std::string near = nearest_word(std::string(target), targets);
    loaded.findings.add({Severity::kError, "unknown_target", "", "--for", std::string(target),
                         fmt::format("{}", fmt::join(targets, ", ")),
                         near.empty() ? "" : fmt::format("did you mean {}?", near), ""});
    return loaded;
  }
  invariant(result != nullptr || !needs_result(target), "what a simulation found is emitted without one");
  Files files;
  for (const std::string& each : targets) {
    if (each == "all" || (target != "all" && target != each)) continue;
    for (EmittedFile& file : files_of(resolved, result, each, path)) files.push_back(std::move(file));
  }
  if (files.empty()) {
    loaded.findings.add(
        {Severity::kError, "nothing_to_emit", "", "--for", std::string(target), "", "", why_nothing(resolved, target)});
    return loaded;
  }
  loaded.value = std::move(files);
  return loaded;
}

}  // namespace stallcast
