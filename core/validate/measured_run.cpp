#include "core/validate/measured_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/validate/numpy_random.h"

namespace stallcast {

namespace {

using Json = nlohmann::json;

// What a record does not say about its machine, from measurements apart from any run.
//
// Cores: a queue per core with Linux's base slice, 0.7 ms * (1 + log2 of the cores). Against processes that wait and
// compute in turns on two cores, with no loader involved, its work takes the measured time within 5 % in five of six
// cases and 20 % too long in one (CoreSharing test; `core_sharing` of tests/validation/dataloader/machine.json).
Seconds time_slice(double cores) { return milliseconds(0.7 * (1.0 + std::floor(std::log2(std::max(1.0, cores))))); }
// next() of a batch that was received while an earlier one was awaited: hands out one index and frees the last batch.
// 0.11 to 0.38 ms over batch sizes 1 and 8 and gaps of 2 to 20 ms, PyTorch 1.13 on two cores, measured 2026-11.
constexpr Seconds kNextStored = milliseconds(0.15);

// What the record says about a sample's storage latency, as a distribution of the same mean.
Distribution latency_of(const Json& spec) {
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

// Adds a constant to every value of a latency distribution, as far as it stays non-negative.
Distribution shifted(Distribution d, double by) {
  d.mean = std::max(0.0, d.mean + by);
  d.fast = std::max(0.0, d.fast + by);
  d.slow = std::max(0.0, d.slow + by);
  return d;
}

// CPU time per sample. The record has it four times, alone and on all cores, before and after the run: processor speed
// drifts between them by more than the two conditions differ, so the mean of all is the best guess for the run.
double decode_time_of(const Json& decode) {
  const auto four = decode.at("before_after").get<std::vector<double>>();
  if (four.empty()) return decode.at("alone_cpu_s");
  return std::accumulate(four.begin(), four.end(), 0.0) / static_cast<double>(four.size());
}

double number_or(const Json& object, const char* key, double otherwise) {
  const auto it = object.find(key);
  return it == object.end() || it->is_null() ? otherwise : it->get<double>();
}

LinearCost linear(const Json& fit) { return {seconds(fit.at("base_s")), seconds(fit.at("per_worker_s"))}; }

Distribution spread(double mean, double sigma) {
  return sigma > 0 ? Distribution::lognormal(mean, sigma) : Distribution::constant(mean);
}

void read_loader(const Json& config, const Json& inputs, LoaderSpec& loader) {
  loader.style = config.at("style") == "iterable" ? LoaderStyle::kIterable : LoaderStyle::kMap;
  loader.num_workers = config.at("num_workers");
  loader.prefetch_factor = config.at("prefetch_factor");
  loader.persistent_workers = config.at("persistent_workers");
  loader.in_order = config.at("in_order");
  loader.start_method = config.at("mp_context") == "spawn" ? StartMethod::kSpawn : StartMethod::kFork;
  const Json& cost = inputs.at("overhead_per_batch");
  loader.worker_batch_cpu = seconds(cost.at("worker_cpu_s"));
  loader.consumer_batch_cpu = seconds(cost.at("main_cpu_s"));
  loader.inline_batch_cpu = seconds(cost.at("collate_nw0_s"));
  loader.pipe_time = seconds(cost.at("pipe_1w_s"));
  std::vector<CurvePoint> curve;
  for (const auto& [gap, time] : cost.at("next_ready_by_gap_s").items())
    curve.push_back({seconds(std::stod(gap)), seconds(time.get<double>())});
  std::sort(curve.begin(), curve.end(), [](const CurvePoint& a, const CurvePoint& b) { return a.gap < b.gap; });
  if (curve.empty()) curve.push_back({seconds(0.0), seconds(cost.at("next_ready_s"))});
  loader.next_ready = curve;
  if (const Json& start = inputs.at("worker_start"); !start.is_null()) {
    loader.start_call = linear(start.at("iter_s"));
    loader.start_ready = linear(start.at("ready_max_s"));
    loader.start_first = linear(start.at("first_s"));
    loader.shutdown = linear(start.at("shutdown_s"));
    loader.reset = linear(start.at("reset_s"));
  }
}

void read_storage(const Json& config, const Json& inputs, Scenario& s) {
  const Json& read = config.at("read");
  const std::string mode = read.at("mode");
  if (mode == "none") return;
  const Json& measured = inputs.at("read");
  if (mode == "emulated") {
    s.storage.latency = shifted(latency_of(read.at("latency")), measured.value("overshoot_s", 0.0));
    s.dataset.sample_size = spread(number_or(read, "bytes", 0.0), number_or(read, "bytes_sigma", 0.0));
    s.storage.read_bandwidth = bytes_per_second(number_or(read, "shared_Bps", 0.0));
    s.storage.stream_bandwidth = bytes_per_second(number_or(read, "stream_Bps", 0.0));
    s.storage.duplex = false;
    s.storage.service_quantum = seconds(number_or(read, "chunk_s", 0.0));
    return;
  }
  // Real files: a fixed time in front of a shared bandwidth, from one reader alone and all readers together.
  const double size = measured.at("bytes_mean"), alone = measured.at("mean_s");
  const double aggregate = std::max(measured.value("together_Bps", 0.0), size / alone);
  s.dataset.sample_size = Distribution::constant(size);
  s.storage.read_bandwidth = bytes_per_second(aggregate);
  const double fixed = std::max(0.0, alone - size / aggregate);
  const double sd = measured.value("sd_s", 0.0);
  const double cv = fixed > 0 ? std::min(sd / fixed, 1.0) : 0.0;
  s.storage.latency = spread(fixed, std::sqrt(std::log1p(cv * cv)));
}

void read_checkpoint(const Json& config, CheckpointSpec& checkpoint) {
  const Json& c = config.at("checkpoint");
  const std::string mode = c.at("mode");
  checkpoint.mode = mode == "sync"    ? CheckpointMode::kSync
                    : mode == "async" ? CheckpointMode::kAsync
                                      : CheckpointMode::kNone;
  checkpoint.interval_steps = c.at("every");
  checkpoint.size = bytes(c.at("bytes"));
  checkpoint.write_bandwidth = bytes_per_second(c.at("Bps"));
  checkpoint.to_storage = c.at("shared_device");
  checkpoint.snapshot_time = seconds(c.at("snapshot_s"));
  checkpoint.writers = c.at("who") == "all" ? CheckpointWriters::kAll : CheckpointWriters::kRank0;
}

// The draws of one rank, from the recorded seed, in the order the harness makes them.
std::vector<double> lognormal_draws(std::vector<std::uint64_t> entropy, double mean, double sigma, std::size_t n) {
  std::vector<double> out(n, mean);
  if (sigma <= 0) return out;
  NumpyRandom random(entropy);
  for (double& x : out) x = mean * std::exp(sigma * random.normal() - 0.5 * sigma * sigma);
  return out;
}

ReplayedDraws::Rank replay_rank(const Json& config, const Json& inputs, const Scenario& s, std::uint64_t rank) {
  const std::uint64_t seed = config.at("seed");
  const auto epochs = static_cast<std::size_t>(s.run.epochs);
  const auto batch = static_cast<std::size_t>(s.workload.batch_size);
  std::size_t samples, steps;
  if (s.loader.style == LoaderStyle::kMap) {
    steps = static_cast<std::size_t>(s.run.steps_per_epoch) * epochs;
    samples = steps * batch;
  } else {
    samples = static_cast<std::size_t>(s.dataset.shards_per_rank * s.dataset.samples_per_shard) * epochs;
    steps = samples / batch + 1;  // at most; the stream is the same however many are drawn
  }
  const Json& read = config.at("read");
  const Json& latency = read.at("latency");
  ReplayedDraws::Rank out;
  enum Stream : std::uint64_t { kLatency, kBytes, kDecode, kStep };
  const std::string mode = read.at("mode");
  if (mode == "emulated") {
    const std::string kind = latency.value("kind", "none");
    if (kind == "lognormal") {
      out.latency_s = lognormal_draws({seed, rank, kLatency}, latency.at("mean_s"), latency.at("sigma"), samples);
    } else if (kind == "bimodal") {
      NumpyRandom random({seed, rank, kLatency});
      const double slow = latency.at("slow_s"), fast = latency.at("fast_s"), probability = latency.at("slow_prob");
      for (std::size_t i = 0; i < samples; ++i) out.latency_s.push_back(random.uniform() < probability ? slow : fast);
    } else {
      out.latency_s.assign(samples, latency_of(latency).mean);
    }
    const double overshoot = inputs.at("read").value("overshoot_s", 0.0);
    for (double& x : out.latency_s) x = std::max(0.0, x + overshoot);
    out.size_bytes = lognormal_draws({seed, rank, kBytes}, number_or(read, "bytes", 0.0),
                                     number_or(read, "bytes_sigma", 0.0), samples);
  }
  if (mode.starts_with("file")) {
    // Real reads have no recorded draws: the distribution's own, by the same generator for every repeat.
    const Draws random(s, seed, nullptr);
    for (std::size_t i = 0; i < samples; ++i) {
      const SampleDraw draw = random.sample(static_cast<std::int64_t>(rank), i);
      out.latency_s.push_back(random.latency_s(static_cast<std::int64_t>(rank), i));
      out.size_bytes.push_back(draw.size_bytes);
      if (config.at("decode").at("kind") == "jpeg") out.decode_s.push_back(draw.decode_s);
    }
  }
  const Json& decode = config.at("decode");
  if (decode.at("kind") == "zlib") {
    out.decode_s = lognormal_draws({seed, rank, kDecode}, decode.at("cpu_s"), decode.at("sigma"), samples);
    double mean = 0.0;
    for (double x : out.decode_s) mean += x / static_cast<double>(samples);
    for (double& x : out.decode_s) x *= s.dataset.decode_time.mean / mean;
  }
  out.step_s = lognormal_draws({seed, rank, kStep}, config.at("step_s"), config.at("step_sigma"), steps);
  return out;
}

// Why the model cannot predict a record, or "".
std::string reason_unknown(const Json& record) {
  const Json& config = record.at("config");
  const auto one_of = [&](const Json& value, const char* what,
                          std::initializer_list<const char*> known) -> std::string {
    const std::string word = value.is_string() ? value.get<std::string>() : value.dump();
    for (const char* k : known)
      if (word == k) return "";
    return fmt::format("{} \"{}\" is not modelled", what, word);
  };
  for (const std::string& reason : {
           record.at("schema") == 1 ? std::string() : fmt::format("schema {} is not known", record.at("schema").dump()),
           one_of(config.at("style"), "style", {"map", "iterable"}),
           one_of(config.at("read").at("mode"), "read.mode", {"none", "emulated", "file_odirect", "file_fadvise"}),
           one_of(config.at("read").at("latency").value("kind", Json("none")), "read.latency.kind",
                  {"none", "const", "lognormal", "bimodal"}),
           one_of(config.at("decode").at("kind"), "decode.kind", {"none", "zlib", "jpeg"}),
           one_of(config.at("checkpoint").at("mode"), "checkpoint.mode", {"none", "sync", "async"}),
           one_of(config.at("mp_context"), "mp_context", {"fork", "spawn"}),
       })
    if (!reason.empty()) return reason;
  if (config.at("read").at("mode") != "none" && record.at("inputs").at("read").is_null())
    return "no measured inputs.read";
  return "";
}

MeasuredRun read_record(const Json& record) {
  const Json& config = record.at("config");
  const Json& inputs = record.at("inputs");
  MeasuredRun run;
  run.id = record.at("id");
  run.repeat = record.at("repeat");
  run.mechanism = record.at("mechanism");
  if (const auto outputs = record.find("outputs"); outputs != record.end() && outputs->is_object())
    run.measured = RunOutputs{outputs->at("au"), number_or(*outputs, "au_steady", NAN), outputs->at("samples_per_s")};

  Scenario& s = run.scenario;
  s.name = run.id;
  s.cluster.gpus_per_node = config.at("ranks");
  s.cluster.cores_per_node = inputs.at("cores");
  s.cluster.core_sharing = CoreSharing::kQueuePerCore;
  s.cluster.time_slice = time_slice(s.cluster.cores_per_node);
  s.loader.next_stored = kNextStored;
  s.workload.batch_size = config.at("batch_size");
  s.workload.step_time = spread(config.at("step_s"), config.at("step_sigma"));
  // The accelerator is a sleep: what an isolated one overshoots is the process's way back to a core.
  s.workload.step_return_cpu = seconds(std::max(0.0, inputs.at("step").at("overshoot_s").get<double>()));
  s.workload.barrier_time = seconds(number_or(inputs, "barrier_s", 0.0));
  s.dataset.tensor_size = bytes(config.at("payload_bytes"));
  s.dataset.layout = DatasetLayout::kRecords;
  if (const Json& decode = inputs.at("decode"); !decode.is_null()) {
    const double sigma = config.at("decode").at("kind") == "zlib" ? config.at("decode").at("sigma").get<double>() : 0.0;
    s.dataset.decode_time = spread(decode_time_of(decode), sigma);
    if (config.at("decode").at("kind") == "jpeg") {
      const double mean = decode_time_of(decode), cv = number_or(decode, "sd_s", 0.0) / mean;
      s.dataset.decode_time = spread(mean, std::sqrt(std::log1p(cv * cv)));
    }
  }
  const Json& shards = config.at("shards");
  s.dataset.samples_per_shard = std::max<std::int64_t>(1, shards.at("samples"));
  s.dataset.shards_per_rank = shards.at("count");
  s.storage.open_latency = Distribution::constant(shards.at("open_s"));
  s.run.epochs = config.at("epochs");
  s.run.steps_per_epoch = config.at("steps_per_epoch");
  s.run.whole_run = true;
  read_loader(config, inputs, s.loader);
  read_storage(config, inputs, s);
  read_checkpoint(config, s.checkpoint);

  auto draws = std::make_shared<ReplayedDraws>();
  for (std::int64_t r = 0; r < s.ranks(); ++r)
    draws->ranks.push_back(replay_rank(config, inputs, s, static_cast<std::uint64_t>(r)));
  run.draws = draws;
  return run;
}

}  // namespace

Loaded<MeasuredRuns> load_measured_runs(const std::filesystem::path& path) {
  std::ifstream in(path);
  if (!in || std::filesystem::is_directory(path)) throw WorldError(fmt::format("{}: cannot be read", path.string()));
  Loaded<MeasuredRuns> out;
  out.value.emplace();
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      const Json record = Json::parse(line);
      if (const std::string reason = reason_unknown(record); !reason.empty()) {
        out.value->unknown.push_back({record.at("id"), reason});
      } else {
        out.value->runs.push_back(read_record(record));
      }
    } catch (const Json::exception& problem) {
      out.findings.add({.code = "bad_record",
                        .file = path.string(),
                        .pointer = fmt::format("line {}", number),
                        .got = line.substr(0, 60),
                        .allowed = "one measured run as a JSON object",
                        .fix = "",
                        .why = problem.what()});
    }
  }
  return out;
}

}  // namespace stallcast
