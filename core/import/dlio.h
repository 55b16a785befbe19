// Benchmark workload files of DLIO and MLPerf Storage (YAML), turned into scenarios.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/diagnostics/finding.h"

namespace stallcast {

// What a workload file does not say: the machines and the storage.
struct DlioOptions {
  std::int64_t nodes = 1;
  std::int64_t gpus_per_node = 0;      // emulated accelerators per node; 0 = as the instance has, or 1 without one
  std::string instance;                // catalogue record, "" for a machine described by the scenario
  std::string tier;                    // catalogue record, "" leaves storage unlimited, with a warning
  std::vector<std::string> overrides;  // "++workload.reader.read_threads=12", as in result trees
};

// A scenario that simulates what DLIO would do with the workload file at `path`, holding only what the file and the
// options say; resolve() fills in the rest. Takes the root spelling and the one nested under `workload:`, old
// (`record_length`, `model: unet3d`, `data_reader`) and new key names.
//
// **Model** per rank `read_threads` workers that each load whole batches (pytorch: map style, prefetch_factor =
// ceil(prefetch_size / read_threads), or 2 when prefetch_size is 0), or a pool of as many threads that keeps
// prefetch_size batches ready (tensorflow: as tf.data; dali). Sizes vary as DLIO generates them: with
// c = stdev / (2 length), their deviation is length * sqrt((1 + c^2)^2 - 1). A transformer becomes /model, from which
// its checkpoints follow (dlio_checkpoint.h), all ranks writing.
// **Errors** WorldError when the file cannot be read. Findings: malformed YAML with line and column, wrong types,
// phases that train nothing and write no checkpoint. Unknown keys are warnings, as DLIO ignores them.
// **Source** DLIO benchmark (argonne-lcf/dlio_benchmark) and MLPerf Storage (mlcommons/storage), configuration files.
Loaded<nlohmann::ordered_json> import_dlio(const std::filesystem::path& path, const DlioOptions& options,
                                           const Catalogue& catalogue);

// The same from text; `file` names it in findings.
Loaded<nlohmann::ordered_json> import_dlio_text(const std::string& text, const std::string& file,
                                                const DlioOptions& options, const Catalogue& catalogue);

}  // namespace stallcast
