// What the storage's law gives for a file read whole, in requests that follow one another.
#pragma once

#include <cstdint>

#include "core/calibrate/fit/storage_law.h"

namespace stallcast {

// Reads of at most kLargestRead that a file of `bytes` takes.
double requests_of(double bytes);

// The latency of a file over that of one random read: the reads after the first follow one another.
double latencies_of(const StorageLaw& law, double bytes);

// From open to close, alone.
double file_alone_s(const StorageLaw& law, double open_s, double bytes);

// The same with `readers` reading such files, each one after the other. **Model** a file is one request of the law,
// whose latency holds the device as long as before; opening holds nothing.
double file_among_s(const StorageLaw& law, double open_s, double bytes, std::int64_t readers);

}  // namespace stallcast
