#include "core/observe/job_scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/diagnostics/invariant.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/units/quantity_text.h"
#include "core/units/rounded.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSeenDigits = 4;
constexpr double kVariationThatMatters = 0.1;
constexpr double kOthersVary = 1.3;    // what other programs leave of the cores, at either end of 90 %
constexpr double kLeastSpread = 0.03;  // half of the 90 % interval of what was seen for half a minute, at least
// Of the record loader/pytorch: CPU of a worker and of the trainer for a batch of two small tensors.
constexpr double kWorkerBatch_s = 0.68e-3, kTrainerBatch_s = 0.43e-3;

// **Source** tests/validation/attach/after_wait.py: Pillow and numpy in a process that waits 0.1 to 30 ms before each
// sample, on a virtual machine. A third to twice as much is where most kinds of samples were.
constexpr double kColdAfter3ms_s = 150e-6, kColdExponent = 0.7, kColdAtMost_s = 600e-6;
constexpr double kColdLow = 1.0 / 3.0, kColdHigh = 2.0;
constexpr double kColdShareAtMost = 0.5;  // of a batch's CPU

// The extra CPU time of a process after a wait of `wait_s`, because the caches of its core are cold.
double cold_after_s(double wait_s) {
  return std::min(kColdAtMost_s, kColdAfter3ms_s * std::pow(wait_s / 3e-3, kColdExponent));
}

std::string seen_time_text(double time_s) { return format_quantity(Dimension::kTime, rounded(time_s, kSeenDigits)); }

class ScenarioMaker {
 public:
  ScenarioMaker(const JobFigures& figures, const JobLimits& limits, const JobAnswers& answers)
      : f_(figures), limits_(limits), answers_(answers) {}

  JobScenario make(const std::string& name) {
    out_.document["format_version"] = kScenarioFormatVersion;
    out_.document["name"] = name;
    out_.document["description"] = fmt::format("What stallcast attach saw in {:.0f} s of a running job.", f_.time_s);
    const double seen = 1.645 * f_.batch_spread;
    spread_ = std::clamp(seen, kLeastSpread, 0.3);
    // Half a minute's looks know no more than this, and a heavy tail would take long to know better.
    out_.document["run"] = {{"precision", 0.01}, {"max_steps", 5000}};
    set_machine();
    set_batch();
    set_loader();
    set_data();
    set_step();
    set_storage();
    set_outcomes();
    if (!uncertain_.empty()) out_.document["run"]["uncertain"] = uncertain_;
    return std::move(out_);
  }

 private:
  void put(const std::string& pointer, Json value, std::string from, double low = 1.0, double high = 1.0) {
    out_.document[Json::json_pointer(pointer)] = std::move(value);
    if (low < 1.0 || high > 1.0) {
      if (auto text = measured_interval_text(pointer, low, high)) uncertain_.push_back(*text);
    }
    out_.values.push_back({pointer, std::move(from), low, high});
  }

  void set_machine() {
    put("/cluster/nodes", 1, "what runs elsewhere is not seen from here");
    put("/cluster/gpus_per_node", f_.ranks, "trainer processes found");
    if (f_.cores < limits_.cores) {
      put("/cluster/cores_per_node", rounded(f_.cores, 2),
          fmt::format("{}, which other programs use too: they keep {:.1f} busy", limits_.cores_from, f_.others_cores),
          1.0 / kOthersVary, kOthersVary);
      put("/cluster/core_sharing", "processor_sharing", "a part of a core has no queue of its own");
      out_.missing.emplace_back(
          "Other programs run on the cores of this machine. What they take is counted as taken, however many workers "
          "the job has; run alone, it may be faster.");
    } else {
      put("/cluster/cores_per_node", rounded(f_.cores, 2), limits_.cores_from);
    }
    if (limits_.memory_bytes > 0.0)
      put("/cluster/memory_per_node", format_quantity(Dimension::kBytes, rounded(limits_.memory_bytes, 3)),
          limits_.memory_from);
  }

