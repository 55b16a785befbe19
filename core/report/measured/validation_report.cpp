#include "core/report/measured/validation_report.h"

#include <fmt/format.h>

#include <cmath>

#include "core/result/program_version.h"

namespace stallcast {

namespace {

using nlohmann::ordered_json;

ordered_json outputs_json(const RunOutputs& o) {
  const auto number = [](double x) { return std::isfinite(x) ? ordered_json(x) : ordered_json(); };
  return {{"au", number(o.au)}, {"au_steady", number(o.au_steady)}, {"samples_per_s", number(o.samples_per_s)}};
}

ordered_json summary_json(const ErrorSummary& e) {
  return {{"count", e.count},   {"bias", e.bias}, {"mape", e.mean},
          {"median", e.median}, {"p90", e.p90},   {"worst", e.worst}};
}

ordered_json predictor_json(const PredictorScore& score) {
  return {{"au_steady", summary_json(score.au_steady)},
          {"au", summary_json(score.au)},
          {"samples_per_s", summary_json(score.samples_per_s)}};
}

std::string_view source_name(DrawSource source) { return source == DrawSource::kRecorded ? "recorded" : "random"; }

}  // namespace

std::string render_validation_text(const Validation& v) {
  std::string out = fmt::format("{:<36} {:>7} {:>7} {:>7}   {:>9} {:>9} {:>7}\n", "case", "AU pred", "AU meas", "error",
                                "pred /s", "meas /s", "error");
  for (const ValidationCase& c : v.cases) {
    const std::string name = fmt::format("{} #{}", c.id, c.repeat);
    if (!c.measured) {
      out += fmt::format("{:<36} {:>7.3f} {:>7} {:>7}   {:>9.1f}\n", name, c.predicted.au_steady, "-", "-",
                         c.predicted.samples_per_s);
      continue;
    }
    out += fmt::format(
        "{:<36} {:>7.3f} {:>7.3f} {:>+6.1f}p   {:>9.1f} {:>9.1f} {:>+6.1f}%\n", name, c.predicted.au_steady,
        c.measured->au_steady, 100.0 * (c.predicted.au_steady - c.measured->au_steady), c.predicted.samples_per_s,
        c.measured->samples_per_s, 100.0 * (c.predicted.samples_per_s / c.measured->samples_per_s - 1.0));
  }
  out += fmt::format(
      "\nSteady-state GPU utilization, absolute error in percentage points ({} draws)\n"
      "{:<16} {:>4}  {:>6} {:>6} {:>6} {:>6} {:>6}   {:>14}   {:>14}\n"
      "{:<16} {:>4}  {:>6} {:>6} {:>6} {:>6} {:>6}   {:>14}   {:>14}\n",
      source_name(v.draws), "", "", "", "", "", "", "", "min of rates", "repeats differ", "mechanism", "runs", "bias",
      "mean", "median", "P90", "worst", "median    P90", "median    P90");
  for (const MechanismScore& s : v.scores) {
    const ErrorSummary &e = s.model.au_steady, &b = s.bound.au_steady, &n = s.repeat_noise.au_steady;
    const std::string noise = n.count > 0 ? fmt::format("{:>6.1f} {:>6.1f}", n.median, n.p90) : "-";
    out += fmt::format("{:<16} {:>4}  {:>+6.1f} {:>6.1f} {:>6.1f} {:>6.1f} {:>6.1f}   {:>6.1f} {:>7.1f}   {:>14}\n",
                       s.mechanism, e.count, e.bias, e.mean, e.median, e.p90, e.worst, b.median, b.p90, noise);
  }
  out += fmt::format(
      "\nSamples per second, absolute error in percent\n{:<16} {:>4}  {:>6} {:>6} {:>6} {:>6} {:>6}   {:>14}   "
      "{:>14}\n",
      "mechanism", "runs", "bias", "MAPE", "median", "P90", "worst", "median    P90", "median    P90");
  for (const MechanismScore& s : v.scores) {
    const ErrorSummary &e = s.model.samples_per_s, &b = s.bound.samples_per_s, &n = s.repeat_noise.samples_per_s;
    const std::string noise = n.count > 0 ? fmt::format("{:>6.1f} {:>6.1f}", n.median, n.p90) : "-";
    out += fmt::format("{:<16} {:>4}  {:>+6.1f} {:>6.1f} {:>6.1f} {:>6.1f} {:>6.1f}   {:>6.1f} {:>7.1f}   {:>14}\n",
                       s.mechanism, e.count, e.bias, e.mean, e.median, e.p90, e.worst, b.median, b.p90, noise);
  }
  out += fmt::format("\n{} of {} records answered.", v.cases.size(), v.cases.size() + v.unknown.size());
  for (const UnknownRun& u : v.unknown) out += fmt::format("\nUNKNOWN {}: {}", u.id, u.reason);
  return out + "\n";
}

ordered_json validation_json(const Validation& v) {
  ordered_json cases = ordered_json::array(), unknown = ordered_json::array(), summary = ordered_json::object();
  for (const ValidationCase& c : v.cases)
    cases.push_back({{"id", c.id},
                     {"repeat", c.repeat},
                     {"mechanism", c.mechanism},
                     {"predicted", outputs_json(c.predicted)},
                     {"measured", c.measured ? outputs_json(*c.measured) : ordered_json()},
                     {"min_of_rates", outputs_json(c.bound)}});
  for (const UnknownRun& u : v.unknown) unknown.push_back({{"id", u.id}, {"reason", u.reason}});
  for (const MechanismScore& s : v.scores)
    summary[s.mechanism] = {{"model", predictor_json(s.model)},
                            {"min_of_rates", predictor_json(s.bound)},
                            {"repeats_differ", predictor_json(s.repeat_noise)}};
  return {{"format_version", 1},
          {"program_version", program_version()},
          {"draws", source_name(v.draws)},
          {"cases", cases},
          {"unknown", unknown},
          {"summary", summary}};
}

}  // namespace stallcast
