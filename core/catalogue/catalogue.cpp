#include "core/catalogue/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <system_error>

#include "core/catalogue/record_reader.h"
#include "core/diagnostics/json_input.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kStaleFactMonths = 24;
constexpr int kStalePriceMonths = 12;
const std::vector<std::string> kProviders = {"gcp", "aws", "azure", "self", "any"};

void read_record(RecordReader& in, GpuRecord& gpu) {
  gpu.memory = in.quantity<Bytes>("memory");
  gpu.dense_bf16_peak = in.quantity<FlopsPerSecond>("dense_bf16_peak");
}

void read_record(RecordReader& in, InstanceRecord& instance) {
  instance.provider = in.word_or("provider", kProviders, "self");
  instance.gpu = in.text("gpu");
  instance.gpus = in.required("gpus", in.count("gpus"));
  instance.physical_cores = in.required("physical_cores", in.count("physical_cores"));
  instance.vcpus = in.count("vcpus");
  instance.memory = in.quantity<Bytes>("memory");
  instance.nic_bandwidth = in.quantity<BytesPerSecond>("nic_bandwidth");
  instance.gpu_link_bandwidth = in.quantity<BytesPerSecond>("gpu_link_bandwidth");
  instance.host_to_device_bandwidth = in.quantity<BytesPerSecond>("host_to_device_bandwidth");
  instance.local_storage = in.quantity<Bytes>("local_storage");
  instance.local_read_bandwidth = in.quantity<BytesPerSecond>("local_read_bandwidth");
  instance.local_write_bandwidth = in.quantity<BytesPerSecond>("local_write_bandwidth");
}

// The law whose base number is called `name`, under `group` ("" or "bands/large/").
template <class Rate>
RateLaw<Rate> read_law(RecordReader& in, const std::string& group, const std::string& name) {
  const std::string path = group + name;
  return {in.quantity<Rate>(path), in.quantity<Rate>(path + "_per_tib"), in.quantity<Rate>(path + "_per_server"),
          in.quantity<Rate>(path + "_max")};
}

RateLaws read_laws(RecordReader& in, const std::string& group) {
  return {read_law<BytesPerSecond>(in, group, "read_bandwidth"), read_law<BytesPerSecond>(in, group, "write_bandwidth"),
          read_law<PerSecond>(in, group, "read_iops"), read_law<PerSecond>(in, group, "write_iops"),
          read_law<PerSecond>(in, group, "metadata_rate")};
}

template <class Rate>
Provisioning<Rate> read_provisioning(RecordReader& in, const std::string& group) {
  const auto fact = [&](const char* name) { return in.quantity<Rate>(group + "/" + name); };
  return {fact("min"), fact("max"), fact("step"), fact("included"), fact("included_per_tib"), fact("max_per_tib")};
}

