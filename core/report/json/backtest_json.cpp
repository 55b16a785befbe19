#include "core/report/json/backtest_json.h"

#include "core/result/json/run_result_json.h"
#include "core/result/program_version.h"

namespace stallcast {
namespace {

using nlohmann::ordered_json;

ordered_json fitted_json(const FittedNumber& number) {
  if (!number.known) return nullptr;
  return {{"value", number.value}, {"ci90_low", number.low}, {"ci90_high", number.high}};
}

ordered_json storage_json(const StorageFit& fit) {
  return {{"latency_s", fitted_json(fit.latency_s)},
          {"latency_sigma", fitted_json(fit.latency_sigma)},
          {"requests_per_s", fitted_json(fit.requests_per_s)},
          {"bytes_per_s", fitted_json(fit.bytes_per_s)},
          {"stream_bytes_per_s", fitted_json(fit.stream_bytes_per_s)},
          {"held_fraction", fitted_json(fit.held_fraction)},
          {"sequential_latency_ratio", fitted_json(fit.sequential_latency_ratio)},
          {"open_latency_s", fitted_json(fit.open_latency_s)},
          {"opens_per_s", fitted_json(fit.opens_per_s)}};
}

ordered_json inputs_json(const Backtest& b) {
  const BacktestInputs& in = b.inputs;
  return {{"files", b.files.files.size()},
          {"files_bytes", b.files.bytes},
          {"largest_sample_bytes", b.files.largest},
          {"file_notes", b.files.notes},
          {"cores", in.cores},
          {"effective_cores", effective_cores(in)},
          {"storage", storage_json(in.storage)},
          {"storage_widen", in.storage.widen},
          {"whole_file_s", in.whole_file_s},
          {"whole_file_bytes", in.whole_file_bytes},
          {"decode_s_per_byte_and_pass", in.decode_s_per_byte},
          {"decode_together_s_per_byte_and_pass", in.decode_together_s_per_byte},
          {"storage_times", in.storage_times},
          {"whole_file_times", in.whole_file_times},
          {"rested_times", in.rested_times},
          {"rest_s", in.rest_s},
          {"decode_noise", in.noise.decode},
          {"read_noise", in.noise.read},
          {"sleep_over_s", in.costs.sleep_over_s},
          {"busy_wake_s", in.costs.busy_wake_s},
          {"time_slice_s", time_slice_of(in).base()},
          {"next_ready_s", in.costs.next_ready_s},
          {"hand_off_s", in.costs.hand_off_s},
          {"worker_start_s", in.costs.worker_start_s},
          {"read_cpu_s_per_file", in.read_cpu.s_per_file},
          {"read_cpu_s_per_byte", in.read_cpu.s_per_byte},
          {"read_wall_s_per_file", in.read_cpu.wall_s_per_file},
          {"direct_reads", in.read_cpu.direct}};
}

ordered_json bracket_json(const Bracket& bracket) {
  return {{"at", bracket.at},
          {"decode_s_per_byte_and_pass", bracket.decode_s_per_byte},
          {"decode_together_s_per_byte_and_pass", bracket.decode_together_s_per_byte},
          {"read_alone_times", bracket.read_alone},
          {"read_together_times", bracket.read_together},
          {"read_rested_times", bracket.read_rested}};
}

ordered_json run_json(const LoaderRun& run, const Prediction& foreseen) {
  return {{"predicted_samples_per_s", estimate_to_json(foreseen.samples_per_s)},
          {"started", run.started},
          {"wall_s", run.wall_s},
          {"steps_s", run.steps_s},
          {"samples", run.samples},
          {"bytes", run.bytes},
          {"device_bytes", run.device_bytes},
          {"samples_per_s", run.samples_per_s()},
          {"utilization", run.utilization()},
          {"others_cpu_fraction", run.use.others_fraction},
          {"stolen_cpu_fraction", run.use.stolen_fraction}};
}

ordered_json setting_json(const Workload& workload, const SettingOutcome& o) {
  ordered_json out = {
      {"workload", o.setting.workload},
      {"workers", o.setting.workers},
      {"batch_size", o.setting.batch_size},
      {"prefetch_factor", o.setting.prefetch_factor},
      {"batches", o.setting.batches},
      {"decode_s", workload.decode_s},
      {"step_s", o.setting.step_s},
      {"predicted",
       {{"samples_per_s", estimate_to_json(o.predicted.samples_per_s)},
        {"utilization", estimate_to_json(o.predicted.utilization)}}},
      {"foreseen", {{"samples_per_s", o.foreseen_samples_per_s()}, {"utilization", o.foreseen_utilization()}}},
      {"runs", ordered_json::array()}};
  for (std::size_t i = 0; i < o.runs.size(); ++i) out["runs"].push_back(run_json(o.runs[i], o.foreseen_at(i)));
  out["measured"] = nullptr;
  if (o.measured()) {
    out["measured"] = {{"samples_per_s", o.samples_per_s()},
                       {"samples_per_s_relative_sd", o.noise()},
                       {"utilization", o.utilization()}};
    out["relative_error"] = o.error();
  }
  return out;
}

ordered_json score_json(const BacktestScore& score) {
  ordered_json knees = ordered_json::array();
  for (const Knee& knee : score.knees)
    knees.push_back(
        {{"workload", knee.workload}, {"predicted_workers", knee.predicted}, {"measured_workers", knee.measured}});
  return {{"settings", score.settings},
          {"mape", score.mape},
          {"mape_of_first_predictions", score.first_mape},
          {"bias", score.bias},
          {"worst", score.worst},
          {"utilization_error", score.utilization_error},
          {"repeat_difference", score.repeat_difference},
          {"inside_interval_fraction", score.inside_interval},
          {"knees", knees}};
}

ordered_json verdict_json(const BacktestVerdict& verdict) {
  ordered_json out = {{"mape_limit", verdict.limit}, {"quiet", verdict.quiet()},
                      {"unrest", verdict.unrest},    {"holds", nullptr},
                      {"most_noise", kMostNoise},    {"rate_drift", verdict.rest.drift}};
  if (verdict.quiet()) out["holds"] = verdict.holds;
  return out;
}

}  // namespace

ordered_json backtest_json(const Backtest& b) {
  ordered_json out = {{"format_version", kBacktestFormatVersion},
                      {"program_version", program_version()},
                      {"target", b.target},
                      {"seed", b.options.seed},
                      {"predicted_at", b.predicted_at},
                      {"started_at", b.started_at},
                      {"ended_at", b.ended_at},
                      {"interrupted", b.interrupted},
                      {"inputs", inputs_json(b)},
                      {"settings", ordered_json::array()}};
  std::size_t i = 0;
  for (const Workload& workload : b.workloads)
    for (std::size_t k = 0; k < workload.settings.size() && i < b.outcomes.size(); ++k)
      out["settings"].push_back(setting_json(workload, b.outcomes[i++]));
  out["score"] = score_json(b.score);
  out["machine"] = {{"others_cpu_fraction", b.use.others_fraction},
                    {"stolen_cpu_fraction", b.use.stolen_fraction},
                    {"load_average_before", b.load_before}};
  const BracketDrift drift = drift_between(b.brackets);
  out["machine"]["decode_difference_between_brackets"] = drift.decode;
  out["machine"]["read_difference_between_brackets"] = drift.read;
  out["machine"]["brackets"] = ordered_json::array();
  for (const Bracket& bracket : b.brackets) out["machine"]["brackets"].push_back(bracket_json(bracket));
  out["verdict"] = verdict_json(b.verdict);
  out["doubts"] = ordered_json::array();
  for (const BacktestDoubt& doubt : b.doubts) out["doubts"].push_back({{"code", doubt.code}, {"text", doubt.text}});
  return out;
}

}  // namespace stallcast
