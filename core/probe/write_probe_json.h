// The result of a write probe as a document that `stallcast calibrate` reads.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/diagnostics/finding.h"
#include "core/probe/write_probe.h"

namespace stallcast {

inline constexpr int kWriteProbeFormatVersion = 1;

nlohmann::ordered_json write_probe_to_json(const WriteProbeResult& result, std::string_view program_version);

// Whether `document` says that it is one.
bool is_write_probe(const nlohmann::ordered_json& document);

// What calibration takes of it. **Units** bytes/s and seconds; 0 = not measured.
struct WriteRates {
  double write_bandwidth = 0.0;   // the most that reached storage
  double stream_rate = 0.0;       // of one stream past the page cache
  double buffer_bandwidth = 0.0;  // of one stream into the page cache
  double file_s = 0.0, synced_file_s = 0.0;
  double widen = 1.0;
  bool refused = false;
  std::string why;  // of a refusal
};

// **Errors** findings "unknown_version" and "wrong_type".
Loaded<WriteRates> write_rates_from_json(const nlohmann::ordered_json& document, const std::string& file);

}  // namespace stallcast
