#include "core/validate/measured_saves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/diagnostics/json_input.h"
#include "core/run/simulate.h"
#include "core/scenario/host_memory.h"
#include "core/steps/checkpoint_times.h"
#include "core/validate/measured_scenario.h"
#include "core/validate/record_lines.h"
#include "core/validate/validation.h"

namespace stallcast {
namespace {

using json = nlohmann::json;

// A number above 0.
double positive(const json& object, const char* key) {
  const double value = object.at(key);
  if (!(value > 0.0) || !std::isfinite(value)) throw BadRecord(fmt::format("{} is not above 0", key));
  return value;
}

double not_negative(const json& object, const char* key) {
  const double value = object.at(key);
  if (!(value >= 0.0) || !std::isfinite(value)) throw BadRecord(fmt::format("{} is not 0 or more", key));
  return value;
}

std::int64_t count(const json& object, const char* key) {
  const std::int64_t value = whole_number(object.at(key));
  if (value < 1 || value > 1'000'000) throw BadRecord(fmt::format("{} is not 1 to 1000000", key));
  return value;
}

// A job whose steps take no storage and no cores, and that saves after its second step.
Scenario saving_once(const json& config, const json& inputs) {
  Scenario s;
  s.cluster.nodes = 1;
  s.cluster.gpus_per_node = count(config, "writers");
  s.cluster.cores_per_node = positive(inputs, "cores");
  s.cluster.memory_per_node = bytes(positive(inputs, "memory_bytes") / (1.0 - kMemoryReserve));
  s.workload.batch_size = 1;
  s.workload.step_time = Distribution::constant(1.0);
  s.dataset.sample_size = Distribution::constant(1.0);
  s.dataset.samples = 3 * s.cluster.gpus_per_node;
  s.loader.num_workers = 1;
  s.run.epochs = 1;
  s.run.whole_run = true;
  s.checkpoint.mode = CheckpointMode::kSync;
  s.checkpoint.interval_steps = 2;
  s.checkpoint.size_per_writer = bytes(positive(inputs, "bytes_per_writer"));
  s.checkpoint.writers = s.cluster.gpus_per_node > 1 ? CheckpointWriters::kAll : CheckpointWriters::kRank0;
  return s;
}

// Components that were measured in one process, and in one on every core: what several writers have.
BytesPerSecond component(const Scenario& s, const json& rates) {
  return bytes_per_second(positive(rates, s.ranks() > 1 ? "all_cores_Bps" : "alone_Bps"));
}

Scenario scenario_of(const json& config, const json& inputs) {
  Scenario s = saving_once(config, inputs);
  CheckpointSpec& c = s.checkpoint;
  c.serialize_bandwidth = component(s, inputs.at("serialise"));
  const std::string target = config.at("target");
  if (target == "s3") {
    const json& put = inputs.at("put");
    c.write_path = WritePath::kWhole;
    c.streams = count(config, "parts_at_once");
    c.file_time = seconds(2.0 * positive(put, "round_trip_s"));  // an upload in parts is begun and completed
    if (put.contains("complete_Bps"))                            // by a server that then puts the parts together
      c.file_time += c.size_per_writer / bytes_per_second(positive(put, "complete_Bps"));
    s.storage.stream_bandwidth = bytes_per_second(positive(put, "one_connection_Bps"));
    s.storage.write_bandwidth = bytes_per_second(positive(put, "most_Bps"));
    return s;
  }
  if (target != "disk") throw BadRecord(fmt::format("target \"{}\" is not \"disk\" or \"s3\"", target));
  const bool synced = config.at("fsync");
  const json& write = inputs.at("write");
  c.write_path = synced ? WritePath::kSynced : WritePath::kPageCache;
  c.buffer_bandwidth = component(s, write);
  c.files_per_writer = count(config, "files_per_writer");
  c.file_time = seconds(not_negative(write, synced ? "synced_file_s" : "file_s"));
  if (const auto plan = inputs.find("plan"); plan != inputs.end() && plan->is_object()) {
    c.plan_time = seconds(not_negative(*plan, "base_s") +
                          not_negative(*plan, "per_tensor_s") * static_cast<double>(count(config, "tensors")));
  }
  s.storage.scope = TierScope::kPerNode;
  s.storage.write_bandwidth = bytes_per_second(positive(write, "sync_Bps"));
  if (config.value("mode", "sync") == "async") {
    c.mode = CheckpointMode::kAsync;
    c.snapshot_time = c.size_per_writer / bytes_per_second(positive(inputs.at("stage"), "pageable_Bps"));
  }
  return s;
}

// The same state read back by the one process that has written it.
std::optional<Scenario> load_of(const Scenario& save, const json& inputs) {
  const auto load = inputs.find("load");
  if (load == inputs.end() || !load->is_object()) return std::nullopt;
  const double size = positive(*load, "bytes");
  Scenario s = save;
  s.storage.read_bandwidth = bytes_per_second(size / positive(*load, "read_s"));
  s.checkpoint.load_bandwidth = bytes_per_second(size / positive(*load, "deserialise_s"));
  return s;
}

std::optional<Seconds> output(const json& record, const char* key) {
  const auto outputs = record.find("outputs");
  if (outputs == record.end() || !outputs->is_object() || !outputs->contains(key)) return std::nullopt;
  return seconds(positive(*outputs, key));
}

MeasuredSave read_save(const json& record) {
  if (record.at("kind") != "checkpoint") throw BadRecord("kind is not \"checkpoint\"");
  if (record.at("schema") != 1) throw BadRecord(fmt::format("schema {} is not known", record.at("schema").dump()));
  const json& config = record.at("config");
  const json& inputs = record.at("inputs");
  MeasuredSave out;
  out.id = record.at("id");
  out.repeat = whole_number(record.at("repeat"));
  out.group = fmt::format("{} {}", config.at("software").get<std::string>(), config.at("target").get<std::string>());
  out.save = scenario_of(config, inputs);
  out.load = load_of(out.save, inputs);
  out.save_time = output(record, "save_s");
  out.stop_time = output(record, "stop_s");
  out.load_time = output(record, "load_s");
  return out;
}

SaveScore score_of_group(std::string group, const std::vector<double>& errors) {
  const ErrorSummary e = summarise_errors(errors);
  const auto near = std::count_if(errors.begin(), errors.end(), [](double x) { return std::abs(x) <= 0.3; });
  return {std::move(group),
          e.count,
          e.bias,
          e.median,
          e.p90,
          e.worst,
          errors.empty() ? 0.0 : static_cast<double>(near) / static_cast<double>(errors.size())};
}

}  // namespace

bool holds_measured_saves(const std::filesystem::path& path) {
  const Loaded<std::string> text = read_text_file(path, kMostRecordBytes);
  if (!text.value) return false;
  const json record = json::parse(text.value->substr(0, text.value->find('\n')), nullptr, false);
  return record.is_object() && record.value("kind", json()) == "checkpoint";
}

Loaded<std::vector<MeasuredSave>> load_measured_saves(const std::filesystem::path& path) {
  Loaded<std::vector<MeasuredSave>> out;
  out.value.emplace();
  const Loaded<bool> read =
      for_each_record(path, "one measured checkpoint as a JSON object",
                      [&](const json& record, std::size_t) { out.value->push_back(read_save(record)); });
  if (!read.value) out.value.reset();
  out.findings.append(read.findings);
  return out;
}

SaveValidation validate_saves(const std::vector<MeasuredSave>& saves,
                              const std::function<void(std::size_t, std::size_t)>& progress,
                              const std::stop_token& stop) {
  SaveValidation out;
  std::size_t done = 0;
  for (const MeasuredSave& one : saves) {
    if (stop.stop_requested()) break;
    const Seconds stop_time = seconds(simulate(one.save).checkpoint_stop_s);
    const Seconds beside =
        seconds(one.save.checkpoint.mode == CheckpointMode::kAsync ? write_beside_time(one.save) : 0.0);
    out.times.push_back({one.id, one.repeat, one.group, stop_time + beside, one.save_time});
    if (one.stop_time) out.times.push_back({one.id, one.repeat, one.group + " stop", stop_time, one.stop_time});
    if (one.load) {
      out.times.push_back(
          {one.id, one.repeat, one.group + " load", seconds(storage_restore_time(*one.load)), one.load_time});
    }
    if (progress) progress(++done, saves.size());
  }
  std::map<std::string, std::vector<double>> errors;
  std::vector<double> all;
  for (const PredictedTime& time : out.times) {
    if (!time.measured) continue;
    errors[time.group].push_back(time.error());
    all.push_back(time.error());
  }
  for (const auto& [group, of_group] : errors) out.scores.push_back(score_of_group(group, of_group));
  out.scores.push_back(score_of_group("all", all));
  return out;
}

}  // namespace stallcast
