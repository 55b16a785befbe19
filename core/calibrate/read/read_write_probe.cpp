#include "core/calibrate/read/read_write_probe.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/diagnostics/json_input.h"
#include "core/probe/result/grade.h"
#include "core/probe/write_probe_json.h"

namespace stallcast {

bool holds_write_probe(const std::filesystem::path& path) {
  const Loaded<nlohmann::ordered_json> document = read_json_file(path);
  return document.value && is_write_probe(*document.value);
}

Loaded<Measurements> read_write_probe(const std::filesystem::path& path, const Scenario& scenario) {
  Loaded<Measurements> out;
  const Loaded<nlohmann::ordered_json> document = read_json_file(path);
  out.findings = document.findings;
  if (!document.ok()) return out;
  const Loaded<WriteRates> read = write_rates_from_json(*document.value, path.string());
  out.findings.append(read.findings);
  if (!read.ok()) return out;
  const WriteRates& rates = *read.value;
  if (rates.refused) {
    out.findings.add({Severity::kError, "probe_refused", path.string(), "", rates.why, "a probe that is not refused",
                      "probe once more, with more --time and --bytes", ""});
    return out;
  }
  Measurements measured;
  measured.file = path.string();
  measured.tool = "stallcast probe --write";
  const double spread = std::exp(k90Percent * kReferenceScatter * rates.widen);
  const auto add = [&](const char* pointer, FieldValue value, const char* what) {
    measured.fields.push_back({pointer, std::move(value), 1.0 / spread, spread,
                               fmt::format("{}: {}", path.filename().string(), what), false});
  };
  const bool own = scenario.storage.scope == TierScope::kPerNode;
  if (rates.write_bandwidth > 0.0) {
    add(own ? "/storage/write_bandwidth" : "/storage/client_write_bandwidth", rates.write_bandwidth,
        "the most that reached storage");
  }
  const bool cached =
      scenario.checkpoint.write_path == WritePath::kPageCache || scenario.checkpoint.write_path == WritePath::kSynced;
  if (scenario.checkpoint.mode != CheckpointMode::kNone && cached) {
    if (rates.buffer_bandwidth > 0.0)
      add("/checkpoint/buffer_bandwidth", rates.buffer_bandwidth, "one stream into the page cache");
    const bool synced = scenario.checkpoint.write_path == WritePath::kSynced;
    const double file_s = synced ? rates.synced_file_s : rates.file_s;
    if (file_s > 0.0)
      add("/checkpoint/file_time", file_s, synced ? "a new file of 4 KiB with its fsync" : "a new file of 4 KiB");
  }
  out.value = std::move(measured);
  return out;
}

}  // namespace stallcast
