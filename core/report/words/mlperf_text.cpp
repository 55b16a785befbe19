#include "core/report/words/mlperf_text.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <utility>

namespace stallcast {

namespace {

using nlohmann::ordered_json;

double in_percent(double fraction) { return 100.0 * fraction; }

std::string score_line(const std::string& name, const MlperfScore& s, const char* unit) {
  if (s.cases == 0) return fmt::format("  {:<30}   no cases\n", name);
  return fmt::format(
      "  {:<30} {:>3} cases  bias {:>+6.2f}  mean {:>5.2f}  median {:>5.2f}  P90 {:>5.2f}  worst {:>5.2f} {}"
      "  trivial {:>5.2f}  skill {:>+5.2f}\n",
      name, s.cases, in_percent(s.bias), in_percent(s.mean), in_percent(s.median), in_percent(s.p90),
      in_percent(s.worst), unit, in_percent(s.trivial_mean), s.skill);
}

ordered_json or_null(double value) {
  return value > 0.0 && std::isfinite(value) ? ordered_json(value) : ordered_json();
}

ordered_json fit_json(const MlperfFit& fit) {
  return {{"framework_step_s", fit.framework_step.base()},
          {"host_serial_step_s", or_null(fit.host_serial_step.base())},
          {"host_read_cap_bytes_per_s", or_null(fit.host_read_cap.base())},
          {"storage_read_cap_bytes_per_s", or_null(fit.storage_read_cap.base())},
          {"first_batch_s", fit.first_batch.base()},
          {"seen_read_rate_bytes_per_s", fit.seen_read_rate.base()},
          {"first_read_rate_bytes_per_s", or_null(fit.first_read_rate.base())},
          {"au", fit.au}};
}

ordered_json score_json(const MlperfScore& s) {
  return {{"cases", s.cases},
          {"bias", s.bias},
          {"mean_abs", s.mean},
          {"median_abs", s.median},
          {"p90_abs", s.p90},
          {"worst_abs", s.worst},
          {"trivial_mean_abs", s.trivial_mean},
          {"skill", s.trivial_mean > 0.0 ? ordered_json(s.skill) : ordered_json()}};
}

ordered_json outcome_json(const MlperfOutcome& o) { return {{"au", o.au}, {"samples_per_s", o.samples_per_s}}; }

ordered_json reason_json(const std::string& reason) { return reason.empty() ? ordered_json() : ordered_json(reason); }

ordered_json row_json(const MlperfRow& row) {
  return {{"accelerators", row.accelerators},
          {"hosts", row.hosts},
          {"read_threads", row.threads()},
          {"read_threads_assumed", !row.read_threads.has_value()},
          {"accelerator_inferred", row.accelerator_inferred},
          {"au", row.au},
          {"samples_per_s", row.samples_per_s}};
}

template <class... T>
void add(std::string& out, fmt::format_string<T...> text, T&&... values) {
  fmt::format_to(std::back_inserter(out), text, std::forward<T>(values)...);
}

void add_scaling_cases(const MlperfReport& report, std::string& out) {
  add(out, "SCALING: calibrated at the lowest accelerator count of a family, predicted at the highest\n");
  add(out, "trivial: the near end's AU and rate per accelerator; ? = not identified, shown and not scored\n\n");
  for (const bool adds_hosts : {false, true}) {
    add(out, "{}\n", adds_hosts ? "Hosts added with the accelerators" : "Same hosts");
    add(out, "  {:<77} {:>11}  {:<15} {:>6} {:>6} {:>7} {:>7}   {:>7} {:>7}\n", "family", "hosts", "near end shows",
        "AU", "pred.", "error", "trivial", "rate", "trivial");
    for (const MlperfScalingCase& c : report.scaling) {
      if (c.adds_hosts() != adds_hosts) continue;
      add(out, "{} {:<77} {:>4} -> {:>3}  {:<15} {:>6.2f} {:>6.2f} {:>+7.2f} {:>+7.2f}   {:>+6.1f}% {:>+6.1f}%\n",
          c.unknown_reason.empty() ? " " : "?", c.id, c.near_end.hosts, c.far_end.hosts, c.limit,
          in_percent(c.measured.au), in_percent(c.predicted.au), in_percent(c.predicted.au - c.measured.au),
          in_percent(c.trivial.au - c.measured.au),
          in_percent(c.predicted.samples_per_s / c.measured.samples_per_s - 1.0),
          in_percent(c.trivial.samples_per_s / c.measured.samples_per_s - 1.0));
    }
    add(out, "\n");
  }
}

void add_scaling_summary(const MlperfReport& report, std::string& out) {
  for (const MlperfScalingSummary& s : report.scaling_summary) {
    out += score_line(s.name + ", AU", s.au, "points");
    out += score_line(s.name + ", samples/s", s.samples_per_s, "%");
    if (s.au.cases > 0)
      add(out, "  {:<30} halfway from the near end to the pass mark, a guess without any model: mean {:.2f} points\n",
          "", in_percent(s.halfway_mean));
  }
  add(out, "  hosts added, as an upper bound: published at most 2 points above predicted in {:.0f} % of cases\n",
      in_percent(report.bound_kept));
  const MlperfScore* answered = nullptr;
  for (const MlperfScalingSummary& s : report.scaling_summary) {
    if (s.name == "all answered") answered = &s.au;
  }
  if (answered != nullptr && answered->cases > 0) {
    const bool passes = answered->mean <= kMlperfPassError && answered->skill >= kMlperfPassSkill;
    add(out,
        "  pass mark: mean AU error at most {:.0f} points and skill at least {:.1f}: {}; answered {} of {} families\n",
        in_percent(kMlperfPassError), kMlperfPassSkill, passes ? "passed" : "NOT passed", answered->cases,
        report.scaling.size());
  }
}

void add_transfer(const MlperfReport& report, std::string& out) {
  add(out,
      "\nACCELERATOR TRANSFER: largest passing A100 count from the H100 result, and the H100's AU from the A100 "
      "result\n");
  add(out, "trivial: counts scale with the step time; AU does not change\n\n");
  add(out, "  {:<77} {:>4} {:>5} {:>5} {:>8} {:>8}   {:>6} {:>6} {:>7} {:>7}\n", "system and workload", "H100", "A100",
      "pred.", "error", "trivial", "AU", "pred.", "error", "trivial");
  for (const MlperfTransferCase& c : report.transfer) {
    add(out, "{} {:<77} {:>4} {:>5.0f} {:>5.0f} {:>+7.1f}% {:>+7.1f}% {} {:>6.2f} {:>6.2f} {:>+7.2f} {:>+7.2f}\n",
        c.unknown_reason.empty() ? " " : "?", c.id, c.h100.accelerators, c.measured_count, c.predicted_count,
        in_percent(c.predicted_count / c.measured_count - 1.0), in_percent(c.trivial_count / c.measured_count - 1.0),
        c.carry_unknown_reason.empty() ? " " : "?", in_percent(c.measured_au), in_percent(c.predicted_au),
        in_percent(c.predicted_au - c.measured_au), in_percent(c.trivial_au - c.measured_au));
  }
  add(out, "\n");
  out += score_line("A100 count", report.transfer_count, "%");
  out += score_line("H100 AU from the A100 row", report.carry_au, "points");
  add(out, "  as an upper bound (submitters may stop early): published at most 1.1 x predicted in {:.0f} % of cases\n",
      in_percent(report.transfer_bound_kept));
}

}  // namespace

std::string render_mlperf_text(const MlperfReport& report) {
  std::string out;
  add_scaling_cases(report, out);
  add_scaling_summary(report, out);
  add_transfer(report, out);

  if (!report.unknown.empty()) add(out, "\nUNKNOWN\n");
  for (const UnknownRun& u : report.unknown) add(out, "  {}\n    {}\n", u.id, u.reason);
  add(out,
      "\nAssumed: read_threads 4 (unet3d, cosmoflow) or 8 (resnet50) where the table has none; 500 steps per epoch "
      "where it\n"
      "has no number of files; framework cost per step 4.5 ms (unet3d), 1.27 ms (resnet50), 0.73 ms (cosmoflow), from\n"
      "single-accelerator rows of other systems; storage behind added hosts does not bind.\n");
  return out;
}

ordered_json mlperf_json(const MlperfReport& report) {
  ordered_json scaling = ordered_json::array(), summary = ordered_json::array(), transfer = ordered_json::array(),
               unknown = ordered_json::array();
  for (const MlperfScalingCase& c : report.scaling) {
    scaling.push_back({{"id", c.id},
                       {"adds_hosts", c.adds_hosts()},
                       {"near_end", row_json(c.near_end)},
                       {"far_end", row_json(c.far_end)},
                       {"limit", c.limit},
                       {"fit", fit_json(c.fit)},
                       {"predicted", outcome_json(c.predicted)},
                       {"measured", outcome_json(c.measured)},
                       {"trivial", outcome_json(c.trivial)},
                       {"unknown_reason", reason_json(c.unknown_reason)}});
  }
  for (const MlperfScalingSummary& s : report.scaling_summary)
    summary.push_back({{"name", s.name},
                       {"au", score_json(s.au)},
                       {"samples_per_s", score_json(s.samples_per_s)},
                       {"halfway_to_pass_mark_mean_abs", s.halfway_mean}});
  for (const MlperfTransferCase& c : report.transfer) {
    transfer.push_back(
        {{"id", c.id},
         {"h100", row_json(c.h100)},
         {"a100", row_json(c.a100)},
         {"from_h100", fit_json(c.from_h100)},
         {"from_a100", fit_json(c.from_a100)},
         {"a100_count",
          {{"predicted", c.predicted_count}, {"measured", c.measured_count}, {"trivial", c.trivial_count}}},
         {"h100_au", {{"predicted", c.predicted_au}, {"measured", c.measured_au}, {"trivial", c.trivial_au}}},
         {"unknown_reason", reason_json(c.unknown_reason)},
         {"carry_unknown_reason", reason_json(c.carry_unknown_reason)}});
  }
  for (const UnknownRun& u : report.unknown) unknown.push_back({{"id", u.id}, {"reason", u.reason}});
  return {{"scaling", {{"cases", scaling}, {"summary", summary}, {"bound_kept_fraction", report.bound_kept}}},
          {"transfer",
           {{"cases", transfer},
            {"summary",
             {{"a100_count", score_json(report.transfer_count)},
              {"bound_kept_fraction", report.transfer_bound_kept},
              {"h100_au", score_json(report.carry_au)}}}}},
          {"unknown", unknown}};
}

}  // namespace stallcast
