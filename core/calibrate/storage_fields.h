// The fields of a scenario that a storage's fit has values for, as the job sees the storage that reads in its way.
#pragma once

#include <string>
#include <vector>

#include "core/calibrate/fit/storage_fit.h"
#include "core/calibrate/read/measurements.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// Points of which a storage was fitted, and what they are called.
struct FittedPoints {
  std::vector<ReadPoint> points;
  std::string files;  // "probe.json, fio.json"
};

// **Model** A storage of every node (scope per_node) gets the fitted law whole. Of a shared one, a single client has
// seen its own limit: client_read_bandwidth, latency, stream_bandwidth and open_latency are set, and what the tier
// delivers in all stays as it was.
// Reads that pass the page cache by tell nothing of what the kernel reads ahead. Where `points` have streams and the
// job reads through the page cache, these decide: a job that goes through its files in order gets dataset.request_size
// and no limit for a stream (stream_fit.h); a job of one sample per file gets the stream_bandwidth with which a mean
// sample, its first latency included, takes as long as the same bytes of a stream do, when it is longer than what is
// read ahead. The bandwidth of both is at most what all streams together got.
std::vector<FieldMeasurement> storage_fields(const StorageFit& fit, const FittedPoints& fitted,
                                             const Scenario& scenario);

}  // namespace stallcast
