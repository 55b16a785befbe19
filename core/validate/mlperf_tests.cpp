#include "core/validate/mlperf_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <thread>

namespace stallcast {

namespace {

// Median difference of throughput between runs of one group, 118 groups of v1.0: less loss than this shows nothing.
constexpr double kRunToRunSpread = 0.0053;
// The first batches come at the steady rate, within this, where reads are limited by bandwidth.
constexpr double kSameRate = 0.15;
// Ranks that stand for all.
constexpr std::int64_t kMostTried = 24;

Seconds loss_per_step(const MlperfRow& row) { return row.step() / row.au - row.step(); }

BytesPerSecond steady_read_rate(const MlperfRow& row) {
  return row.rules().sample_size * row.ideal_samples_per_s() * row.au / seconds(1);
}

// The argument where the growing function `value_of` reaches `target`, between `low` and `high`.
template <class Function>
double solve(double low, double high, double target, double tolerance, const Function& value_of) {
  double value_low = value_of(low), value_high = value_of(high);
  if (value_low >= target) return low;
  if (value_high <= target) return high;
  double middle = low;
  for (int i = 0; i < 12; ++i) {
    // Between the secant and the middle: the curve bends where the cap stops to bind.
    const double secant = low + (high - low) * (target - value_low) / (value_high - value_low);
    middle = 0.5 * (std::clamp(secant, low, high) + 0.5 * (low + high));
    const double value = value_of(middle);
    if (std::abs(value - target) < tolerance) break;
    (value < target ? low : high) = middle;
    (value < target ? value_low : value_high) = value;
  }
  return middle;
}

constexpr double kSolved = 0.0005;  // of AU

// What a row shows before any cause is given to its loss beyond the framework's.
MlperfFit observed(const MlperfRow& row, const MlperfAssumptions& assume) {
  MlperfFit fit;
  fit.first_batch = mlperf_first_batch(row);
  fit.seen_read_rate = steady_read_rate(row);
  const Seconds room = std::max(seconds(0), loss_per_step(row) - mlperf_barrier(row));
  fit.framework_step = std::min(row.rules().framework_step * assume.framework_scale, room);
  if (row.rules().pytorch && row.steps_per_epoch() && fit.first_batch > seconds(0)) {
    const auto batches = static_cast<double>(row.accelerators * row.threads() * row.rules().batch_size);
    fit.first_read_rate = row.rules().sample_size * batches / fit.first_batch;
  }
  return fit;
}

// Loss that neither the framework nor the spread between runs explains.
Seconds contention_of(const MlperfRow& row, const MlperfAssumptions& assume) {
  const Seconds explained = row.rules().framework_step * assume.framework_scale + mlperf_barrier(row);
  const Seconds rest = loss_per_step(row) - explained;
  return row.accelerators > 1 && rest > row.step() * kRunToRunSpread ? rest : seconds(0);
}

bool reads_at_one_rate(const MlperfFit& fit) {
  const double ratio = fit.first_read_rate / fit.seen_read_rate;
  return ratio > 1.0 - kSameRate && ratio < 1.0 + kSameRate;
}

// Without contention everything that is lost is taken to be the framework's, on this row's machine.
void give_all_to_framework(const MlperfRow& row, MlperfFit& fit) {
  fit.framework_step = std::max(seconds(0), loss_per_step(row) - mlperf_barrier(row));
}

// Finds the cap `member` that makes the simulated row as busy as the real one.
void fit_cap(const MlperfRow& row, MlperfFit& fit, BytesPerSecond MlperfFit::*member, double sharers) {
  const double demand = fit.seen_read_rate.base() / row.au / sharers;
  const auto au_with = [&](double cap) {
    MlperfFit trial = fit;
    trial.*member = bytes_per_second(cap);
    return simulate_mlperf_au(row, trial, kMostTried);
  };
  fit.*member = bytes_per_second(solve(0.9 * demand * row.au, 2.0 * demand, row.au, kSolved, au_with));
}

// tf.data's settings beyond what the model knows of it.
std::string changed_settings(const MlperfRow& a, const MlperfRow& b) {
  if (a.rules().pytorch) return "";  // read_threads is the number of workers, the others are not used
  std::vector<std::string> changed;
  const auto compare = [&](const char* name, const std::optional<std::int64_t>& x,
                           const std::optional<std::int64_t>& y) {
    const auto text = [](const std::optional<std::int64_t>& v) { return v ? std::to_string(*v) : "default"; };
    if (x != y) changed.push_back(fmt::format("{} {} -> {}", name, text(x), text(y)));
  };
  compare("read_threads", a.threads(), b.threads());
  compare("computation_threads", a.computation_threads, b.computation_threads);
  compare("prefetch_size", a.prefetch_batches.value_or(2), b.prefetch_batches.value_or(2));
  compare("transfer_size", a.transfer_bytes, b.transfer_bytes);
  return fmt::format("{}", fmt::join(changed, ", "));
}

void run_scaling(MlperfScalingCase& c, const MlperfAssumptions& assume) {
  const MlperfRow &near = c.near_end, &far = c.far_end;
  c.fit = observed(near, assume);
  const Seconds contention = contention_of(near, assume);
  const bool crowded = mlperf_ranks_per_host(far) > mlperf_ranks_per_host(near);
  if (contention > seconds(0) && reads_at_one_rate(c.fit)) {
    c.limit = "host reads";
    fit_cap(near, c.fit, &MlperfFit::host_read_cap, static_cast<double>(near.hosts));
  } else if (contention > seconds(0)) {
    c.limit = "host contention";
    c.fit.host_serial_step = contention / mlperf_ranks_per_host(near);
  } else {
    c.limit = "nothing";
    give_all_to_framework(near, c.fit);
  }
  c.fit.au = simulate_mlperf_au(near, c.fit, kMostTried);

  if (const std::string changed = changed_settings(near, far); !changed.empty()) {
    c.unknown_reason =
        fmt::format("reader settings differ between the ends ({}); what they cost is not modelled", changed);
  } else if (crowded && near.accelerators == 1) {
    c.unknown_reason = "one accelerator alone shows no contention";
  } else if (crowded && c.limit == "nothing") {
    c.unknown_reason = fmt::format(
        "the near end loses no more than the framework costs: the limit is somewhere above {:.1f} GB/s, the far end "
        "asks for {:.1f}",
        c.fit.seen_read_rate.base() / 1e9, steady_read_rate(far).base() / far.au / 1e9);
  }

  c.predicted.au = simulate_mlperf_au(far, c.fit, kMostTried);
  // PyTorch loads one batch per worker before it starts, at the rate seen; a tf.data pipeline starts as it did.
  const double fill = near.rules().pytorch ? mlperf_ranks_per_host(far) * static_cast<double>(far.threads()) /
                                                 (mlperf_ranks_per_host(near) * static_cast<double>(near.threads()))
                                           : 1.0;
  c.predicted.samples_per_s = mlperf_samples_per_s(far, c.predicted.au, c.fit.first_batch * fill);
  c.measured = {far.au, far.samples_per_s};
  c.trivial = {near.au,
               near.samples_per_s * static_cast<double>(far.accelerators) / static_cast<double>(near.accelerators)};
}

// The workload for which the system of `row` reads clearly more, in all and per host, with the same accelerator; or "".
std::string reads_more_for(const MlperfTable& table, const MlperfRow& row) {
  for (const MlperfRow& other : table.rows) {
    if (other.submitter != row.submitter || other.system != row.system || other.accelerator != row.accelerator)
      continue;
    const double ratio = steady_read_rate(other) / steady_read_rate(row);
    const double per_host = ratio * static_cast<double>(row.hosts) / static_cast<double>(other.hosts);
    if (other.workload != row.workload && std::min(ratio, per_host) > 1.0 + kSameRate) return other.workload;
  }
  return "";
}

// Aggregate bandwidth that explains `row`, and why it may not be taken elsewhere, or "".
std::string fit_storage(const MlperfTable& table, const MlperfRow& row, MlperfFit& fit,
                        const MlperfAssumptions& assume) {
  fit = observed(row, assume);
  const bool limited = contention_of(row, assume) > seconds(0);
  if (limited) {
    fit_cap(row, fit, &MlperfFit::storage_read_cap, 1.0);
  } else {
    give_all_to_framework(row, fit);
    fit.storage_read_cap = fit.seen_read_rate;
  }
  fit.au = simulate_mlperf_au(row, fit, kMostTried);
  if (!limited) return "the row it is calibrated on loses no more than the framework costs: only a lower bound";
  if (const std::string other = reads_more_for(table, row); !other.empty())
    return fmt::format("the system reads faster for {}, so bandwidth is not what limits the row it is calibrated on",
                       other);
  return "";
}

void run_transfer(const MlperfTable& table, MlperfTransferCase& c, const MlperfAssumptions& assume) {
  c.unknown_reason = fit_storage(table, c.h100, c.from_h100, assume);
  c.carry_unknown_reason = fit_storage(table, c.a100, c.from_a100, assume);

  const double pass = c.a100.rules().pass_mark;
  MlperfRow job = c.a100;
  std::int64_t most = 8 * c.h100.accelerators + 8, passes = 0;
  while (most - passes > 1) {
    // Passing counts end where the storage is used up; first guess there.
    const double guess = c.from_h100.storage_read_cap.base() * job.step().base() /
                         (pass * job.rules().sample_size.base() * static_cast<double>(job.rules().batch_size));
    const auto near_guess = static_cast<std::int64_t>(guess);
    job.accelerators = near_guess > passes && near_guess < most           ? near_guess
                       : near_guess + 1 > passes && near_guess + 1 < most ? near_guess + 1
                                                                          : (most + passes) / 2;
    (simulate_mlperf_au(job, c.from_h100, kMostTried) >= pass ? passes : most) = job.accelerators;
  }
  c.predicted_count = static_cast<double>(std::max<std::int64_t>(1, passes));
  c.measured_count = static_cast<double>(c.a100.accelerators);
  c.trivial_count = static_cast<double>(c.h100.accelerators) * (c.a100.step() / c.h100.step());

  c.predicted_au = simulate_mlperf_au(c.h100, c.from_a100, kMostTried);
  c.measured_au = c.h100.au;
  c.trivial_au = c.a100.au;
}

std::string family_id(const MlperfRow& row) {
  return fmt::format("{}/{}/{}", row.submitter == row.system ? row.system : row.submitter + "/" + row.system,
                     row.workload, row.accelerator);
}

std::vector<MlperfScalingCase> scaling_cases(const MlperfTable& table) {
  std::map<std::string, std::vector<const MlperfRow*>> families;
  std::vector<std::string> order;
  for (const MlperfRow& row : table.rows) {
    auto& family = families[family_id(row)];
    if (family.empty()) order.push_back(family_id(row));
    family.push_back(&row);
  }
  const auto fewer = [](const MlperfRow* a, const MlperfRow* b) { return a->accelerators < b->accelerators; };
  std::vector<MlperfScalingCase> out;
  for (const std::string& id : order) {
    const auto [lowest, highest] = std::minmax_element(families[id].begin(), families[id].end(), fewer);
    if ((*lowest)->accelerators == (*highest)->accelerators) continue;
    MlperfScalingCase c;
    c.near_end = **lowest;
    c.far_end = **highest;
    c.id = fmt::format("{} {}->{}", id, c.near_end.accelerators, c.far_end.accelerators);
    out.push_back(std::move(c));
  }
  return out;
}

std::vector<MlperfTransferCase> transfer_cases(const MlperfTable& table) {
  struct Pair {
    const MlperfRow *a100 = nullptr, *h100 = nullptr;
  };
  std::map<std::string, Pair> pairs;
  std::vector<std::string> order;
  for (const MlperfRow& row : table.rows) {
    if (row.au < row.rules().pass_mark) continue;
    std::string id = family_id(row);
    id.resize(id.rfind('/'));
    if (!pairs.contains(id)) order.push_back(id);
    const MlperfRow*& best = row.accelerator == "a100" ? pairs[id].a100 : pairs[id].h100;
    if (best == nullptr || best->accelerators < row.accelerators) best = &row;
  }
  std::vector<MlperfTransferCase> out;
  for (const std::string& id : order) {
    const Pair& pair = pairs[id];
    if (pair.a100 == nullptr || pair.h100 == nullptr) continue;
    MlperfTransferCase c;
    c.id = id;
    c.a100 = *pair.a100;
    c.h100 = *pair.h100;
    out.push_back(std::move(c));
  }
  return out;
}

// Calls `work(i)` for i in [0, count) from as many threads as the machine has.
void for_each_parallel(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  const auto loop = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::jthread> helpers;
  for (unsigned t = 1; t < std::thread::hardware_concurrency() && t < count; ++t) helpers.emplace_back(loop);
  loop();
}

MlperfScalingSummary summarize(const std::string& name, const std::vector<MlperfScalingCase>& cases,
                               const std::function<bool(const MlperfScalingCase&)>& counts) {
  std::vector<double> au, au_trivial, rate, rate_trivial, halfway;
  for (const MlperfScalingCase& c : cases) {
    if (!counts(c)) continue;
    au.push_back(c.predicted.au - c.measured.au);
    au_trivial.push_back(c.trivial.au - c.measured.au);
    halfway.push_back(0.5 * (c.near_end.au + c.near_end.rules().pass_mark) - c.measured.au);
    rate.push_back(c.predicted.samples_per_s / c.measured.samples_per_s - 1.0);
    rate_trivial.push_back(c.trivial.samples_per_s / c.measured.samples_per_s - 1.0);
  }
  MlperfScalingSummary out{name, score_errors(au, au_trivial), score_errors(rate, rate_trivial)};
  out.halfway_mean = score_errors(halfway, au_trivial).mean;
  return out;
}

}  // namespace

MlperfScore score_errors(const std::vector<double>& errors, const std::vector<double>& trivial_errors) {
  MlperfScore score;
  score.cases = errors.size();
  if (errors.empty()) return score;
  const auto n = static_cast<double>(errors.size());
  std::vector<double> sizes;
  for (const double e : errors) {
    score.bias += e / n;
    score.mean += std::abs(e) / n;
    sizes.push_back(std::abs(e));
  }
  for (const double e : trivial_errors) score.trivial_mean += std::abs(e) / static_cast<double>(trivial_errors.size());
  std::sort(sizes.begin(), sizes.end());
  const auto quantile = [&](double p) {  // linear between order statistics
    const double at = p * (n - 1.0);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, sizes.size() - 1);
    return sizes[below] + (sizes[above] - sizes[below]) * (at - static_cast<double>(below));
  };
  score.median = quantile(0.5);
  score.p90 = quantile(0.9);
  score.worst = sizes.back();
  if (score.trivial_mean > 0.0) score.skill = 1.0 - score.mean / score.trivial_mean;
  return score;
}

