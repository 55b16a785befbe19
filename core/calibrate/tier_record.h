// A measured storage system as a record for an overlay of the catalogue (models/tiers/*.json).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/calibrate/fit/storage_fit.h"
#include "core/catalogue/records/record.h"
#include "core/scenario/scenario.h"

namespace stallcast {

struct TierLabel {
  std::string name;   // as scenarios will call it, "scratch_measured"
  std::string title;  // "Scratch file system, probed on node17"
  Source source;      // the measurement: title, file or address, date
  TierScope scope = TierScope::kShared;
};

// Every number that the fit knows, of kind "measured", with its 90 % interval as "low" and "high" where both are above
// 0; four significant digits.
// **Model** of a device in each node: read_bandwidth = B, request_time = s, latency, latency_held_fraction = h,
// stream_bandwidth, open_latency_mean, metadata_rate. Of a shared system only what one client sees is known:
// client_read_bandwidth = B, latency, stream_bandwidth, open_latency_mean. What one client gets in requests/s or
// opens/s and what of a latency is held has no field there (read_iops and metadata_rate are the whole system's), nor
// has the latency of sequential reads anywhere: status_note says them. A simulation waits for the latency and then
// moves bytes at the least of stream, client and fair rate, as the law does.
nlohmann::ordered_json tier_record(const StorageFit& fit, const TierLabel& label);

}  // namespace stallcast