  void set_batch() {
    if (answers_.batch_size > 0) {
      batch_ = answers_.batch_size;
      put("/workload/batch_size", batch_, "--batch-size");
      return;
    }
    batch_ = batch_from_files(f_);
    if (batch_ > 0) {
      put("/workload/batch_size", batch_,
          fmt::format("{:.4g} MB read for a batch, files of {:.4g} kB on average", 1e-6 * f_.read_bytes,
                      1e-3 * f_.file_bytes));
      return;
    }
    batch_ = 1;
    out_.batch_is_sample = true;
    put("/workload/batch_size", 1, "not seen: a whole batch counts as one sample here");
    out_.missing.emplace_back(
        "The samples of a batch cannot be seen. A whole batch counts as one sample below; with --batch-size N samples "
        "a second are samples.");
  }

  void set_loader() {
    put("/loader/framework", "pytorch", "its costs are the catalogue's");
    put("/loader/num_workers", f_.workers, f_.workers > 0 ? "processes found" : "no worker process was found");
    if (f_.workers == 0) return;
    put("/loader/prefetch_factor", 2, "cannot be seen: PyTorch's default; --set loader.prefetch_factor=N if it is not");
    put("/loader/start_method", f_.spawned ? "spawn" : "fork", "command line of the workers");
    out_.missing.emplace_back(
        "prefetch_factor, pin_memory and persistent_workers cannot be seen. PyTorch's defaults are taken; give others "
        "with --set loader.prefetch_factor=4.");
  }

  // A quantity of samples whose batches vary by `variation`.
  Json varying(double mean_s, double variation, bool vary) const {
    if (!vary || variation < kVariationThatMatters || mean_s <= 0.0) return seen_time_text(mean_s);
    const double shape = 1.0 / (variation * variation * static_cast<double>(batch_));
    return {{"kind", "gamma"}, {"mean", seen_time_text(mean_s)}, {"shape", rounded(std::clamp(shape, 1e-3, 1e6), 3)}};
  }

  void set_data() {
    const auto batch = static_cast<double>(batch_);
    if (f_.read_bytes > 0.0) {
      const double bytes = rounded(f_.read_bytes / batch, kSeenDigits);
      const std::string from = fmt::format("{:.4g} MB read for each batch", 1e-6 * f_.read_bytes);
      if (f_.file_per_sample && f_.file_variation > 0.05 && !out_.batch_is_sample) {
        put("/dataset/sample_size",
            Json{{"kind", "lognormal"},
                 {"mean", format_quantity(Dimension::kBytes, bytes)},
                 {"sigma", rounded(std::sqrt(std::log(1.0 + f_.file_variation * f_.file_variation)), 3)}},
            from + "; the spread is that of files in " + f_.folder);
      } else {
        put("/dataset/sample_size", format_quantity(Dimension::kBytes, bytes), from);
      }
    } else {
      put("/dataset/sample_size", "1 B", "nothing was read");
    }
    if (!f_.file_per_sample && f_.files_seen > 0 && !out_.batch_is_sample)
      put("/dataset/layout", "records", fmt::format("{} large files are read in parts", f_.files_seen));
    const double own = f_.workers > 0 ? std::min(kWorkerBatch_s, 0.3 * f_.load_cpu_s) : 0.0;
    if (f_.workers > 0)
      put("/loader/worker_batch_cpu", seen_time_text(own), "record loader/pytorch, of what a worker spends on a batch");
    const bool cpu_varies = f_.cpu_variation * f_.load_cpu_s >= f_.wait_variation * f_.source_wait_s;
    // A trainer that loads by itself has a core in its steps, too.
    double load_cpu_s = f_.load_cpu_s;
    if (const auto step = step_without_workers())
      load_cpu_s = std::min(load_cpu_s, std::max(0.0, 1.0 / *f_.batches_per_s - step->first - f_.source_wait_s));
    const double cold_s = cold_cpu_s(load_cpu_s - own);
    if (cold_s > 0.0) {
      const double wait_s = f_.source_wait_s / f_.source_waits;
      put("/loader/wait_cpu", seen_time_text(cold_s / batch),
          fmt::format("{:.3g} waits of {} for each batch; caches of the core are cold after each", f_.source_waits,
                      seen_time_text(rounded(wait_s, 2))),
          kColdLow, kColdHigh);
    }
    put("/dataset/decode_time", varying(std::max(0.0, load_cpu_s - own - cold_s) / batch, f_.cpu_variation, cpu_varies),
        fmt::format("{} of CPU for each batch{}", seen_time_text(f_.load_cpu_s),
                    cpu_varies && f_.cpu_variation >= kVariationThatMatters
                        ? fmt::format(", which varies by {:.0f} %", 100.0 * f_.cpu_variation)
                        : ""),
        1.0 - spread_, 1.0 + spread_);
  }

