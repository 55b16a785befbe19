#include "core/validate/measured_scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <system_error>
#include <variant>
#include <vector>

#include "core/scenario/check/check.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/resolve/resolve.h"
#include "core/scenario/resolve/scenario_file.h"
#include "core/validate/record_lines.h"

namespace stallcast {

namespace {

using nlohmann::json;

// What a record does not say about its machine, from measurements apart from any run.
//
// Cores: a queue per core with Linux's base slice, 0.7 ms * (1 + log2 of the cores). Against processes that wait and
// compute in turns on two cores, with no loader involved, its work takes the measured time within 5 % in five of six
// cases and 20 % too long in one (CoreSharing test; `core_sharing` of tests/validation/dataloader/machine.json).
Seconds time_slice(double cores) { return milliseconds(0.7 * (1.0 + std::floor(std::log2(std::max(1.0, cores))))); }
// next() of a batch that was received while an earlier one was awaited: hands out one index and frees the last batch.
// 0.11 to 0.38 ms over batch sizes 1 and 8 and gaps of 2 to 20 ms, PyTorch 1.13 on two cores, measured 2026-11.
constexpr Seconds kNextStored = milliseconds(0.15);

// Of the loader's own cost, filled in together where a record lacks them.
const std::vector<std::string> kBatchCosts = {"/loader/worker_batch_cpu", "/loader/consumer_batch_cpu",
                                              "/loader/inline_batch_cpu", "/loader/pipe_time", "/loader/next_ready"};
const std::vector<std::string> kStartCosts = {"/loader/start_call", "/loader/start_ready", "/loader/start_first",
                                              "/loader/start_cpu",  "/loader/shutdown",    "/loader/reset"};

bool is_stated(const json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && !it->is_null();
}

// The sigma of a lognormal distribution with this mean and standard deviation.
double sigma_of(double mean, double sd) {
  const double variation = mean > 0.0 ? sd / mean : 0.0;
  return std::sqrt(std::log1p(variation * variation));
}

// Adds a constant to every value of a latency distribution, as far as it stays non-negative.
Distribution shifted(Distribution d, double by) {
  d.mean = std::max(0.0, d.mean + by);
  d.fast = std::max(0.0, d.fast + by);
  d.slow = std::max(0.0, d.slow + by);
  return d;
}

// CPU time per sample. The record has it four times, alone and on all cores, before and after the run: processor speed
// drifts between them by more than the two conditions differ, so the mean of all is the best guess for the run.
double decode_time_of(const json& decode) {
  const auto four = decode.at("before_after").get<std::vector<double>>();
  if (four.empty()) return decode.at("alone_cpu_s");
  return std::accumulate(four.begin(), four.end(), 0.0) / static_cast<double>(four.size());
}

// Times seen in a user's training: equally likely quantiles where there are any, else their mean and deviation.
Distribution recorded_times(const json& measured, const char* mean_key) {
  const double mean = measured.at(mean_key);
  const auto quantiles = measured.value("quantiles_s", std::vector<double>());
  if (quantiles.empty() || quantiles.back() <= 0.0)
    return spread_about(mean, sigma_of(mean, number_or(measured, "sd_s", 0.0)));
  Distribution d;
  d.kind = DistributionKind::kEmpirical;
  d.quantiles = quantiles;
  return d;
}

double gap_of(const std::string& text) {
  double number = 0.0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc() || stop != end || !std::isfinite(number))
    throw BadRecord(fmt::format("\"{}\" is no number", text));
  return number;
}

// A line fitted to few and noisy times may fall with the workers, which no scenario's does: what it says of `workers`
// is then taken as it is.
LinearCost linear(const json& fit, std::int64_t workers) {
  const double base_s = fit.at("base_s"), per_worker_s = fit.at("per_worker_s");
  if (per_worker_s >= 0.0 && base_s >= 0.0) return {seconds(base_s), seconds(per_worker_s)};
  return {seconds(std::max(0.0, base_s + per_worker_s * static_cast<double>(workers))), seconds(0)};
}

class Reader {
 public:
  explicit Reader(const json& record) : config_(record.at("config")), inputs_(record.at("inputs")) {
    s_.name = record.at("id");
  }

  MeasuredScenario run() {
    cluster();
    workload();
    dataset();
    loader();
    batch_costs();
    start_costs();
    storage();
    checkpoint();
    run_length();
    return std::move(out_);
  }

 private:
  void stated(std::initializer_list<const char*> pointers) { out_.stated.insert(pointers.begin(), pointers.end()); }

