// A scenario with measured values in the place of assumed ones: what changed, what it was, and what stayed assumed.
//
// Operating points of the storage become the tier's latency, bandwidth and limits by storage_fit.h; other measurements
// are values of fields already. What a measurement knows to an interval goes to run.uncertain, so that every prediction
// carries it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/calibrate/fit/storage_fit.h"
#include "core/calibrate/read/measurements.h"
#include "core/probe/result/probe_result.h"
#include "core/scenario/resolve/resolved_scenario.h"

namespace stallcast {

struct ProbeFile {
  std::string file;
  ProbeResult probe;
};

// What there is to calibrate with, in the order it was named.
struct CalibrationInput {
  std::vector<ProbeFile> probes;
  std::vector<Measurements> measurements;
};

// A field that got a measured value, or a setting of the recorded run.
struct ValueChange {
  std::string pointer;
  std::string before;         // "1 ms", as in a file
  std::string before_origin;  // "tier/nfs, assumed", "the file", "default"
  std::string after;
  double low_factor = 1.0, high_factor = 1.0;  // 90 % interval; both 1 = not known
  std::string source;
  bool is_setting = false;
};

// A field that a measurement could settle and none did.
struct OpenValue {
  std::string pointer;
  std::string value;
  std::string origin;
  std::string measured_by;  // "stallcast probe", ...
};

struct Calibration {
  nlohmann::ordered_json document;  // the scenario file with the measured values
  std::vector<ValueChange> changes;
  std::vector<OpenValue> still_assumed;
  std::vector<Observation> observations;
  std::optional<StorageFit> fit;
};

// Puts what `input` says into the scenario file `document`, which resolved to `before`. Where two measurements give the
// same field, the one named last counts, with a warning.
// **Model** Operating points become values of the storage by storage_fields.h. The file is a what-if: costs that were
// measured take the place of its own, settings (num_workers, ...) that it gives stay, those of the machine too where it
// names an instance; a setting that it leaves open is the recorded run's.
// **Errors** findings: "probe_refused" with the probe's own reasons, "nothing_measured", those of fit_storage and, of a
// value that no scenario can hold, of value_from_json; warnings "measured_twice", "another_setting" where the recorded
// run had another than the file, and "another_storage" where the measurement is far from what the named tier can be.
Loaded<Calibration> calibrate(const nlohmann::ordered_json& document, const ResolvedScenario& before,
                              const CalibrationInput& input);

}  // namespace stallcast
