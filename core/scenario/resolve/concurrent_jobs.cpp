#include "core/scenario/resolve/concurrent_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/field_value.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConcurrentJobs = "/run/concurrent_jobs";

bool is_shared(const Field& field) { return field.group == "storage" || field.group == "server_cache"; }

std::string quoted(const std::string& text) { return fmt::format("\"{}\"", text); }

// An error about the `index`-th name in run.concurrent_jobs of `first`.
Finding about_name(const ScenarioFile& first, std::size_t index, std::string code) {
  Finding finding;
  finding.code = std::move(code);
  finding.file = first.overridden.contains(kConcurrentJobs) ? "--set" : first.file;
  finding.pointer = fmt::format("{}/{}", kConcurrentJobs, index);
  finding.got = quoted(first.scenario.run.concurrent_jobs[index]);
  return finding;
}

std::string value_at(const Field& field, const Scenario& scenario) {
  return value_to_json(field, field.get(scenario)).dump();
}

}  // namespace

void load_concurrent_jobs(ScenarioFile& first, Findings& findings) {
  first.concurrent_jobs.clear();
  const fs::path own = first.file;
  for (std::size_t i = 0; i < first.scenario.run.concurrent_jobs.size(); ++i) {
    const fs::path path = own.parent_path() / first.scenario.run.concurrent_jobs[i];
    std::error_code problem;
    if (!fs::exists(path, problem)) {
      if (problem) throw WorldError(fmt::format("{}: cannot be read: {}", path.string(), problem.message()));
      Finding finding = about_name(first, i, "no_such_file");
      finding.allowed = "a scenario file, from the folder of this one";
      finding.why = path.string() + " does not exist";
      findings.add(std::move(finding));
      continue;
    }
    if (fs::equivalent(path, own, problem)) {
      Finding finding = about_name(first, i, "names_itself");
      finding.fix = "remove it; for two equal jobs copy the file";
      finding.why = "it is this scenario itself";
      findings.add(std::move(finding));
      continue;
    }
    Loaded<ScenarioFile> loaded = load_scenario(path);
    findings.append(loaded.findings);
    if (!loaded.value) continue;
    if (!loaded.value->scenario.run.concurrent_jobs.empty()) {
      Finding finding;
      finding.code = "nested";
      finding.file = loaded.value->file;
      finding.pointer = kConcurrentJobs;
      finding.got = value_at(*find_field(kConcurrentJobs), loaded.value->scenario);
      finding.allowed = "nothing in a file that another one names";
      finding.fix = "remove it, and name all jobs in " + first.file;
      findings.add(std::move(finding));
    }
    first.concurrent_jobs.push_back(std::move(*loaded.value));
  }
}

ScenarioFile on_storage_of(const ScenarioFile& first, const ScenarioFile& job) {
  ScenarioFile out = job;
  out.scenario.storage = first.scenario.storage;
  out.scenario.server_cache = first.scenario.server_cache;
  for (const Field& field : field_table()) {
    if (!is_shared(field)) continue;
    out.given.erase(field.pointer);
    out.overridden.erase(field.pointer);
    if (first.given.contains(field.pointer)) out.given.insert(field.pointer);
    if (first.overridden.contains(field.pointer)) out.overridden.insert(field.pointer);
  }
  return out;
}

Findings check_same_storage(const ScenarioFile& job, const ScenarioFile& first, const Scenario& resolved) {
  Findings findings;
  for (const Field& field : field_table()) {
    if (!is_shared(field) || !job.given.contains(field.pointer)) continue;
    if (field.get(job.scenario) == field.get(resolved)) continue;
    findings.add({Severity::kError, "contradiction", job.file, field.pointer, value_at(field, job.scenario),
                  value_at(field, resolved), "remove it",
                  fmt::format("{} names this job to run on its storage", first.file)});
  }
  return findings;
}

Findings check_shared_storage(const ScenarioFile& first, const Scenario& resolved) {
  Findings findings;
  if (resolved.storage.scope != TierScope::kPerNode) return findings;
  findings.add({Severity::kError, "contradiction", first.overridden.contains(kConcurrentJobs) ? "--set" : first.file,
                kConcurrentJobs, value_at(*find_field(kConcurrentJobs), resolved),
                "nothing when the storage is in every node", "remove it, or name a /storage/tier that is shared",
                "these jobs share no storage"});
  return findings;
}

bool told_already(const Finding& finding, const Findings& earlier) {
  const bool shared = finding.pointer.starts_with("/storage/") || finding.pointer.starts_with("/server_cache/");
  if (!shared) return false;
  const auto& list = earlier.list();
  return std::any_of(list.begin(), list.end(), [&](const Finding& other) {
    return other.code == finding.code && other.pointer == finding.pointer;
  });
}

}  // namespace stallcast
