// Result files of elbencho (--csvfile) as operating points.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/calibrate/read/measurements.h"

namespace stallcast {

bool looks_like_elbencho_csv(std::string_view text);

// The rows of phase READ, by the names of the columns, which also say the units (ms, MiB/s, us).
// **Model** in_flight = hosts * threads * IO depth. The figures are those of the moment the first thread was done,
// while all were at work; when that came before half of the time, those of the end. relative_sd is the deviation of
// the two rates. In a folder, files of at most one block are read whole.
// An observation "straggler_spread" per row: (last - first) / last finish.
// **Errors** WorldError; findings of read_csv, "missing_column", "not_a_number", "out_of_range", "no_reads".
// **Source** elbencho, docs/csv-docs.md.
Loaded<Measurements> read_elbencho_csv(const std::filesystem::path& path);

}  // namespace stallcast