  void cluster() {
    const std::int64_t ranks = whole_number(config_.at("ranks"));
    const std::int64_t nodes = std::max<std::int64_t>(1, whole_number(config_.value("nodes", json(1))));
    s_.cluster.nodes = nodes;
    s_.cluster.gpus_per_node = std::max<std::int64_t>(1, ranks / nodes);
    s_.cluster.cores_per_node = inputs_.at("cores");
    s_.cluster.core_sharing = CoreSharing::kQueuePerCore;
    s_.cluster.time_slice = time_slice(s_.cluster.cores_per_node);
    stated({"/cluster/nodes", "/cluster/gpus_per_node", "/cluster/cores_per_node", "/cluster/core_sharing",
            "/cluster/time_slice"});
    if (!is_stated(inputs_, "copy")) return;
    const json& copy = inputs_.at("copy");
    s_.cluster.host_to_device_bandwidth = bytes(copy.at("bytes")) / seconds(copy.at("mean_s"));
    stated({"/cluster/host_to_device_bandwidth"});
  }

  void workload() {
    WorkloadSpec& w = s_.workload;
    const json& step = inputs_.at("step");
    w.batch_size = whole_number(config_.at("batch_size"));
    w.step_time = spread_about(config_.at("step_s"), config_.at("step_sigma"));
    // An emulated accelerator is a sleep: what an isolated one overshoots is the process's way back to a core. A step
    // on the host takes a core for what the record calls its CPU time.
    const double overshoot = step.at("overshoot_s");
    w.step_return_cpu = seconds(std::max(0.0, overshoot + number_or(step, "cpu_s", 0.0)));
    stated({"/workload/batch_size", "/workload/step_time", "/workload/step_return_cpu"});
    w.barrier_time = seconds(number_or(inputs_, "barrier_s", 0.0));
    if (s_.ranks() <= 1 || is_stated(inputs_, "barrier_s")) stated({"/workload/barrier_time"});
  }

  void dataset() {
    DatasetSpec& d = s_.dataset;
    d.tensor_size = bytes(config_.at("payload_bytes"));
    d.layout = DatasetLayout::kRecords;
    const json& decode = inputs_.at("decode");
    const std::string kind = config_.at("decode").at("kind");
    if (decode.is_null()) {
      if (kind == "none") stated({"/dataset/decode_time"});
    } else if (kind == "recorded") {
      d.decode_time = recorded_times(decode, "alone_cpu_s");
      stated({"/dataset/decode_time"});
    } else {
      const double mean = decode_time_of(decode);
      const double sigma = kind == "zlib"   ? config_.at("decode").at("sigma").get<double>()
                           : kind == "jpeg" ? sigma_of(mean, number_or(decode, "sd_s", 0.0))
                                            : 0.0;
      d.decode_time = spread_about(mean, sigma);
      stated({"/dataset/decode_time"});
    }
    const json& shards = config_.at("shards");
    d.samples_per_shard = std::max<std::int64_t>(1, whole_number(shards.at("samples")));
    d.shards_per_rank = whole_number(shards.at("count"));
    s_.storage.open_latency = Distribution::constant(shards.at("open_s"));
    stated({"/dataset/tensor_size", "/dataset/layout"});
    if (s_.dataset.shards_per_rank > 0)
      stated({"/dataset/samples_per_shard", "/dataset/shards_per_rank", "/storage/open_latency"});
  }

  void loader() {
    LoaderSpec& l = s_.loader;
    l.style = config_.at("style") == "iterable" ? LoaderStyle::kIterable : LoaderStyle::kMap;
    l.num_workers = whole_number(config_.at("num_workers"));
    l.prefetch_factor = whole_number(config_.at("prefetch_factor"));
    l.persistent_workers = config_.at("persistent_workers");
    l.in_order = config_.at("in_order");
    l.pin_memory = config_.value("pin_memory", false);
    // A fork server's workers import the program anew, as spawned ones do.
    l.start_method = config_.at("mp_context") == "fork" ? StartMethod::kFork : StartMethod::kSpawn;
    l.next_stored = kNextStored;
    stated({"/loader/style", "/loader/num_workers", "/loader/in_order", "/loader/pin_memory", "/loader/next_stored"});
    if (l.num_workers > 0) stated({"/loader/prefetch_factor", "/loader/persistent_workers", "/loader/start_method"});
  }

