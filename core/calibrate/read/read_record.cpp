#include "core/calibrate/read/read_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/units/student_t.h"
#include "core/validate/measured_run.h"

namespace stallcast {

namespace {

using Runs = std::vector<MeasuredRun>;

// Settings are chosen and must agree between repeats; the rest is measured. Of a machine the link to its GPUs is.
bool is_setting(const Field& field) {
  if (field.pointer == "/cluster/host_to_device_bandwidth") return false;
  return field.kind == FieldKind::kText || field.kind == FieldKind::kInteger || field.kind == FieldKind::kBoolean ||
         field.kind == FieldKind::kEnum || field.kind == FieldKind::kTextList || field.group == "cluster";
}

struct Spread {
  double mean = 0.0, sd = 0.0;
};

Spread spread_of(const std::vector<double>& values) {
  Spread out;
  const auto n = static_cast<double>(values.size());
  for (double v : values) out.mean += v / n;
  for (double v : values) out.sd += (v - out.mean) * (v - out.mean);
  out.sd = values.size() > 1 ? std::sqrt(out.sd / (n - 1.0)) : 0.0;
  return out;
}

// One number that stands for a field's size: what repeats are averaged by.
double size_of(const FieldValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* distribution = std::get_if<Distribution>(&value)) return mean_of(*distribution);
  if (const auto* line = std::get_if<LinearCost>(&value)) return line->base.base() + line->per_worker.base();
  if (const auto* curve = std::get_if<std::vector<CurvePoint>>(&value)) {
    double sum = 0.0;
    for (const CurvePoint& point : *curve) sum += point.time.base();
    return curve->empty() ? 0.0 : sum / static_cast<double>(curve->size());
  }
  return 0.0;
}

FieldValue times(FieldValue value, double factor) {
  if (auto* number = std::get_if<double>(&value)) *number *= factor;
  if (auto* d = std::get_if<Distribution>(&value)) {
    for (double* member : {&d->mean, &d->sd, &d->low, &d->high, &d->fast, &d->slow}) *member *= factor;
    for (double& quantile : d->quantiles) quantile *= factor;
  }
  if (auto* line = std::get_if<LinearCost>(&value)) *line = {line->base * factor, line->per_worker * factor};
  if (auto* curve = std::get_if<std::vector<CurvePoint>>(&value)) {
    for (CurvePoint& point : *curve) point.time = point.time * factor;
  }
  return value;
}

FieldMeasurement measured_field(const Field& field, const Runs& runs, const std::string& source) {
  FieldMeasurement out{field.pointer, field.get(runs.front().scenario), 1.0, 1.0, source, is_setting(field)};
  if (out.is_setting || runs.size() < 2) return out;
  std::vector<double> sizes;
  for (const MeasuredRun& run : runs) sizes.push_back(size_of(field.get(run.scenario)));
  const Spread spread = spread_of(sizes);
  if (sizes.front() <= 0.0 || spread.mean <= 0.0) return out;
  out.value = times(out.value, spread.mean / sizes.front());
  const auto n = static_cast<double>(sizes.size());
  const double t = student_t_quantile(n - 1.0, 0.95);
  const double half = t * spread.sd / std::sqrt(n) / spread.mean;
  out.low_factor = std::max(0.0, 1.0 - half);
  out.high_factor = 1.0 + half;
  // An interval as factors has a lower end above 0; so few and so different repeats leave the ratio's mirror image.
  if (out.low_factor <= 0.0) out.low_factor = 1.0 / out.high_factor;
  return out;
}

// The first setting in which two records differ, as a finding.
std::optional<Finding> differing_setting(const Runs& runs, const std::string& file) {
  for (const Field& field : field_table()) {
    if (!is_setting(field) || field.group == "run" || field.group.empty()) continue;
    for (const MeasuredRun& run : runs) {
      if (field.get(run.scenario) == field.get(runs.front().scenario)) continue;
      return Finding{.code = "several_settings",
                     .file = file,
                     .pointer = field.pointer,
                     .got = fmt::format("records \"{}\" and \"{}\", which differ in it", runs.front().id, run.id),
                     .allowed = "repeats of one setting",
                     .fix = "keep each setting in a file of its own",
                     .why = "one scenario describes one setting"};
    }
  }
  return std::nullopt;
}

// Mean and spread over the runs of one of their outcomes; nothing when no run knows it.
std::optional<Observation> observed(Observation described, double RunOutputs::*member, const Runs& runs) {
  std::vector<double> values;
  for (const MeasuredRun& run : runs) {
    if (run.measured && std::isfinite((*run.measured).*member)) values.push_back((*run.measured).*member);
  }
  if (values.empty()) return std::nullopt;
  const Spread spread = spread_of(values);
  described.value = spread.mean;
  described.spread = spread.sd;
  return described;
}

}  // namespace

Loaded<Measurements> read_record(const std::filesystem::path& path, const Catalogue* catalogue) {
  const Loaded<MeasuredRuns> loaded = load_measured_runs(path, catalogue);
  Loaded<Measurements> out;
  out.findings = loaded.findings;
  const Runs& runs = loaded.value->runs;
  if (runs.empty() && !out.findings.has_errors()) {
    std::string why = "the file holds no lines";
    if (!loaded.value->unknown.empty()) why = loaded.value->unknown.front().reason;
    out.findings.add({.code = "no_record",
                      .file = path.string(),
                      .pointer = "",
                      .got = fmt::format("{} records, none that can be used", loaded.value->unknown.size()),
                      .allowed = "records of stallcast_recorder.py",
                      .fix = "",
                      .why = why});
  }
  if (const auto differing = differing_setting(runs, path.string())) out.findings.add(*differing);
  if (out.findings.has_errors()) return out;

  Measurements m{path.string(), kRecorderTool, {}, {}, {}};
  const std::string source = fmt::format("{}: {} recorded run{} \"{}\"", path.filename().string(), runs.size(),
                                         runs.size() == 1 ? "" : "s,", runs.front().id);
  for (const Field& field : field_table()) {
    const bool stated = std::all_of(runs.begin(), runs.end(),
                                    [&](const MeasuredRun& run) { return run.stated.contains(field.pointer); });
    if (stated) m.fields.push_back(measured_field(field, runs, source));
  }
  for (const auto& o :
       {observed({"au", 0.0, 0.0, "compute time / wall time, start-up included", source}, &RunOutputs::au, runs),
        observed({"au_steady", 0.0, 0.0, "the same after the first max(1, workers * prefetch factor) steps", source},
                 &RunOutputs::au_steady, runs),
        observed({"samples_per_s", 0.0, 0.0, "samples of all ranks / wall time", source}, &RunOutputs::samples_per_s,
                 runs)}) {
    if (o) m.observations.push_back(*o);
  }
  out.value = std::move(m);
  return out;
}

}  // namespace stallcast