  // Of the CPU that a batch takes, what it takes because of waits for the source.
  double cold_cpu_s(double cpu_s) const {
    if (f_.source_waits < 1.0 || f_.waiting_for_source <= 0.01) return 0.0;
    return std::min(kColdShareAtMost * std::max(0.0, cpu_s),
                    f_.source_waits * cold_after_s(f_.source_wait_s / f_.source_waits));
  }

  void set_step() {
    const double on_core = f_.workers > 0 ? std::max(0.0, f_.trainer_cpu_s - kTrainerBatch_s) : 0.0;
    if (const auto step = step_without_workers()) {
      put("/workload/step_time", seen_time_text(step->first), step->second, 1.0 - spread_, 1.0 + spread_);
      return;
    }
    if (gpu_tells_the_step()) {
      put("/workload/step_time", seen_time_text(f_.gpu_busy / *f_.batches_per_s),
          fmt::format("{:.0f} % of the time between batches the GPU ran kernels", 100.0 * f_.gpu_busy), 1.0 - spread_,
          1.0 + spread_);
      return;
    }
    put("/workload/step_time", seen_time_text(std::max(1e-6, f_.trainer_blocked_s)),
        "time of the trainer for each batch, neither on a core nor waiting for data", 1.0 - spread_, 1.0 + spread_);
    if (on_core > 0.0)
      put("/workload/step_return_cpu", seen_time_text(on_core), "time of the trainer on a core for each batch",
          1.0 - spread_, 1.0 + spread_);
    if (f_.workers == 0) {
      out_.missing.emplace_back(
          "Without workers, decoding and the trainer's own work on a core are one process: all of it counts as "
          "decoding, and what it sleeps as the step. --observed data_time=\"50 ms\" tells them apart.");
    }
  }

  // Kernels run on while the trainer waits for the next batch already. Where they take less than it does not wait, it
  // is the trainer's own work that steps take.
  bool gpu_tells_the_step() const { return f_.workers > 0 && f_.gpu_busy > 1.0 - f_.trainer_waits; }

  // Of a trainer that loads by itself, by what its log or the driver of its GPU say; with the clause that says so.
  std::optional<std::pair<double, std::string>> step_without_workers() const {
    if (f_.workers > 0) return std::nullopt;
    const double whole = 1.0 / *f_.batches_per_s;
    for (const Observation& one : answers_.observed) {
      if (one.quantity == "data_time" && one.value < whole)
        return std::pair(whole - one.value, std::string("the step that was seen, less its data_time"));
    }
    if (f_.gpu_busy > 0.0)
      return std::pair(whole * f_.gpu_busy, std::string("share of the step in which the GPU ran kernels"));
    return std::nullopt;
  }

  void set_storage() {
    const auto batch = static_cast<double>(batch_);
    const bool waits = f_.source_wait_s > 0.0 && f_.waiting_for_source > 0.01;
    if (!waits) return put("/storage/latency", "0 s", "its readers hardly wait for what they read", 1.0, 1.0);
    const std::string from = fmt::format("{} of waiting for each batch", seen_time_text(f_.source_wait_s));
    const bool wait_varies = f_.wait_variation * f_.source_wait_s > f_.cpu_variation * f_.load_cpu_s;
    if (f_.sharing == SourceSharing::kShared) {
      if (f_.shared_bytes_per_s > 0.0)
        put("/storage/read_bandwidth",
            format_quantity(Dimension::kByteRate, rounded(f_.shared_bytes_per_s, kSeenDigits)),
            fmt::format("all readers together have one pace: {}", f_.sharing_from), 1.0 - spread_, 1.0 + spread_);
      return put("/storage/latency", "0 s", "the pace of all holds what each waits", 1.0, 1.0);
    }
    if (f_.sharing == SourceSharing::kLimited)
      put("/storage/read_bandwidth", format_quantity(Dimension::kByteRate, rounded(f_.shared_bytes_per_s, kSeenDigits)),
          fmt::format("all readers together have a limit: {}", f_.sharing_from), 1.0 - spread_, 1.0 + spread_);
    put("/storage/latency", varying(f_.source_wait_s / batch, f_.wait_variation, wait_varies), from,
        1.0 - 2.0 * spread_, 1.0 + 2.0 * spread_);
    if (f_.sharing == SourceSharing::kUnknown) {
      out_.missing.emplace_back(fmt::format(
          "Whether more readers at a time would read more cannot be seen ({}). Each is taken to have its own pace: "
          "what "
          "more workers bring is then the most they can. --try-readers finds out by reading beside the job for 3 s.",
          f_.sharing_from.empty() ? "one process reads" : f_.sharing_from));
    }
  }