  void batch_costs() {
    if (!is_stated(inputs_, "overhead_per_batch")) return;
    LoaderSpec& l = s_.loader;
    const json& cost = inputs_.at("overhead_per_batch");
    l.worker_batch_cpu = seconds(cost.at("worker_cpu_s"));
    l.consumer_batch_cpu = seconds(cost.at("main_cpu_s"));
    l.inline_batch_cpu = seconds(cost.at("collate_nw0_s"));
    l.pipe_time = seconds(cost.at("pipe_1w_s"));
    std::vector<CurvePoint> curve;
    for (const auto& [gap, time] : cost.at("next_ready_by_gap_s").items())
      curve.push_back({seconds(gap_of(gap)), seconds(time.get<double>())});
    std::sort(curve.begin(), curve.end(), [](const CurvePoint& a, const CurvePoint& b) { return a.gap < b.gap; });
    if (curve.empty() && is_stated(cost, "next_ready_s"))
      curve.push_back({seconds(0.0), seconds(cost.at("next_ready_s"))});
    l.next_ready = curve;
    out_.stated.insert(kBatchCosts.begin(), kBatchCosts.end());
    if (curve.empty()) out_.stated.erase("/loader/next_ready");  // batches that took longer than every gap tried
    if (l.pin_memory) stated({"/loader/pin_bandwidth"});         // what the main process does for a batch has its copy
  }

  void start_costs() {
    if (!is_stated(inputs_, "worker_start")) return;
    LoaderSpec& l = s_.loader;
    const json& start = inputs_.at("worker_start");
    l.start_call = linear(start.at("iter_s"), l.num_workers);
    l.start_ready = linear(start.at("ready_max_s"), l.num_workers);
    l.start_first = linear(start.at("first_s"), l.num_workers);
    l.shutdown = linear(start.at("shutdown_s"), l.num_workers);
    l.reset = linear(start.at("reset_s"), l.num_workers);
    out_.stated.insert(kStartCosts.begin(), kStartCosts.end());
  }

  void storage() {
    const json& read = config_.at("read");
    const std::string mode = read.at("mode");
    if (mode == "none") return;
    const json& measured = inputs_.at("read");
    StorageSpec& t = s_.storage;
    stated({"/storage/latency"});
    if (mode == "recorded") {
      // Waiting per sample as this run met it, its transfer included: what readers do to each other is in it as far as
      // this run had them, and a bandwidth is not known.
      t.latency = recorded_times(measured, "mean_s");
      if (!is_stated(measured, "bytes_mean")) return;
      const double size = measured.at("bytes_mean");
      s_.dataset.sample_size = spread_about(size, sigma_of(size, number_or(measured, "bytes_sd", 0.0)));
      stated({"/dataset/sample_size"});
      return;
    }
    stated({"/dataset/sample_size", "/storage/read_bandwidth"});
    if (mode == "emulated") {
      t.latency = shifted(recorded_latency(read.at("latency")), measured.value("overshoot_s", 0.0));
      s_.dataset.sample_size = spread_about(number_or(read, "bytes", 0.0), number_or(read, "bytes_sigma", 0.0));
      t.read_bandwidth = bytes_per_second(number_or(read, "shared_Bps", 0.0));
      t.stream_bandwidth = bytes_per_second(number_or(read, "stream_Bps", 0.0));
      t.duplex = false;
      t.service_quantum = seconds(number_or(read, "chunk_s", 0.0));
      stated({"/storage/stream_bandwidth", "/storage/duplex", "/storage/service_quantum"});
      return;
    }
    // Real files: a fixed time in front of a shared bandwidth, from one reader alone and all readers together.
    const double size = measured.at("bytes_mean"), alone = measured.at("mean_s");
    const double aggregate = std::max(measured.value("together_Bps", 0.0), size / alone);
    s_.dataset.sample_size = Distribution::constant(size);
    t.read_bandwidth = bytes_per_second(aggregate);
    const double fixed = std::max(0.0, alone - size / aggregate);
    const double variation = fixed > 0 ? std::min(measured.value("sd_s", 0.0) / fixed, 1.0) : 0.0;
    t.latency = spread_about(fixed, sigma_of(1.0, variation));
  }

  void checkpoint() {
    const json& c = config_.at("checkpoint");
    const std::string mode = c.at("mode");
    CheckpointSpec& checkpoint = s_.checkpoint;
    checkpoint.mode = mode == "sync"    ? CheckpointMode::kSync
                      : mode == "async" ? CheckpointMode::kAsync
                                        : CheckpointMode::kNone;
    checkpoint.interval_steps = whole_number(c.at("every"));
    checkpoint.write_bandwidth = bytes_per_second(c.at("Bps"));
    checkpoint.to_storage = c.at("shared_device");
    checkpoint.snapshot_time = seconds(c.at("snapshot_s"));
    checkpoint.writers = c.at("who") == "all" ? CheckpointWriters::kAll : CheckpointWriters::kRank0;
    const double per_writer = c.at("bytes");
    const bool all = checkpoint.writers == CheckpointWriters::kAll;
    checkpoint.size = bytes(all ? per_writer * static_cast<double>(s_.ranks()) : per_writer);
    stated({"/checkpoint/mode"});
    if (checkpoint.mode != CheckpointMode::kNone)
      stated({"/checkpoint/interval_steps", "/checkpoint/size", "/checkpoint/write_bandwidth", "/checkpoint/to_storage",
              "/checkpoint/snapshot_time", "/checkpoint/writers"});
  }

