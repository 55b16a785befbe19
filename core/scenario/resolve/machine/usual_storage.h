// What a shared file system around GPUs usually gives, for people who have not said where their job reads and writes.
#pragma once

#include <string>

#include "core/catalogue/catalogue.h"
#include "core/scenario/scenario.h"
#include "core/units/quantity.h"

namespace stallcast {

// A usual value, and the factors by which 5 and 95 of 100 systems differ from it.
template <class T>
struct UsualValue {
  T value{};
  double low = 1.0, high = 1.0;
};

struct UsualStorage {
  UsualValue<BytesPerSecond> read, write;                // of all machines together
  UsualValue<BytesPerSecond> client_read, client_write;  // of one machine
  UsualValue<Seconds> latency, open_latency;             // means; 0 where no record states one
  std::string rates_source, latency_source;
};

// **Model** rates: what NVIDIA advises for the storage of a DGX SuperPOD as "better", from "good" to "best". By that
// one machine of 8 GPUs reads 4, 8 or 40 GB/s and 32 of them 15, 40 or 125; of other sizes as much for each GPU, and
// all machines together no less than one. A machine counts with all GPUs that it has, however many of them the job
// takes. Latencies: the median, and 5 to 95 %, of the catalogue's file systems that machines share.
// **Source** NVIDIA DGX SuperPOD reference architecture RA-11333, table 6.
UsualStorage usual_storage(const Catalogue& catalogue, const ClusterSpec& cluster, const InstanceRecord* instance);

}  // namespace stallcast
