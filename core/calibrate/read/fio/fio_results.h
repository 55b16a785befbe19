// What fio's JSON and its terse lines have in common: the version that wrote them, and that they hold reads.
#pragma once

#include <string>

#include "core/calibrate/read/measurements.h"
#include "core/calibrate/read/reader_tools.h"

namespace stallcast {

// Major version of "fio-3.33"; 0 when it cannot be told.
int fio_version(const std::string& version);

// `measured` with the findings about its file; nothing when any is an error.
// **Errors** "no_reads" when it holds none and nothing else is wrong
Loaded<Measurements> fio_results(Measurements measured, ReaderFindings& problems);

}  // namespace stallcast
