// The few figures of a probe that a person asks for first.
#pragma once

#include "core/probe/result/probe_result.h"

namespace stallcast {

// **Units** as the names say; 0 = not measured
struct ProbeSummary {
  const ReadPoint* alone = nullptr;          // smallest random requests, one at a time: latency
  const ReadPoint* most_requests = nullptr;  // random requests per second
  const ReadPoint* most_bytes = nullptr;     // bytes per second, of random reads and whole files
  const ReadPoint* knee = nullptr;           // the fewest in flight of the same requests that move 95 % of most_bytes
  const ReadPoint* one_stream = nullptr;     // through the page cache; else largest sequential requests, one at a time
  const ReadPoint* whole_files = nullptr;    // at their most files per second
  const ReadPoint* open = nullptr;           // one at a time
  const ReadPoint* stat = nullptr;
  const ReadPoint* list = nullptr;
};

// Points into `result`; null where there is none.
ProbeSummary summarise(const ProbeResult& result);

}  // namespace stallcast