void read_record(RecordReader& in, TierRecord& tier) {
  tier.provider = in.word_or("provider", kProviders, "any");
  tier.scope = in.word("scope", {"shared", "per_node"});
  tier.client = in.word_or("client", {"kernel", "fuse", "interception", "library", "block", "local"}, "library");
  tier.duplex = in.flag("duplex", true);
  tier.gds = in.flag("gds", false);
  tier.page_cache = in.flag("page_cache", false);
  tier.lazy_load = in.flag("lazy_load", false);
  tier.capacity_min = in.quantity<Bytes>("capacity_min");
  tier.capacity_max = in.quantity<Bytes>("capacity_max");
  tier.capacity_step = in.quantity<Bytes>("capacity_step");
  tier.capacity_unit = in.quantity<Bytes>("capacity_unit");
  tier.servers_min = in.count("servers_min");
  tier.servers_max = in.count("servers_max");
  tier.servers_default = in.count("servers_default");
  tier.laws = read_laws(in, "");
  for (const std::string& name : in.groups("bands")) {
    const std::string group = "bands/" + name + "/";
    tier.bands.push_back({in.required(group + "from", in.quantity<Bytes>(group + "from")),
                          in.quantity<Bytes>(group + "capacity_step"), read_laws(in, group)});
  }
  std::sort(tier.bands.begin(), tier.bands.end(),
            [](const SizeBand& a, const SizeBand& b) { return a.from.value < b.from.value; });
  tier.provisioned_bandwidth = read_provisioning<BytesPerSecond>(in, "provisioned_bandwidth");
  tier.provisioned_iops = read_provisioning<PerSecond>(in, "provisioned_iops");
  tier.bytes_per_io = in.quantity<Bytes>("bytes_per_io");
  tier.bytes_per_provisioned_io = in.quantity<Bytes>("bytes_per_provisioned_io");
  tier.burst_bandwidth = read_law<BytesPerSecond>(in, "", "burst_bandwidth");
  tier.burst_credit = in.quantity<Bytes>("burst_credit");
  tier.burst_credit_per_tib = in.quantity<Bytes>("burst_credit_per_tib");
  tier.server_cache_per_tib = in.quantity<Bytes>("server_cache_per_tib");
  tier.server_cache_bandwidth = read_law<BytesPerSecond>(in, "", "server_cache_bandwidth");
  tier.read_request_rate = in.quantity<PerSecond>("read_request_rate");
  tier.write_request_rate = in.quantity<PerSecond>("write_request_rate");
  tier.retry_base = in.quantity<Seconds>("retry_base");
  tier.retry_max = in.quantity<Seconds>("retry_max");
  tier.list_page_size = in.count("list_page_size");
  tier.list_latency = in.quantity<Seconds>("list_latency");
  tier.client_read_bandwidth = in.quantity<BytesPerSecond>("client_read_bandwidth");
  tier.client_write_bandwidth = in.quantity<BytesPerSecond>("client_write_bandwidth");
  tier.stream_bandwidth = in.quantity<BytesPerSecond>("stream_bandwidth");
  tier.stripe_bandwidth = in.quantity<BytesPerSecond>("stripe_bandwidth");
  tier.stripe_count = in.count("stripe_count");
  tier.request_size = in.quantity<Bytes>("request_size");
  tier.sequential_request_size = in.quantity<Bytes>("sequential_request_size");
  tier.latency_mean = in.quantity<Seconds>("latency_mean");
  tier.latency_sigma = in.number("latency_sigma");
  tier.latency_p50 = in.quantity<Seconds>("latency_p50");
  tier.latency_p99 = in.quantity<Seconds>("latency_p99");
  tier.open_latency_mean = in.quantity<Seconds>("open_latency_mean");
  tier.staging_bandwidth = in.quantity<BytesPerSecond>("staging_bandwidth");
  tier.staging_files = in.quantity<PerSecond>("staging_files");
  tier.staging_small_file = in.quantity<Bytes>("staging_small_file");
  tier.durability = in.number("durability");
  tier.mttdl = in.quantity<Seconds>("mttdl");
  tier.mttdl_capacity = in.quantity<Bytes>("mttdl_capacity");
  tier.billing_granularity = in.quantity<Seconds>("billing_granularity");
  tier.billing_minimum = in.quantity<Seconds>("billing_minimum");
  tier.minimum_storage_time = in.quantity<Seconds>("minimum_storage_time");
}