  void set_outcomes() {
    const double rate = *f_.batches_per_s;
    out_.outcomes.push_back(
        {"it_per_s", rate, rate * std::max(0.01, f_.batch_spread), "steps a second", f_.batches_from});
    if (gpu_tells_the_step())
      out_.outcomes.push_back({"gpu_busy", f_.gpu_busy, 0.0, "time in which the GPU ran kernels", "the GPU's driver"});
    else if (f_.workers > 0 && f_.trainer_waits + f_.trainer_queued < 0.99)
      out_.outcomes.push_back({"gpu_busy", 1.0 - f_.trainer_waits - f_.trainer_queued, 0.0,
                               "time that the trainer waits neither for a batch nor for a core",
                               "the trainer's waits"});
    for (const Observation& one : answers_.observed) {
      const bool known = std::any_of(out_.outcomes.begin(), out_.outcomes.end(),
                                     [&](const Observation& o) { return o.quantity == one.quantity; });
      const bool same = one.quantity == "step_time";  // of it_per_s
      if (!known && !same) out_.outcomes.push_back(one);
    }
  }

  const JobFigures& f_;
  const JobLimits& limits_;
  const JobAnswers& answers_;
  JobScenario out_;
  std::vector<std::string> uncertain_;
  std::int64_t batch_ = 1;
  double spread_ = kLeastSpread;
};

// "key: value" with its comment behind, where there is one.
std::string member_lines(const Json& object, const std::string& at, const std::vector<SeenValue>& values, int indent) {
  std::string out;
  std::size_t left = object.size();
  for (const auto& [key, value] : object.items()) {
    const std::string pointer = at + "/" + key;
    const std::string comma = --left > 0 ? "," : "";
    out += std::string(static_cast<std::size_t>(indent), ' ') + Json(key).dump() + ": ";
    if (value.is_object() && at.empty()) {
      out += "{\n" + member_lines(value, pointer, values, indent + 2) +
             std::string(static_cast<std::size_t>(indent), ' ') + "}" + comma + "\n";
      continue;
    }
    out += value.dump() + comma;
    const auto seen =
        std::find_if(values.begin(), values.end(), [&](const SeenValue& v) { return v.pointer == pointer; });
    if (seen != values.end()) {
      std::string from = seen->from;
      std::replace_if(
          from.begin(), from.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
      out += "  // " + from;
    }
    out += "\n";
  }
  return out;
}

}  // namespace

std::int64_t batch_from_files(const JobFigures& figures) {
  if (!figures.file_per_sample || figures.file_bytes <= 0.0 || figures.read_bytes <= 0.0) return 0;
  const double files = figures.read_bytes / figures.file_bytes;
  const double whole = std::round(files);
  return whole >= 1.0 && std::abs(files - whole) <= 0.1 * whole ? static_cast<std::int64_t>(whole) : 0;
}

JobScenario scenario_of(const JobFigures& figures, const JobLimits& limits, const JobAnswers& answers,
                        const std::string& name) {
  invariant(figures.batches_per_s.has_value() && *figures.batches_per_s > 0.0, "batches a second are not known");
  return ScenarioMaker(figures, limits, answers).make(name);
}

std::string annotated_text(const Json& document, const std::vector<SeenValue>& values) {
  return "{\n" + member_lines(document, "", values, 2) + "}\n";
}

}  // namespace stallcast
