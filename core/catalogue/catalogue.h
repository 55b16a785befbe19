// Everything under models/: what machines, storage tiers, workloads and loaders do, as far as anyone has published it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/catalogue/records.h"
#include "core/diagnostics/finding.h"

namespace stallcast {

struct CatalogueRow {
  std::string kind;  // "tier", "instance", ...
  std::string name;
  std::string title;
  std::string status;  // "current" or "legacy"
};

struct Catalogue {
  std::filesystem::path directory;
  std::map<std::string, GpuRecord> gpus;
  std::map<std::string, InstanceRecord> instances;
  std::map<std::string, TierRecord> tiers;
  std::map<std::string, WorkloadRecord> workloads;
  std::map<std::string, LoaderRecord> loaders;
  std::map<std::string, CollectiveRecord> collectives;

  // Every record, by kind and then by name.
  std::vector<CatalogueRow> list() const;
  std::vector<const Record*> records() const;

  // One record as text: what it is, then every number with its kind, source and note. `name` is "parallelstore" or,
  // where two kinds share a name, "tier/parallelstore".
  // **Errors** the finding "unknown_record" with the nearest name.
  Loaded<std::string> show_record(const std::string& name) const;
};

// The record `name` of `records`, or null and a finding "unknown_record" at `pointer` of `file` that names the nearest.
template <class R>
const R* find_record(const std::map<std::string, R>& records, const std::string& name, const std::string& kind,
                     const std::string& file, const std::string& pointer, Findings& findings);

// The finding for a name that is not there.
Finding unknown_record(const std::string& name, const std::string& kind, const std::vector<std::string>& known,
                       const std::string& file, const std::string& pointer);

// Reads every record under `directory`. Records that can be read are there even when others have errors.
// **Errors** WorldError when the directory cannot be read; findings for what a record does wrong: sourceless numbers
// ("sourceless_number", a warning), unknown keys, wrong units, missing numbers, names that lead nowhere.
Loaded<Catalogue> load_catalogue(const std::filesystem::path& directory);

// What is doubtful about numbers that can be read: sources read more than two years before `today` ("2026-11-21"),
// prices more than one year; numbers without a source. All warnings.
Findings check_catalogue(const Catalogue& catalogue, const std::string& today);

// Where the records are: $STALLCAST_MODELS, else beside the executable as installed (../share/stallcast/models) or as
// built (../models, ../../models), else the source tree that this program was built from.
// **Errors** WorldError naming the places looked at.
std::filesystem::path find_models_directory();

// --- implementation of the template ---

template <class R>
const R* find_record(const std::map<std::string, R>& records, const std::string& name, const std::string& kind,
                     const std::string& file, const std::string& pointer, Findings& findings) {
  const auto found = records.find(name);
  if (found != records.end()) return &found->second;
  std::vector<std::string> known;
  for (const auto& entry : records) known.push_back(entry.first);
  findings.add(unknown_record(name, kind, known, file, pointer));
  return nullptr;
}

}  // namespace stallcast