MlperfReport run_mlperf_tests(const MlperfTable& table, const MlperfProgress& progress,
                              const MlperfAssumptions& assumptions) {
  MlperfReport report;
  report.scaling = scaling_cases(table);
  report.transfer = transfer_cases(table);
  const std::size_t scaling = report.scaling.size(), total = scaling + report.transfer.size();
  std::mutex mutex;
  std::size_t done = 0;
  for_each_parallel(total, [&](std::size_t i) {
    if (i < scaling) {
      run_scaling(report.scaling[i], assumptions);
    } else {
      run_transfer(table, report.transfer[i - scaling], assumptions);
    }
    const std::lock_guard lock(mutex);
    ++done;
    if (progress) progress(done, total);
  });

  const auto answered = [](const MlperfScalingCase& c) { return c.unknown_reason.empty(); };
  report.scaling_summary = {
      summarize("same hosts", report.scaling, [&](const auto& c) { return answered(c) && !c.adds_hosts(); }),
      summarize("hosts added", report.scaling, [&](const auto& c) { return answered(c) && c.adds_hosts(); }),
      summarize("all answered", report.scaling, answered),
      summarize("unknown included", report.scaling, [](const auto&) { return true; }),
  };
  std::size_t bounds = 0, bounds_kept = 0;
  for (const MlperfScalingCase& c : report.scaling) {
    if (!answered(c) || !c.adds_hosts()) continue;
    ++bounds;
    if (c.measured.au <= c.predicted.au + kMlperfPassError) ++bounds_kept;
  }
  if (bounds > 0) report.bound_kept = static_cast<double>(bounds_kept) / static_cast<double>(bounds);
  std::vector<double> count, count_trivial, carry, carry_trivial;
  std::size_t kept = 0;
  for (const MlperfTransferCase& c : report.transfer) {
    if (c.unknown_reason.empty()) {
      count.push_back(c.predicted_count / c.measured_count - 1.0);
      count_trivial.push_back(c.trivial_count / c.measured_count - 1.0);
      if (c.measured_count <= 1.1 * c.predicted_count) ++kept;
    } else {
      report.unknown.push_back({c.id + " h100->a100", c.unknown_reason});
    }
    if (c.carry_unknown_reason.empty()) {
      carry.push_back(c.predicted_au - c.measured_au);
      carry_trivial.push_back(c.trivial_au - c.measured_au);
    } else {
      report.unknown.push_back({c.id + " a100->h100", c.carry_unknown_reason});
    }
  }
  std::vector<UnknownRun> unknown;
  for (const MlperfScalingCase& c : report.scaling) {
    if (!answered(c)) unknown.push_back({c.id, c.unknown_reason});
  }
  report.unknown.insert(report.unknown.begin(), unknown.begin(), unknown.end());
  report.transfer_count = score_errors(count, count_trivial);
  report.carry_au = score_errors(carry, carry_trivial);
  if (!count.empty()) report.transfer_bound_kept = static_cast<double>(kept) / static_cast<double>(count.size());
  return report;
}

}  // namespace stallcast
