// Everything under models/: what machines, storage tiers, workloads and loaders do, as far as anyone has published it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/catalogue/records/records.h"
#include "core/diagnostics/finding.h"

namespace stallcast {

// Which catalogue a result comes from.
struct CatalogueIdentity {
  std::string directory;
  std::vector<std::string> overlays;  // in order: a later one takes precedence
  std::string hash;                   // of the names and bytes of all their files, in order: a name-based UUID (SHA-1)
};

struct Catalogue {
  CatalogueIdentity identity;
  std::map<std::string, GpuRecord> gpus;
  std::map<std::string, CpuRecord> cpus;
  std::map<std::string, InstanceRecord> instances;
  std::map<std::string, TierRecord> tiers;
  std::map<std::string, WorkloadRecord> workloads;
  std::map<std::string, LoaderRecord> loaders;
  std::map<std::string, FormatRecord> formats;
  std::map<std::string, CheckpointerRecord> checkpointers;
  std::map<std::string, CollectiveRecord> collectives;

  // Every record, by kind and then by name.
  std::vector<const Record*> records() const;
};

// "gpu", "instance", ...: in the order of records().
const std::vector<std::string>& record_kinds();

// Reads every record under `directory`, then those under each overlay. A record of an overlay takes the place of the
// one of its kind and name; with "extends" it is that other record, of the same overlay or from below it, with the
// facts and prices changed that it states (null takes one away). Records that can be read are there even when others
// have errors.
// **Errors** WorldError when a directory cannot be read; findings for what a record does wrong: sourceless numbers
// ("sourceless_number", a warning), unknown keys, wrong units, missing numbers, names that lead nowhere, records that
// contradict themselves, "extends_itself", "repeated_record", and "nothing_to_overlay" for an overlay without records.
Loaded<Catalogue> load_catalogue(const std::filesystem::path& directory,
                                 const std::vector<std::filesystem::path>& overlays = {});

// Where the records are: $STALLCAST_MODELS, else share/stallcast/models in the nearest folder above the executable's
// (an installed prefix, wherever it was moved; the build folder), else in the prefix that this library was made for.
// **Errors** WorldError naming the places looked at.
std::filesystem::path find_models_directory();

// The overlays that $STALLCAST_CATALOGUE names, separated by ":".
std::vector<std::filesystem::path> environment_overlays();

}  // namespace stallcast
