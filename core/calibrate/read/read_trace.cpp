#include "core/calibrate/read/read_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/calibrate/read/reader_tools.h"

namespace stallcast {
namespace {

constexpr double kMostAhead = 0.05;  // of all steps' time
constexpr std::size_t kQuantiles = 100;

// The sets of moments of one rank.
struct Moments {
  TimeIntervals waits, copies, compute, kernels, communications;
};

Moments moments_of(const TraceEvents& events) {
  Moments moments;
  moments.waits = united(events.waits);
  TimeIntervals copies, kernels = events.kernels;
  for (const HostCopy& copy : events.copies) copies.push_back(copy.time);
  moments.copies = united(std::move(copies));
  moments.compute = united(events.kernels);
  moments.communications = united(events.communications);
  kernels.insert(kernels.end(), events.communications.begin(), events.communications.end());
  moments.kernels = united(std::move(kernels));
  return moments;
}

double seconds_of(const TimeIntervals& set) { return static_cast<double>(total_length(set)) * kNanosecond; }

TraceStep step_of(const Moments& moments, TimeInterval window) {
  TraceStep step;
  const TimeIntervals waits = inside(moments.waits, window), copies = inside(moments.copies, window),
                      compute = inside(moments.compute, window), kernels = inside(moments.kernels, window),
                      communications = inside(moments.communications, window);
  step.wall_s = static_cast<double>(window.length()) * kNanosecond;
  step.wait_s = seconds_of(waits);
  step.idle_wait_s = seconds_of(without(waits, compute));
  step.copy_s = seconds_of(copies);
  step.exposed_copy_s = seconds_of(without(without(copies, kernels), waits));
  step.exposed_comm_s = seconds_of(without(without(communications, compute), waits));
  step.gpu_busy_s = seconds_of(kernels);
  return step;
}

// The step in which a moment lies, or null.
TraceStep* step_at(const TraceEvents& events, std::vector<TraceStep>& steps, std::int64_t moment) {
  const auto after = std::partition_point(events.steps.begin(), events.steps.end(),
                                          [&](const TimeInterval& step) { return step.begin <= moment; });
  if (after == events.steps.begin() || moment >= std::prev(after)->end) return nullptr;
  return &steps[static_cast<std::size_t>(after - events.steps.begin() - 1)];
}

// Time by which kernels run on past the last step, as a fraction of all steps' time.
double host_ahead(const TraceEvents& events) {
  std::int64_t last = 0;
  for (const TimeInterval& kernel : events.kernels) last = std::max(last, kernel.end);
  const std::int64_t begin = events.steps.front().begin, end = events.steps.back().end;
  return end > begin ? static_cast<double>(last - end) / static_cast<double>(end - begin) : 0.0;
}

// At most kQuantiles equally likely values; each stands for as many of the sorted ones as the others, within one.
Distribution empirical(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  Distribution distribution;
  distribution.kind = DistributionKind::kEmpirical;
  const std::size_t count = std::min(values.size(), kQuantiles);
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin = static_cast<std::ptrdiff_t>(i * values.size() / count);
    const auto end = static_cast<std::ptrdiff_t>((i + 1) * values.size() / count);
    distribution.quantiles.push_back(mean_of(std::vector<double>(values.begin() + begin, values.begin() + end)));
  }
  return distribution;
}

// The steps of all ranks, and what becomes of them.
class StepReport {
 public:
  StepReport(const std::vector<TraceEvents>& ranks, std::string file) : ranks_(ranks), problems_(file) {
    measured_.file = std::move(file);
    measured_.tool = "kineto";
    for (const TraceEvents& rank : ranks) {
      const auto steps = steps_of(rank);
      if (!steps.empty()) steps_.push_back(steps);
    }
  }

  Loaded<Measurements> finish() {
    if (steps_.empty()) {
      problems_.error("missing_key", "", "no event \"ProfilerStep#...\"", "at least one",
                      "call prof.step() after each step of the training loop");
      return {std::nullopt, problems_.list()};
    }
    observe();
    add_step_time();
    add_copy_bandwidth();
    return {std::move(measured_), problems_.list()};
  }

 private:
  using StepValue = std::function<double(const TraceStep&)>;

  std::size_t step_count() const {
    std::size_t count = 0;
    for (const auto& rank : steps_) count += rank.size();
    return count;
  }
  std::string source() const {
    return fmt::format("{}: {} ProfilerSteps of {} trace{}", measured_.file, step_count(), steps_.size(),
                       steps_.size() == 1 ? "" : "s");
  }
  bool any_gpu() const {
    return std::any_of(ranks_.begin(), ranks_.end(), [](const TraceEvents& rank) { return !rank.kernels.empty(); });
  }

  static std::vector<double> values_of(const std::vector<TraceStep>& steps, const StepValue& value) {
    std::vector<double> values(steps.size());
    std::transform(steps.begin(), steps.end(), values.begin(), value);
    return values;
  }
  // The mean over ranks of sums over steps, of `part` over `whole`.
  void add_observation(const char* quantity, const char* definition, const StepValue& part, const StepValue& whole) {
    std::vector<double> of_ranks;
    for (const auto& steps : steps_) {
      const double denominator = mean_of(values_of(steps, whole));
      of_ranks.push_back(denominator > 0 ? mean_of(values_of(steps, part)) / denominator : 0.0);
    }
    double spread = standard_deviation_of(of_ranks);
    if (of_ranks.size() == 1) {
      spread = standard_deviation_of(values_of(
          steps_.front(), [&](const TraceStep& step) { return whole(step) > 0 ? part(step) / whole(step) : 0.0; }));
    }
    measured_.observations.push_back({quantity, mean_of(of_ranks), spread, definition, source()});
  }

