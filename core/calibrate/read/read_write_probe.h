// A write probe's result as values of a scenario.
#pragma once

#include <filesystem>

#include "core/calibrate/read/measurements.h"

namespace stallcast {

// Whether the file at `path` holds a write probe. **Errors** WorldError when it cannot be read.
bool holds_write_probe(const std::filesystem::path& path);

// Of a storage that every node has for itself: write_bandwidth, what the page cache takes from one writer
// (buffer_bandwidth) and what a file costs beside its bytes (file_time, with an fsync where the software syncs). Of a
// shared one a single client has seen its own limit: client_write_bandwidth instead of write_bandwidth.
// **Errors** findings "probe_refused" with the probe's own reasons, and those of write_rates_from_json.
Loaded<Measurements> read_write_probe(const std::filesystem::path& path, const Scenario& scenario);

}  // namespace stallcast
