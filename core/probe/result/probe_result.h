// What a live read probe found out, and what it thinks of itself.
#pragma once

#include <string>
#include <vector>

#include "core/probe/disk/read_point.h"

namespace stallcast {

// What is wrong with a probe.
struct ProbeFlaw {
  enum class Weight {
    kWiden,   // usable, its intervals grow by `widen`
    kRefuse,  // says nothing about the storage
  };
  std::string code;  // stable word: "page_cache", "rate_drifts", "noisy", "too_few_bytes", "one_visit",
                     // "one_request_size", "knee_not_reached", "timer", "errors", "throttled", "too_wide"; of
                     // objects also those of object_flaws
  Weight weight = Weight::kWiden;
  double widen = 1.0;  // >= 1
  std::string text;    // one sentence with the figures that show it
};

enum class ProbeTarget { kFile, kDirectory, kS3, kGcs, kHttps };

struct ProbeResult {
  ProbeTarget target_kind = ProbeTarget::kFile;
  std::string target;       // as the user named it; never holds credentials
  std::string started;      // UTC, "2026-11-21T20:13:24Z"
  std::string host;         // kernel and machine
  std::string file_system;  // "ext4", "lustre", "nfs4", ...; "" for objects
  int cores = 0;            // that the probe could use
  double seconds = 0.0;     // the whole of it took
  double bytes = 0.0;       // read from the target, all of it, warm-up included
  double allowed_seconds = 0.0, allowed_bytes = 0.0;
  double files_seen = 0.0, files_bytes = 0.0;  // in the target
  double fetched_bytes = -1.0;                 // from storage by the kernel for the probe in that time; < 0 = not known
  double cached_share = -1.0;  // of pages that the page cache held before they were read; < 0 = not known
  double timer_s = 0.0;        // smallest time that the clock tells apart
  bool interrupted = false;
  std::vector<ReadPoint> points;
  std::vector<ProbeFlaw> flaws;
  std::vector<std::string> notes;  // what was skipped and why, one sentence each

  bool refused() const;  // one flaw is enough
  double widen() const;  // product over flaws, >= 1
};

}  // namespace stallcast
