// What clients of storage reach of a network card's line rate.
#pragma once

#include <string_view>

#include "core/units/quantity.h"

namespace stallcast {

// Share of the line rate, with its 90 % interval. **Range** 0 < low <= value <= high < 1
struct NicEfficiency {
  double value, low, high;
  const char* source;
};

// Of the client of a tier as its record calls it; "" where it is not known.
// **Model** kernel clients and block devices move data over TCP or RDMA in many streams: headers take 1 to 6 % of a
// frame, and hosts that nobody tuned reach 0.9 of 100 Gb/s. Libraries of object stores and FUSE add TLS, HTTP and
// copies on the CPU, which faster cards outrun: straight lines in the logarithm of the rate between the published
// points, and the ends' values beyond them.
// **Source** ESnet, 100G host: 0.90 over TCP; s3-benchmark (dvassallo): 0.925 of 10 Gb/s, 0.87 of 25, 0.92 of 50, 0.50
// and 0.64 of 100; AnyBlob (Durner et al., PVLDB 16(11), 2023): 0.75 to 0.95 of 40 to 100 Gb/s; gcsfuse, benchmarks.md:
// 0.58 of 200 Gb/s.
// **Checked by** tests/core/scenario/nic_efficiency_test.cpp
NicEfficiency nic_efficiency(std::string_view client, BytesPerSecond line_rate);

}  // namespace stallcast