void read_record(RecordReader& in, WorkloadRecord& workload) {
  workload.layout = in.word("layout", {"file_per_sample", "shards", "records", "columnar"});
  workload.loader = in.text("loader");
  workload.sample_size_shape = in.word("sample_size_shape", {"constant", "normal", "lognormal", "gamma"});
  workload.batch_size = in.required("batch_size", in.count("batch_size"));
  for (const std::string& gpu : in.members("step_time")) {
    if (const auto time = in.quantity<Seconds>("step_time/" + gpu)) workload.step_time.emplace(gpu, *time);
  }
  for (const std::string& gpu : in.members("samples_per_s")) {
    if (const auto rate = in.quantity<PerSecond>("samples_per_s/" + gpu)) workload.samples_per_s.emplace(gpu, *rate);
  }
  workload.flops_per_sample = in.quantity<Flops>("flops_per_sample");
  workload.mfu = in.number("mfu");
  workload.sample_size = in.required("sample_size", in.quantity<Bytes>("sample_size"));
  workload.sample_size_sd = in.quantity<Bytes>("sample_size_sd");
  workload.samples_per_shard = in.count("samples_per_shard");
  workload.tensor_size = in.quantity<Bytes>("tensor_size");
  workload.decode_time = in.quantity<Seconds>("decode_time");
  workload.gpu_decode_time = in.quantity<Seconds>("gpu_decode_time");
  workload.compression_ratio = in.number("compression_ratio");
  workload.samples = in.count("samples");
  workload.parameters = in.number("parameters");
  workload.gradient_size = in.quantity<Bytes>("gradient_size");
  workload.target_utilization = in.number("target_utilization");
  workload.checkpoint_size = in.quantity<Bytes>("checkpoint_size");
}

BatchCost read_batch_cost(RecordReader& in, const std::string& name) {
  return {in.required(name + "/base", in.quantity<Seconds>(name + "/base")), in.quantity<Seconds>(name + "/per_sample"),
          in.quantity<BytesPerSecond>(name + "/rate")};
}

LoaderStartCosts read_start_costs(RecordReader& in, const std::string& method) {
  const auto cost = [&](const std::string& name) {
    const std::string path = method + "/" + name;
    return in.required(path, in.worker_cost(path));
  };
  return {cost("start_call"), cost("start_ready"), cost("start_first"), cost("shutdown"), cost("reset")};
}

void read_record(RecordReader& in, LoaderRecord& loader) {
  loader.worker_batch_cpu = read_batch_cost(in, "worker_batch_cpu");
  loader.consumer_batch_cpu = read_batch_cost(in, "consumer_batch_cpu");
  loader.inline_batch_cpu = read_batch_cost(in, "inline_batch_cpu");
  loader.pipe_time = read_batch_cost(in, "pipe_time");
  loader.next_ready = in.required("next_ready/curve", in.curve("next_ready/curve"));
  loader.next_ready_rate = in.quantity<BytesPerSecond>("next_ready/rate");
  loader.pin_bandwidth = in.quantity<BytesPerSecond>("pin_bandwidth");
  loader.fork = read_start_costs(in, "fork");
  loader.spawn = read_start_costs(in, "spawn");
}

void read_record(RecordReader& in, CollectiveRecord& collective) {
  collective.barrier_time = in.required("barrier_time", in.quantity<Seconds>("barrier_time"));
}

// The .json files of a folder, in the order of their names. A folder that is not there has none.
std::vector<fs::path> record_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code problem;
  if (!fs::exists(folder, problem)) return files;
  for (fs::directory_iterator it(folder, problem), end; !problem && it != end; it.increment(problem)) {
    if (it->path().extension() == ".json") files.push_back(it->path());
  }
  if (problem) throw WorldError(fmt::format("cannot list {}: {}", folder.string(), problem.message()));
  std::sort(files.begin(), files.end());
  return files;
}

template <class R>
void load_kind(const fs::path& folder, const std::string& kind, std::map<std::string, R>& records, Findings& findings) {
  for (const fs::path& file : record_files(folder)) {
    Loaded<Json> document = read_json_file(file);
    findings.append(document.findings);
    if (!document.value) continue;
    const std::string name = file.stem().string();
    if (!document.value->is_object()) {
      findings.add(
          {Severity::kError, "wrong_type", file.string(), "", document.value->type_name(), "an object", "", ""});
      continue;
    }
    R record;
    record.file = file.string();
    RecordReader in(*document.value, record, findings);
    read_record(in, record);
    in.finish();
    if (record.kind != kind) {
      findings.add({Severity::kError, "wrong_kind", record.file, "/kind", record.kind, kind, "",
                    "the folder says which kind of record this is"});
    }
    if (record.name != name) {
      findings.add(
          {Severity::kError, "wrong_name", record.file, "/name", record.name, name, "", "as the file is called"});
    }
    records.emplace(name, std::move(record));
  }
}