  void observe() {
    const StepValue one = [](const TraceStep&) { return 1.0; };
    const StepValue wall = [](const TraceStep& step) { return step.wall_s; };
    add_observation("step_wall_s", "time of a ProfilerStep", wall, one);
    if (has_loader()) {
      add_observation(
          "data_wait_s", "time per ProfilerStep inside the DataLoader's next()",
          [](const TraceStep& step) { return step.wait_s; }, one);
      add_observation(
          "gpu_utilization",
          "fraction of ProfilerSteps not spent waiting for data, or for a copy or an all-reduce that "
          "nothing hides",
          [](const TraceStep& step) { return step.compute_s(); }, wall);
    }
    if (!any_gpu()) return;
    add_observation(
        "gpu_busy_fraction", "fraction of ProfilerSteps in which a kernel ran, waiting ones included",
        [](const TraceStep& step) { return step.gpu_busy_s; }, wall);
    add_observation(
        "host_to_device_s", "time per ProfilerStep in which a host-to-device copy ran",
        [](const TraceStep& step) { return step.copy_s; }, one);
    add_observation(
        "communication_s", "time per ProfilerStep of NCCL kernels that nothing hides",
        [](const TraceStep& step) { return step.exposed_comm_s; }, one);
  }

  bool has_loader() const {
    return std::any_of(ranks_.begin(), ranks_.end(), [](const TraceEvents& rank) { return !rank.waits.empty(); });
  }

  // Loader calls in the middle one of all steps.
  int usual_batches() const {
    std::vector<int> batches;
    for (const auto& rank : steps_) {
      for (const TraceStep& step : rank) batches.push_back(step.batches);
    }
    std::nth_element(batches.begin(), batches.begin() + static_cast<std::ptrdiff_t>(batches.size() / 2), batches.end());
    return batches[batches.size() / 2];
  }

  void add_step_time() {
    const int batches = usual_batches();
    if (batches == 0) {
      problems_.warn("no_loader", "", "steps without an event \"enumerate(DataLoader)#...\"",
                     "one for each batch, which torch.utils.data.DataLoader records", "",
                     "waiting for data cannot be told from computing, so no step time is taken");
      return;
    }
    for (const TraceEvents& rank : ranks_) {
      if (rank.steps.empty() || host_ahead(rank) <= kMostAhead) continue;
      problems_.warn(
          "host_ahead", "",
          fmt::format("{}: kernels run on for {:.0f} % of the time of all steps", rank.file, 100 * host_ahead(rank)),
          "at most 5 %", "call torch.cuda.synchronize() before prof.step(), or profile more steps",
          "steps of the CPU are too short, so no step time is taken");
      return;
    }
    std::vector<double> times;
    for (const auto& rank : steps_) {
      for (const TraceStep& step : rank) {
        if (step.batches == batches) times.push_back(step.compute_s() / batches);
      }
    }
    const auto [low, high] = mean_interval(times);
    std::string from = source();
    if (times.size() < step_count())
      from += fmt::format(", {} at an epoch's edge left out", step_count() - times.size());
    if (batches > 1) from += fmt::format(", {} batches each", batches);
    constexpr auto kAsTime = static_cast<std::int64_t>(StepTimeForm::kTime);
    measured_.fields.push_back({"/workload/step_time_form", kAsTime, 1.0, 1.0, from});
    measured_.fields.push_back({"/workload/step_time", empirical(std::move(times)), low, high, from});
  }

  void add_copy_bandwidth() {
    double bytes = 0, time = 0;
    std::vector<double> rates;
    for (const auto& rank : steps_) {
      for (const TraceStep& step : rank) {
        bytes += step.copied_bytes;
        time += step.copied_bytes_s;
        if (step.copied_bytes_s > 0) rates.push_back(step.copied_bytes / step.copied_bytes_s);
      }
    }
    if (time <= 0 || bytes <= 0) return;
    const auto [low, high] = mean_interval(rates);
    measured_.fields.push_back(
        {"/cluster/host_to_device_bandwidth", bytes / time, low, high,
         fmt::format("{}: {:.4g} MB copied in {} steps", measured_.file, bytes / 1e6, rates.size())});
  }

  const std::vector<TraceEvents>& ranks_;
  ReaderFindings problems_;
  Measurements measured_;
  std::vector<std::vector<TraceStep>> steps_;  // by rank, of those that have any
};

}  // namespace

std::vector<TraceStep> steps_of(const TraceEvents& events) {
  const Moments moments = moments_of(events);
  std::vector<TraceStep> steps;
  for (const TimeInterval& window : events.steps) steps.push_back(step_of(moments, window));
  for (const TimeInterval& wait : events.waits) {
    if (TraceStep* step = step_at(events, steps, wait.begin)) ++step->batches;
  }
  for (const HostCopy& copy : events.copies) {
    TraceStep* step = step_at(events, steps, copy.time.begin);
    if (step == nullptr || copy.bytes <= 0) continue;
    step->copied_bytes += copy.bytes;
    step->copied_bytes_s += static_cast<double>(copy.time.length()) * kNanosecond;
  }
  return steps;
}

Loaded<Measurements> read_traces(const std::vector<TraceEvents>& ranks, const std::string& file) {
  return StepReport(ranks, file).finish();
}

}  // namespace stallcast
