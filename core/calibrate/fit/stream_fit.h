// What the kernel's read-ahead makes of readers that go through their files in order.
//
// **Model** Read-ahead keeps requests in flight that the reader did not ask for, and puts them into memory that the
// reader copies from. In a scenario such a reader asks for r bytes at a time and waits for them (dataset.request_size),
// so r is the request with which the storage's law gives one reader the rate that was measured: r X(1, r) = v. A wide
// window, and several requests behind it, make a large r. Where twice as many readers get hardly more together, what
// they get is the bandwidth of this way, whatever the storage gives to reads that pass the page cache by: allocating
// and copying pages takes the cores' time.
// **Checked by** StreamFit tests.
#pragma once

#include <vector>

#include "core/calibrate/fit/storage_fit.h"

namespace stallcast {

struct StreamFit {
  FittedNumber request_bytes;  // r; not known where there are no streams
  FittedNumber bytes_per_s;    // of all readers; not known where more of them still gained
  StorageLaw law;              // of this way: no rate of a stream, and the bandwidth if it is lower
  std::size_t points = 0;

  // That one reader gets.
  double alone_bytes_per_s(double request) const;
};

// From the points of pattern kStream. `law` is the one that the scenario holds; the intervals are of the scatter of
// `fit` and of the points' own.
// **Range** request_bytes is within 4 KiB and 8 MiB, and its interval within a factor of nine.
StreamFit fit_streams(const std::vector<ReadPoint>& points, const StorageLaw& law, const StorageFit& fit);

}  // namespace stallcast