// Names in records that lead to other records.
void check_links(const Catalogue& catalogue, Findings& findings) {
  for (const auto& [name, instance] : catalogue.instances) {
    find_record(catalogue.gpus, instance.gpu, "gpu", instance.file, "/gpu", findings);
  }
  for (const auto& [name, workload] : catalogue.workloads) {
    find_record(catalogue.loaders, workload.loader, "loader", workload.file, "/loader", findings);
    for (const auto& [gpu, time] : workload.step_time) {
      find_record(catalogue.gpus, gpu, "gpu", workload.file, "/facts/step_time/" + pointer_token(gpu), findings);
    }
  }
}

// "2026", "2026-11" or "2026-11-21" as months; nothing when it is no such date.
std::optional<int> months_of(const std::string& date) {
  if (date.size() < 4 || !std::all_of(date.begin(), date.begin() + 4, [](char c) { return c >= '0' && c <= '9'; })) {
    return std::nullopt;
  }
  int months = std::atoi(date.substr(0, 4).c_str()) * 12;
  if (date.size() >= 7) months += std::clamp(std::atoi(date.substr(5, 2).c_str()), 1, 12) - 1;
  return months;
}

fs::path executable_folder() {
  std::error_code problem;
  const fs::path executable = fs::read_symlink("/proc/self/exe", problem);
  return problem ? fs::path() : executable.parent_path();
}

}  // namespace

std::string Source::text() const {
  std::string out = title;
  if (!locator.empty()) out += ", " + locator;
  if (!as_of.empty()) out += ", of " + as_of;
  if (!read.empty()) out += ", read " + read;
  return out;
}

Seconds BatchCost::at(double samples, Bytes batch_bytes) const {
  Seconds cost = base.value;
  if (per_sample) cost += per_sample->value * samples;
  if (rate && rate->value.base() > 0.0) cost += batch_bytes / rate->value;
  return cost;
}

std::vector<const Record*> Catalogue::records() const {
  std::vector<const Record*> all;
  const auto add = [&all](const auto& kind) {
    for (const auto& entry : kind) all.push_back(&entry.second);
  };
  add(gpus);
  add(instances);
  add(tiers);
  add(workloads);
  add(loaders);
  add(collectives);
  return all;
}

std::vector<CatalogueRow> Catalogue::list() const {
  std::vector<CatalogueRow> rows;
  for (const Record* record : records()) rows.push_back({record->kind, record->name, record->title, record->status});
  return rows;
}

Loaded<std::string> Catalogue::show_record(const std::string& name) const {
  std::vector<std::string> known;
  const Record* found = nullptr;
  for (const Record* record : records()) {
    known.push_back(record->name);
    if (found == nullptr && (name == record->name || name == record->kind + "/" + record->name)) found = record;
  }
  Loaded<std::string> result;
  if (found == nullptr) {
    result.findings.add(unknown_record(name, "record", known, "", ""));
    return result;
  }
  std::string text = fmt::format("{}/{}: {} ({}{}{})\n", found->kind, found->name, found->title, found->status,
                                 found->status_note.empty() ? "" : ": ", found->status_note);
  std::size_t width = 0;
  for (const FactRow& row : found->rows) width = std::max(width, row.name.size());
  for (const FactRow& row : found->rows) {
    text += fmt::format("\n{:<{}}  {}\n", row.name, width, row.text);
    const std::string kind = row.evidence.kind.empty() ? "kind not stated" : row.evidence.kind;
    const std::string source = row.evidence.source.empty() ? "no source" : row.evidence.source;
    text += fmt::format("{:<{}}  {}: {}\n", "", width, kind, source);
    if (!row.evidence.note.empty()) text += fmt::format("{:<{}}  {}\n", "", width, row.evidence.note);
  }
  text += fmt::format("\n{}\n", found->file);
  result.value = std::move(text);
  return result;
}