  void run_length() {
    s_.run.epochs = whole_number(config_.at("epochs"));
    // An iterable loader goes through its shards, whatever was asked for.
    const bool by_shards = s_.loader.style == LoaderStyle::kIterable && s_.dataset.shards_per_rank > 0;
    if (!by_shards) s_.run.steps_per_epoch = whole_number(config_.at("steps_per_epoch"));
    s_.run.whole_run = true;
    stated({"/run/epochs", "/run/steps_per_epoch", "/run/whole_run"});
  }

  const json& config_;
  const json& inputs_;
  MeasuredScenario out_;
  Scenario& s_ = out_.scenario;
};

bool is_finite(const FieldValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return std::isfinite(*number);
  if (const auto* line = std::get_if<LinearCost>(&value))
    return std::isfinite(line->base.base()) && std::isfinite(line->per_worker.base());
  if (const auto* d = std::get_if<Distribution>(&value))
    return std::isfinite(d->mean) && std::isfinite(d->sigma) && std::isfinite(d->fast) && std::isfinite(d->slow);
  return true;  // those of a curve and of quantiles are as the record has them
}

// As if a person had written the scenario: with the ranges of its fields, and an end to the run.
void require_ranges(const MeasuredScenario& measured) {
  for (const Field& field : field_table())
    if (!is_finite(field.get(measured.scenario))) throw BadRecord(field.pointer + " would be no finite number");
  Findings findings = parse_scenario(scenario_to_json(measured.scenario), "").findings;
  if (!findings.has_errors()) findings = check_scenario(measured.scenario, measured.stated, "");
  for (const Finding& finding : findings.list()) {
    if (finding.severity != Severity::kError) continue;
    throw BadRecord(fmt::format("{} would be {}, allowed {}", finding.pointer, finding.got, finding.allowed));
  }
}

}  // namespace

Distribution recorded_latency(const json& spec) {
  const std::string kind = spec.value("kind", "none");
  Distribution d;
  if (kind == "const") d.mean = spec.at("mean_s");
  if (kind == "lognormal") d = Distribution::lognormal(spec.at("mean_s"), spec.at("sigma"));
  if (kind == "bimodal") {
    d.kind = DistributionKind::kBimodal;
    d.fast = spec.at("fast_s");
    d.slow = spec.at("slow_s");
    d.slow_probability = spec.at("slow_prob");
  }
  return d;
}

Distribution spread_about(double mean, double sigma) {
  return sigma > 0 ? Distribution::lognormal(mean, sigma) : Distribution::constant(mean);
}

double number_or(const json& object, const char* key, double otherwise) {
  return is_stated(object, key) ? object.at(key).get<double>() : otherwise;
}

std::int64_t whole_number(const json& number) {
  const double value = number.get<double>();
  if (std::abs(value) > 0x1p53 || value != std::trunc(value))
    throw BadRecord(fmt::format("{} is no whole number", number.dump()));
  return static_cast<std::int64_t>(value);
}

MeasuredScenario measured_scenario(const json& record) {
  MeasuredScenario measured = Reader(record).run();
  require_ranges(measured);
  return measured;
}

bool states_loader_costs(const json& record) {
  const json& inputs = record.at("inputs");
  const bool has_workers = record.at("config").at("num_workers") > 0;
  return is_stated(inputs, "overhead_per_batch") && (!has_workers || is_stated(inputs, "worker_start"));
}

void assume_loader_costs(MeasuredScenario& run, const Catalogue& catalogue, const std::string& file, std::size_t line,
                         Findings& findings) {
  ScenarioFile described{run.scenario, run.stated, {}, file, {}};
  const Loaded<ResolvedScenario> resolved = resolve(described, catalogue);
  if (!resolved.value) return findings.append(resolved.findings);
  run.scenario.loader = resolved.value->scenario.loader;
  findings.add({.severity = Severity::kWarning,
                .code = "assumed_value",
                .file = file,
                .pointer = fmt::format("line {}", line),
                .got = "a record without the loader's own cost",
                .allowed = "inputs.overhead_per_batch and inputs.worker_start",
                .fix = "record with recorder.watch(loader, measure=True), which measures them on that machine",
                .why = "PyTorch's costs of the catalogue are used"});
}

}  // namespace stallcast
