// Results of gdsio, NVIDIA's benchmark of GPUDirect Storage, as operating points.
#pragma once

#include <string>
#include <string_view>

#include "core/calibrate/read/measurements.h"

namespace stallcast {

bool looks_like_gdsio(std::string_view text);

// Each result "IoType: READ XferType: GPUD Threads: 4 DataSetSize: 8/4(KiB) IOSize: 4(KiB) Throughput: 1 GiB/sec,
// Avg_Latency: 5 usecs ops: 2 total_time 1 secs", also broken over lines, whatever stands around it. Writes are left
// out. The way of transfer becomes part of the engine: "gdsio GPUD".
// **Model** in_flight = Threads, times IoDepth for batches; bytes = the first DataSetSize, seconds = total_time. gdsio
// reads past the page cache except with a cached XferType. With asynchronous ways more can be in flight than is
// written: by Little's law, ops / total_time * Avg_Latency over 1.5 times in_flight, the result is left out with the
// warning "not_one_point".
// **Errors** findings "missing_value", "wrong_unit", "not_a_number", "out_of_range", "contradiction" (throughput is not
// bytes / time within 10 %), "no_reads".
// **Source** NVIDIA GPUDirect Storage Benchmarking and Configuration Guide, gdsio.
Loaded<Measurements> read_gdsio(std::string_view text, const std::string& file);

}  // namespace stallcast
