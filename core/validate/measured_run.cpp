#include "core/validate/measured_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/validate/measured_scenario.h"
#include "core/validate/numpy_random.h"
#include "core/validate/record_lines.h"

namespace stallcast {

namespace {

using nlohmann::json;

constexpr double kMostDraws = 5e7;  // of one record, 8 bytes each

// How many numbers replay_rank() makes for all ranks, at most.
double draws_of(const json& record, const Scenario& s) {
  if (!record.at("config").contains("seed")) return 0.0;
  const auto number = [](std::int64_t count) { return static_cast<double>(count); };
  const double batch = number(s.workload.batch_size), epochs = number(s.run.epochs);
  const double samples = s.loader.style == LoaderStyle::kMap
                             ? number(s.run.steps_per_epoch) * batch
                             : number(s.dataset.shards_per_rank) * number(s.dataset.samples_per_shard);
  return number(s.ranks()) * epochs * (3.0 * samples + samples / batch + 1.0);
}

// The draws of one rank, from the recorded seed, in the order the harness makes them.
std::vector<double> lognormal_draws(const std::vector<std::uint64_t>& entropy, double mean, double sigma,
                                    std::size_t n) {
  std::vector<double> out(n, mean);
  if (sigma <= 0) return out;
  NumpyRandom random(entropy);
  for (double& x : out) x = mean * std::exp(sigma * random.normal() - 0.5 * sigma * sigma);
  return out;
}

std::uint64_t seed_of(const json& config) {
  const json& seed = config.at("seed");
  if (!seed.is_number_unsigned()) throw BadRecord(fmt::format("seed {} is no whole number from 0 on", seed.dump()));
  return seed.get<std::uint64_t>();
}

ReplayedDraws::Rank replay_rank(const json& config, const json& inputs, const Scenario& s, std::uint64_t rank) {
  const std::uint64_t seed = seed_of(config);
  const auto epochs = static_cast<std::size_t>(s.run.epochs);
  const auto batch = static_cast<std::size_t>(s.workload.batch_size);
  std::size_t samples = 0, steps = 0;
  if (s.loader.style == LoaderStyle::kMap) {
    steps = static_cast<std::size_t>(s.run.steps_per_epoch) * epochs;
    samples = steps * batch;
  } else {
    samples = static_cast<std::size_t>(s.dataset.shards_per_rank * s.dataset.samples_per_shard) * epochs;
    steps = samples / batch + 1;  // at most; the stream is the same however many are drawn
  }
  const json& read = config.at("read");
  const json& latency = read.at("latency");
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
      out.latency_s.assign(samples, recorded_latency(latency).mean);
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
  const json& decode = config.at("decode");
  if (decode.at("kind") == "zlib") {
    out.decode_s = lognormal_draws({seed, rank, kDecode}, decode.at("cpu_s"), decode.at("sigma"), samples);
    double mean = 0.0;
    for (double x : out.decode_s) mean += x / static_cast<double>(samples);
    if (mean > 0.0)
      for (double& x : out.decode_s) x *= s.dataset.decode_time.mean / mean;
  }
  out.step_s = lognormal_draws({seed, rank, kStep}, config.at("step_s"), config.at("step_sigma"), steps);
  return out;
}

// Why the model cannot predict a record, or "".
std::string reason_unknown(const json& record) {
  const json& config = record.at("config");
  const auto one_of = [&](const json& value, const char* what,
                          std::initializer_list<const char*> known) -> std::string {
    const std::string word = value.is_string() ? value.get<std::string>() : value.dump();
    for (const char* k : known)
      if (word == k) return "";
    return fmt::format("{} \"{}\" is not modelled", what, word);
  };
  for (const std::string& reason : {
           record.at("schema") == 1 ? std::string() : fmt::format("schema {} is not known", record.at("schema").dump()),
           one_of(config.at("style"), "style", {"map", "iterable"}),
           one_of(config.at("read").at("mode"), "read.mode",
                  {"none", "emulated", "file_odirect", "file_fadvise", "recorded"}),
           one_of(config.at("read").at("latency").value("kind", json("none")), "read.latency.kind",
                  {"none", "const", "lognormal", "bimodal"}),
           one_of(config.at("decode").at("kind"), "decode.kind", {"none", "zlib", "jpeg", "recorded"}),
           one_of(config.at("checkpoint").at("mode"), "checkpoint.mode", {"none", "sync", "async"}),
           one_of(config.at("mp_context"), "mp_context", {"fork", "spawn", "forkserver"}),
       })
    if (!reason.empty()) return reason;
  if (config.at("read").at("mode") != "none" && record.at("inputs").at("read").is_null())
    return "no measured inputs.read";
  if (config.at("decode").at("kind") != "none" && record.at("inputs").at("decode").is_null())
    return "no measured inputs.decode";
  if (config.at("checkpoint").at("mode") != "none" && config.at("checkpoint").at("bytes") <= 0)
    return "a checkpoint without its size: recorder.checkpoint() takes the bytes or the path of the file";
  return "";
}

RunOutputs measured_outputs(const json& outputs) {
  const RunOutputs out{outputs.at("au"), number_or(outputs, "au_steady", NAN), outputs.at("samples_per_s")};
  const auto is_share = [](double share) { return share >= 0.0 && share <= 1.0; };
  if (!is_share(out.au) || (!std::isnan(out.au_steady) && !is_share(out.au_steady)) || out.samples_per_s <= 0.0)
    throw BadRecord("outputs where au and au_steady are not from 0 to 1, or samples_per_s is not above 0");
  return out;
}

MeasuredRun read_run(const json& record, const MeasuredScenario& measured) {
  const json& config = record.at("config");
  const json& inputs = record.at("inputs");
  MeasuredRun run;
  run.id = record.at("id");
  run.repeat = whole_number(record.at("repeat"));
  run.mechanism = record.at("mechanism");
  if (const auto outputs = record.find("outputs"); outputs != record.end() && outputs->is_object())
    run.measured = measured_outputs(*outputs);
  run.scenario = measured.scenario;
  run.stated = measured.stated;
  if (!config.contains("seed")) return run;  // recorded in a user's training: its draws are not known

  auto draws = std::make_shared<ReplayedDraws>();
  for (std::int64_t r = 0; r < run.scenario.ranks(); ++r)
    draws->ranks.push_back(replay_rank(config, inputs, run.scenario, static_cast<std::uint64_t>(r)));
  run.draws = draws;
  return run;
}

struct Place {
  std::string file;
  std::size_t line = 0;
};

// Adds one record to the runs, or to the unknown ones.
void add_record(const json& record, const Place& place, const Catalogue* catalogue, Loaded<MeasuredRuns>& out) {
  const auto unknown = [&](std::string reason) { out.value->unknown.push_back({record.at("id"), std::move(reason)}); };
  if (std::string reason = reason_unknown(record); !reason.empty()) return unknown(std::move(reason));
  MeasuredScenario measured = measured_scenario(record);
  if (const double draws = draws_of(record, measured.scenario); draws > kMostDraws)
    return unknown(fmt::format("{:.3g} draws to replay, of {:.3g} at most", draws, kMostDraws));
  if (!states_loader_costs(record)) {
    if (catalogue == nullptr) return unknown("no measured inputs.overhead_per_batch or worker_start");
    assume_loader_costs(measured, *catalogue, place.file, place.line, out.findings);
  }
  out.value->runs.push_back(read_run(record, measured));
}

}  // namespace

Loaded<MeasuredRuns> load_measured_runs(const std::filesystem::path& path, const Catalogue* catalogue) {
  Loaded<MeasuredRuns> out;
  out.value.emplace();
  const Loaded<bool> read =
      for_each_record(path, "one measured run as a JSON object", [&](const json& record, std::size_t line) {
        add_record(record, {path.string(), line}, catalogue, out);
      });
  if (!read.value) out.value.reset();
  out.findings.append(read.findings);
  return out;
}

}  // namespace stallcast