Finding unknown_record(const std::string& name, const std::string& kind, const std::vector<std::string>& known,
                       const std::string& file, const std::string& pointer) {
  const std::string near = nearest_word(name, known);
  return {Severity::kError,
          "unknown_record",
          file,
          pointer,
          fmt::format("\"{}\"", name),
          fmt::format("a {} of the catalogue: {}", kind, fmt::join(known, ", ")),
          near.empty() ? "" : fmt::format("did you mean \"{}\"?", near),
          ""};
}

Loaded<Catalogue> load_catalogue(const fs::path& directory) {
  std::error_code problem;
  if (!fs::is_directory(directory, problem)) {
    throw WorldError(fmt::format("cannot read the catalogue: {} is not a directory", directory.string()));
  }
  Loaded<Catalogue> loaded;
  Catalogue catalogue;
  catalogue.directory = directory;
  load_kind(directory / "gpus", "gpu", catalogue.gpus, loaded.findings);
  load_kind(directory / "instances", "instance", catalogue.instances, loaded.findings);
  load_kind(directory / "tiers", "tier", catalogue.tiers, loaded.findings);
  load_kind(directory / "workloads", "workload", catalogue.workloads, loaded.findings);
  load_kind(directory / "loaders", "loader", catalogue.loaders, loaded.findings);
  load_kind(directory / "collectives", "collective", catalogue.collectives, loaded.findings);
  check_links(catalogue, loaded.findings);
  loaded.value = std::move(catalogue);
  return loaded;
}

Findings check_catalogue(const Catalogue& catalogue, const std::string& today) {
  Findings findings;
  const auto now = months_of(today);
  for (const Record* record : catalogue.records()) {
    for (const FactRow& row : record->rows) {
      if (row.evidence.source.empty() || row.evidence.kind.empty()) {
        findings.add({Severity::kWarning, "sourceless_number", record->file, row.pointer, row.text,
                      "a source and a kind", "", ""});
        continue;
      }
      const auto read = months_of(row.read);
      const int limit = row.is_price ? kStalePriceMonths : kStaleFactMonths;
      if (now && read && *now - *read > limit) {
        findings.add({Severity::kWarning, "stale_number", record->file, row.pointer,
                      fmt::format("{}, read {}", row.text, row.read),
                      fmt::format("a source read in the last {} months", limit),
                      "read the source again and correct its date", ""});
      }
    }
  }
  return findings;
}

fs::path find_models_directory() {
  std::error_code problem;
  if (const char* chosen = std::getenv("STALLCAST_MODELS"); chosen != nullptr && *chosen != '\0') {
    if (fs::is_directory(chosen, problem)) return chosen;
    throw WorldError(fmt::format("STALLCAST_MODELS is {}, which is not a directory", chosen));
  }
  std::vector<fs::path> places;
  if (const fs::path folder = executable_folder(); !folder.empty()) {
    places = {folder / "../share/stallcast/models", folder / "../models", folder / "../../models"};
  }
#ifdef STALLCAST_SOURCE_MODELS
  places.emplace_back(STALLCAST_SOURCE_MODELS);
#endif
  std::string looked;
  for (const fs::path& place : places) {
    // A folder called models that holds no tiers is somebody else's.
    if (fs::is_directory(place / "tiers", problem)) return fs::weakly_canonical(place, problem);
    looked += (looked.empty() ? "" : ", ") + place.lexically_normal().string();
  }
  throw WorldError(fmt::format("no catalogue found; set STALLCAST_MODELS (looked in {})", looked));
}

}  // namespace stallcast
