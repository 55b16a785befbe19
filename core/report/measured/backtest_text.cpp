#include "core/report/measured/backtest_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/units/quantity_text.h"
#include "core/units/rounded.h"

namespace stallcast {
namespace {

std::string time_text(double seconds) { return format_quantity(Dimension::kTime, rounded(seconds)); }
// "1.2 ms + 2.1 GB/s a stream, 3.3 GB/s in total": what is known of the storage.
std::string storage_text(const StorageFit& fit) {
  std::string out;
  const auto add = [&](const FittedNumber& number, const std::string& text) {
    if (number.known) out += (out.empty() ? "" : ", ") + text;
  };
  add(fit.latency_s, time_text(fit.latency_s.value) + " latency");
  add(fit.stream_bytes_per_s, byte_rate_text(fit.stream_bytes_per_s.value) + " a stream");
  add(fit.bytes_per_s, byte_rate_text(fit.bytes_per_s.value) + " in total");
  add(fit.requests_per_s, fmt::format("{:.0f} requests/s", fit.requests_per_s.value));
  add(fit.open_latency_s, time_text(fit.open_latency_s.value) + " per open");
  add(fit.held_fraction, percent(fit.held_fraction.value) + " of the latency held");
  return out;
}

std::string parts_text(const Backtest& b) {
  const BacktestInputs& in = b.inputs;
  std::string out = labelled("Files", fmt::format("{} of {} on average, {} in total; {}", b.files.files.size(),
                                                  short_text(Dimension::kBytes, b.files.mean_bytes()),
                                                  short_text(Dimension::kBytes, b.files.bytes),
                                                  in.read_cpu.direct ? "read past the page cache (O_DIRECT)"
                                                                     : "read through the page cache, which is asked "
                                                                       "to forget them first"));
  out += labelled("Storage", storage_text(in.storage) + " (probe)");
  out += labelled("Cores", fmt::format("{}; all at once decode {:.1f} % {} each than one alone", in.cores,
                                       100.0 * std::abs(in.decode_together_s_per_byte / in.decode_s_per_byte - 1.0),
                                       in.decode_together_s_per_byte >= in.decode_s_per_byte ? "slower" : "faster"));
  out += labelled("Decoding", fmt::format("{} of CRC-32 per sample on average, {} per core",
                                          time_text(b.options.decode_s), byte_rate_text(1.0 / in.decode_s_per_byte)));
  out += labelled("Parts alone",
                  fmt::format("a sleep ends {} late, next() takes {}, a read {} of a core",
                              time_text(in.costs.sleep_over_s), time_text(in.costs.next_ready_s),
                              time_text(in.read_cpu.s_per_file + in.read_cpu.s_per_byte * b.files.mean_bytes())));
  for (const std::string& note : b.files.notes) out += labelled("", printable(note));
  return out;
}

std::string heading(const Workload& workload) {
  const LoaderSetting& any = workload.settings.front();
  return fmt::format("\n{}: {}\n  decode {}, step {}, batch {}\n", workload.name, workload.about,
                     time_text(workload.decode_s), time_text(workload.step_s), any.batch_size);
}

std::string prediction_line(const SettingOutcome& o) {
  const Estimate& rate = o.predicted.samples_per_s;
  return fmt::format("{:>7} {:>11.1f} {:>19} {:>10}\n", o.setting.workers, rate.mean,
                     fmt::format("{:.1f} .. {:.1f}", rate.ci95_low, rate.ci95_high),
                     percent(o.predicted.utilization.mean));
}

std::string result_line(const SettingOutcome& o) {
  const double foreseen = o.foreseen_samples_per_s();
  if (!o.measured()) return fmt::format("{:>7} {:>11.1f} {:>11}\n", o.setting.workers, foreseen, "not run");
  return fmt::format("{:>7} {:>11.1f} {:>11.1f} {:>+8.1f} % {:>8} {:>12} {:>10}\n", o.setting.workers, foreseen,
                     o.samples_per_s(), 100.0 * o.error(),
                     o.runs.size() > 1 ? fmt::format("{:.1f} %", 100.0 * o.noise()) : "-",
                     percent(o.foreseen_utilization()), percent(o.utilization()));
}

std::vector<const SettingOutcome*> outcomes_of(const Backtest& backtest, const std::string& workload) {
  std::vector<const SettingOutcome*> out;
  for (const SettingOutcome& outcome : backtest.outcomes)
    if (outcome.setting.workload == workload) out.push_back(&outcome);
  return out;
}

// Both curves over the workers, "p" predicted, "m" measured, "*" both, from 0 up to the best of them.
std::string plot(const std::vector<const SettingOutcome*>& outcomes) {
  constexpr std::size_t kRows = 8, kColumnsPerSetting = 7;
  double top = 0.0;
  for (const SettingOutcome* o : outcomes) top = std::max({top, o->foreseen_samples_per_s(), o->samples_per_s()});
  if (top <= 0.0) return "";
  const auto row_of = [&](double rate) {
    return kRows - static_cast<std::size_t>(std::lround(rate / top * static_cast<double>(kRows)));
  };
  std::vector<std::string> rows(kRows + 1, std::string(kColumnsPerSetting * outcomes.size(), ' '));
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const std::size_t column = i * kColumnsPerSetting + kColumnsPerSetting / 2;
    const std::size_t predicted = row_of(outcomes[i]->foreseen_samples_per_s());
    rows[predicted][column] = 'p';
    if (!outcomes[i]->measured()) continue;
    const std::size_t measured = row_of(outcomes[i]->samples_per_s());
    rows[measured][column] = measured == predicted ? '*' : 'm';
  }
  std::string out;
  for (std::size_t row = 0; row <= kRows; ++row) {
    const std::string label = row % 4 == 0 ? fmt::format("{:.0f}", top * static_cast<double>(kRows - row) / kRows) : "";
    std::string line = fmt::format("{:>9} |{}", label, rows[row]);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  std::string axis = fmt::format("{:>9}  ", "workers");
  for (const SettingOutcome* o : outcomes) axis += fmt::format("{:^7}", o->setting.workers);
  axis.erase(axis.find_last_not_of(' ') + 1);
  return out + axis + "   samples/s: p predicted, m measured, * both\n";
}

std::string drift_text(const Backtest& b) {
  if (b.brackets.size() < 2) return "";
  const BracketDrift drift = drift_between(b.brackets);
  return labelled("Drift", fmt::format("between the runs decoding alone changed by {:.1f} % on average, reading by "
                                       "{:.1f} %: {:.1f} % of the predicted samples/s",
                                       100.0 * drift.decode, 100.0 * drift.read, 100.0 * b.verdict.rest.drift));
}

std::string verdict_text(const Backtest& b, const TextStyle& style) {
  const BacktestVerdict& verdict = b.verdict;
  const std::string limit = fmt::format("{:g} %", 100.0 * verdict.limit);
  if (verdict.quiet())
    return labelled("Verdict", toned(fmt::format("the mean error is {} {}", verdict.holds ? "within" : "over", limit),
                                     verdict.holds ? Tone::kStrong : Tone::kWarn, style));
  std::string out = labelled(
      "Verdict", toned(fmt::format("none: the machine was not quiet, so an error of {} cannot be judged", limit),
                       Tone::kWarn, style));
  for (const std::string& why : verdict.unrest) out += labelled("", why);
  return out;
}

std::string score_text(const Backtest& b, const TextStyle& style) {
  const BacktestScore& score = b.score;
  if (score.settings == 0) return "\nNothing was measured.\n";
  std::string out = "\n";
  out += labelled("Error", toned(fmt::format("{:.1f} % of samples/s on average (MAPE) over {} settings",
                                             100.0 * score.mape, score.settings),
                                 Tone::kStrong, style) +
                               fmt::format(", worst {:.1f} %, bias {:+.1f} %; utilization {:.1f} points",
                                           100.0 * score.worst, 100.0 * score.bias, 100.0 * score.utilization_error));
  out += labelled(
      "Noise", fmt::format("two runs of one setting differ by {:.1f} % on average", 100.0 * score.repeat_difference));
  out += drift_text(b);
  out += labelled("Intervals", fmt::format("{:.0f} % of the runs lie in the 95 % interval predicted for them",
                                           100.0 * score.inside_interval));
  for (const Knee& knee : score.knees)
    out += labelled(
        &knee == score.knees.data() ? "Knee" : "",
        fmt::format("{}: predicted at {} workers, measured at {}", knee.workload, knee.predicted, knee.measured));
  out += verdict_text(b, style);
  for (const BacktestDoubt& doubt : b.doubts)
    out += labelled("Doubt", toned(printable(doubt.text), Tone::kWarn, style));
  if (b.interrupted) out += labelled("Interrupted", "settings that had not finished a run are left out");
  return out;
}

}  // namespace

std::string render_backtest_predictions(const Backtest& backtest) {
  std::string out = fmt::format("Backtest of {}\n\n", printable(backtest.target)) + parts_text(backtest);
  out += fmt::format("\nPredicted at {}, before any run\n", backtest.predicted_at);
  for (const Workload& workload : backtest.workloads) {
    out += heading(workload);
    out += fmt::format("{:>7} {:>11} {:>19} {:>10}\n", "workers", "samples/s", "95 % interval", "util.");
    for (const SettingOutcome* outcome : outcomes_of(backtest, workload.name)) out += prediction_line(*outcome);
  }
  return out;
}

std::string render_backtest_results(const Backtest& backtest, const TextStyle& style) {
  std::string out = fmt::format("\nMeasured from {} to {}\n", backtest.started_at, backtest.ended_at);
  for (const Workload& workload : backtest.workloads) {
    const auto outcomes = outcomes_of(backtest, workload.name);
    out += heading(workload);
    out += fmt::format("{:>7} {:>11} {:>11} {:>10} {:>8} {:>12} {:>10}\n", "workers", "predicted/s", "measured/s",
                       "error", "noise", "util. pred.", "measured");
    for (const SettingOutcome* outcome : outcomes) out += result_line(*outcome);
    out += "\n" + plot(outcomes);
  }
  return out + score_text(backtest, style);
}

}  // namespace stallcast
