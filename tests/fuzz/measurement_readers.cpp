// Results of measuring tools, as files that calibrate a scenario.
#include <cmath>

#include "core/calibrate/calibration.h"
#include "core/calibrate/read/measurements.h"
#include "core/calibrate/read/read_dlio.h"
#include "core/calibrate/read/read_elbencho.h"
#include "core/calibrate/read/read_fio.h"
#include "core/calibrate/read/read_gdsio.h"
#include "core/calibrate/read/read_metrics.h"
#include "core/calibrate/read/read_trace.h"
#include "core/calibrate/read/trace_events.h"
#include "core/calibrate/tier_record.h"
#include "core/diagnostics/json_input.h"
#include "core/probe/result/probe_json.h"
#include "core/report/measured/calibration_text.h"
#include "tests/fuzz/checks.h"
#include "tests/fuzz/readers.h"

namespace stallcast::fuzz {
namespace {

void check_calibration(const CalibrationInput& input) {
  const Loaded<Calibration> calibration = calibrate(small_job(), small_job_resolved(), input);
  check_loaded(calibration);
  if (!calibration.ok()) return;
  const Loaded<ScenarioFile> file = parse_scenario(calibration.value->document, "job.json");
  for (const Finding& finding : file.findings.list())
    throw Broken("calibrated, but not read: " + render_finding(finding));
  check_scenario_file(*file.value);
  (void)calibration_json(*calibration.value, nullptr).dump();
  (void)render_text(*calibration.value, nullptr, TextStyle());
  if (!calibration.value->fit) return;
  const TierLabel label{"measured", "Measured", {"a", "b", "2026-11-22", "2026-11-22"}, TierScope::kPerNode};
  (void)tier_record(*calibration.value->fit, label).dump();
}

// What a reader took goes into a scenario.
void check_measurements(const Loaded<Measurements>& measured) {
  check_loaded(measured);
  if (!measured.ok()) return;
  for (const Observation& observation : measured.value->observations)
    require(std::isfinite(observation.value) && std::isfinite(observation.spread),
            "an observation that is no number: " + observation.quantity);
  for (const FieldMeasurement& field : measured.value->fields)
    require(field.low_factor > 0.0 && field.low_factor <= 1.0 && field.high_factor >= 1.0 &&
                std::isfinite(field.high_factor),
            "an interval that does not hold its value: " + field.pointer);
  check_calibration({{}, {*measured.value}});
}

void read_any(std::string_view content) {
  check_measurements(read_measurements(file_of(content, "measured"), &shipped_catalogue()));
}

void read_fio(std::string_view content) {
  check_measurements(read_fio_json(content, "fio.json"));
  check_measurements(read_fio_terse(content, "fio.txt"));
}

void read_elbencho(std::string_view content) {
  check_measurements(read_elbencho_csv(file_of(content, "elbencho.csv")));
}

void read_gdsio_text(std::string_view content) { check_measurements(read_gdsio(content, "gdsio.txt")); }

void read_metrics_text(std::string_view content) { check_measurements(read_metrics(content, "metrics.txt")); }

void read_dlio_results(std::string_view content) {
  const Loaded<nlohmann::ordered_json> json = parse_json_text(content, "summary.json");
  if (!json.ok()) return;
  if (looks_like_dlio_summary(*json.value)) check_measurements(read_dlio_summary(*json.value, "summary.json"));
  if (looks_like_dlio_epochs(*json.value)) check_measurements(read_dlio_epochs(*json.value, "epochs.json"));
}

void read_trace(std::string_view content) {
  const std::filesystem::path path = file_of(content, "trace.json.gz");
  for (const bool bare : {false, true}) {
    const Loaded<TraceEvents> events = read_trace_events(path, bare);
    check_loaded(events);
    if (events.ok()) check_measurements(read_traces({*events.value, *events.value}, "trace.json.gz"));
  }
}

void read_probe(std::string_view content) {
  const Loaded<ProbeResult> probe = load_probe(file_of(content, "probe.json"));
  check_loaded(probe);
  if (!probe.ok()) return;
  const nlohmann::ordered_json written = probe_to_json(*probe.value, "1");
  const Loaded<ProbeResult> again = probe_from_json(written, "probe.json");
  for (const Finding& finding : again.findings.list())
    throw Broken("written, but not read: " + render_finding(finding));
  require(probe_to_json(*again.value, "1") == written, "a probe reads back as another");
  check_calibration({{{"probe.json", *probe.value}}, {}});
}

}  // namespace

std::vector<Reader> measurement_readers() {
  return {{"measurements", read_any},     {"fio", read_fio},
          {"elbencho", read_elbencho},    {"gdsio", read_gdsio_text},
          {"metrics", read_metrics_text}, {"dlio_results", read_dlio_results},
          {"trace", read_trace},          {"probe", read_probe}};
}

}  // namespace stallcast::fuzz
