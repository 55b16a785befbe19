#include "tests/hunt/random_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/catalogue/capacity_rule.h"
#include "core/scenario/representatives.h"
#include "core/scenario/resolve/resolve.h"
#include "core/scenario/resolve/scenario_file.h"
#include "core/scenario/run_length.h"
#include "core/units/quantity_text.h"
#include "tests/properties/random_scenario.h"

namespace stallcast::hunt {
namespace {

using Json = nlohmann::ordered_json;

// As people write.
double round_to_digits(double value, int digits) { return std::stod(fmt::format("{:.{}g}", value, digits)); }
std::string size_text(double size) {
  return format_quantity(Dimension::kBytes, std::max(1.0, std::round(round_to_digits(size, 3))));
}
std::string exact_size_text(Bytes size) { return format_quantity(Dimension::kBytes, size.base()); }
std::string rate_text(double rate) {
  return format_quantity(Dimension::kByteRate, std::max(1.0, std::round(round_to_digits(rate, 3))));
}
std::string time_text(double time) {
  return time < 0.9995 ? fmt::format("{} ms", format_number(round_to_digits(std::max(1e-3, time * 1e3), 3)))
                       : fmt::format("{} s", format_number(round_to_digits(time, 3)));
}

// Dice of one part of a scenario.
class PartDice : public Dice {
 public:
  PartDice(std::uint64_t seed, std::uint64_t part)
      : Dice((seed + 1) * 0x9e3779b97f4a7c15ULL + part * 0xbf58476d1ce4e5b9ULL) {}

  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return *(choices.begin() + whole(0, static_cast<std::int64_t>(choices.size()) - 1));
  }
  const char* word(std::initializer_list<const char*> choices) { return one_of<const char*>(choices); }
  double log_uniform(double low, double high) { return low * std::pow(high / low, uniform(0.0, 1.0)); }
  std::int64_t log_whole(std::int64_t low, std::int64_t high) {
    if (high <= low) return low;
    return std::clamp(
        static_cast<std::int64_t>(std::floor(log_uniform(static_cast<double>(low), static_cast<double>(high) + 1.0))),
        low, high);
  }
  template <class R>
  const R& record(const std::map<std::string, R>& records) {
    return std::next(records.begin(), whole(0, static_cast<std::int64_t>(records.size()) - 1))->second;
  }
};

enum Part : std::uint64_t {
  kClusterPart = 1,
  kWorkloadPart,
  kDatasetPart,
  kLoaderPart,
  kStoragePart,
  kCachePart,
  kStagingPart,
  kCheckpointPart,
  kFailurePart,
  kCostPart,
  kRunPart
};

// Puts a job together, part by part; later parts look at what earlier ones decided.
class Draw {
 public:
  Draw(std::uint64_t seed, const Catalogue& catalogue, const JobLimits& limits)
      : seed_(seed), catalogue_(catalogue), limits_(limits) {}

  Json run() {
    draw_cluster();
    draw_workload();
    draw_loader();
    draw_length();
    draw_dataset();
    draw_storage();
    draw_caches();
    draw_staging();
    draw_cost();
    // What is drawn from here on is measured by what the job computes.
    if (const auto resolved = resolve_job(assembled(), catalogue_)) {
      compute_s_ = run_compute_s(resolved->scenario);
      steps_ = epoch_steps(resolved->scenario) * static_cast<double>(epochs_);
      if (compute_s_ > 0.0 && steps_ > 0.0) {
        draw_checkpoint(resolved->scenario);
        draw_failures(resolved->scenario);
      }
    }
    return assembled();
  }

 private:
  PartDice dice(Part part) const { return {seed_, part}; }

  Json assembled() const {
    Json out = Json::object();
    out["format_version"] = 1;
    out["name"] = fmt::format("job {}", seed_);
    const std::vector<std::pair<const char*, const Json*>> parts = {{"cluster", &cluster_},
                                                                    {"workload", &workload_},
                                                                    {"dataset", &dataset_},
                                                                    {"loader", &loader_},
                                                                    {"storage", &storage_},
                                                                    {"page_cache", &page_cache_},
                                                                    {"node_cache", &node_cache_},
                                                                    {"server_cache", &server_cache_},
                                                                    {"regional_cache", &regional_cache_},
                                                                    {"origin", &origin_},
                                                                    {"staging", &staging_},
                                                                    {"model", &model_},
                                                                    {"checkpoint", &checkpoint_},
                                                                    {"failures", &failures_},
                                                                    {"cost", &cost_},
                                                                    {"run", &run_}};
    for (const auto& [name, part] : parts)
      if (!part->empty()) out[name] = *part;
    return out;
  }

  void draw_cluster() {
    PartDice d = dice(kClusterPart);
    instance_ = &d.record(catalogue_.instances);
    gpus_ = instance_->gpus.value;
    // More than 64 ranks on more than 8 machines are simulated by a part of them.
    nodes_ = d.chance(0.35) ? 1 : d.chance(0.15) ? d.whole(9, 16) : d.log_whole(1, 16);
    cluster_["instance"] = instance_->name;
    cluster_["nodes"] = nodes_;
    if (d.chance(0.05)) cluster_["core_sharing"] = d.word({"processor_sharing", "queue_per_core"});
  }

  std::int64_t ranks() const { return nodes_ * gpus_; }
  std::int64_t simulated_ranks() const { return std::min<std::int64_t>(ranks(), 64); }
  double samples_of_step() const {
    return static_cast<double>(batch_ * accumulation_) * static_cast<double>(simulated_ranks());
  }

  void draw_workload() {
    PartDice d = dice(kWorkloadPart);
    work_ = &d.record(catalogue_.workloads);
    workload_["name"] = work_->name;
    const std::int64_t typical = work_->batch_size.value;
    batch_ = typical;
    if (d.chance(0.3)) batch_ = std::max<std::int64_t>(1, d.one_of({typical / 4, typical / 2, typical * 2}));
    if (d.chance(0.15)) accumulation_ = d.one_of<std::int64_t>({2, 4, 8});
    // Fewer machines, then smaller batches, until 60 steps can be afforded.
    while (60.0 * samples_of_step() > limits_.most_samples && simulated_ranks() > 4 && nodes_ > 1) nodes_ /= 2;
    while (60.0 * samples_of_step() > limits_.most_samples && batch_ > 1) batch_ = (batch_ + 1) / 2;
    cluster_["nodes"] = nodes_;
    if (batch_ != typical) workload_["batch_size"] = batch_;
    if (accumulation_ > 1) workload_["gradient_accumulation"] = accumulation_;
    const bool known = work_->step_time.contains(instance_->gpu) || work_->samples_per_s.contains(instance_->gpu) ||
                       (work_->flops_per_sample && work_->mfu);
    if (!known || d.chance(0.15)) {
      const double mean = d.log_uniform(0.02, 0.6);
      Json time = time_text(mean);
      if (d.chance(0.4)) {
        time =
            Json{{"kind", "lognormal"}, {"mean", time_text(mean)}, {"sigma", round_to_digits(d.uniform(0.02, 0.3), 2)}};
      } else if (d.chance(0.3)) {
        time = Json{{"kind", "normal"}, {"mean", time_text(mean)}, {"sd", time_text(mean * d.uniform(0.01, 0.1))}};
      }
      workload_["step_time_form"] = "time";
      workload_["step_time"] = time;
    }
    if (d.chance(0.25)) validates_ = true;
    if (validates_) workload_["validation_step_time"] = time_text(d.log_uniform(0.01, 0.2));
    if (d.chance(0.1)) workload_["gradient_bytes"] = size_text(d.log_uniform(1e7, 2e9));
    if (d.chance(0.1)) workload_["allreduce_overlap"] = round_to_digits(d.uniform(0.1, 0.95), 2);
  }

  void draw_loader() {
    PartDice d = dice(kLoaderPart);
    style_ = "map";
    layout_ = work_->layout;
    const double which = d.uniform(0.0, 1.0);
    if (which < 0.12) {
      take({"tf_data", "threads"});
    } else if (which < 0.24) {
      take({"dali", "threads"});
    } else if (which < 0.33) {
      take({"webdataset", "iterable"});
    } else if (which < 0.42) {
      take({"mosaic_streaming", "iterable"});
    } else if (which < 0.55) {
      take({"pytorch", "iterable"});
    } else if (which < 0.65) {
      take({"pytorch", "map"});
    } else if (work_->loader == "tf_data") {
      style_ = "threads";  // the workload's own
      loader_["style"] = style_;
    }
    workers_ = d.chance(0.08) ? 0 : d.one_of<std::int64_t>({1, 2, 3, 4, 4, 6, 8, 8, 12, 16});
    if (style_ == "threads") workers_ = std::max<std::int64_t>(1, workers_);
    loader_["num_workers"] = workers_;
    if (workers_ > 0) {
      if (d.chance(0.7)) loader_["prefetch_factor"] = d.one_of<std::int64_t>({1, 2, 2, 2, 4, 8});
      if (d.chance(0.6)) loader_["persistent_workers"] = true;
    }
    if (d.chance(0.5)) loader_["pin_memory"] = true;
    if (d.chance(0.15)) loader_["in_order"] = false;
    if (style_ != "threads" && workers_ > 0 && d.chance(0.15)) loader_["start_method"] = "spawn";
    if (style_ == "threads" && d.chance(0.5)) loader_["interleave"] = d.one_of<std::int64_t>({1, 4, 16});
    if (style_ == "iterable" && workers_ > 0 && d.chance(0.4))
      loader_["read_ahead"] = std::max<std::int64_t>(1, batch_ * d.one_of<std::int64_t>({1, 2, 8}));
    if (style_ == "threads" && d.chance(0.3)) {
      loader_["decode_on"] = "gpu";
      if (!work_->gpu_decode_time || d.chance(0.3)) loader_["gpu_decode_time"] = time_text(d.log_uniform(2e-5, 5e-4));
    }
    // Iterable loaders deal out shards.
    if (style_ == "iterable" && layout_ == "file_per_sample") layout_ = "shards";
    if (style_ != "iterable" && d.chance(0.15)) layout_ = d.word({"file_per_sample", "shards", "records", "columnar"});
    if (style_ == "iterable" && d.chance(0.1)) layout_ = "columnar";
    if (d.chance(0.1)) loader_["wait_cpu"] = time_text(d.log_uniform(2e-5, 6e-4));
  }

  struct Framework {
    const char* name;
    const char* style;
  };
  void take(const Framework& framework) {
    if (!catalogue_.loaders.contains(framework.name)) return;
    loader_["framework"] = framework.name;
    style_ = framework.style;
    loader_["style"] = style_;
  }

  // An epoch of 20 to 20,000 steps, 1 to 12 of them.
  void draw_length() {
    PartDice d = dice(kRunPart);
    const double most = std::clamp(limits_.most_samples / samples_of_step(), 20.0, 60'000.0);
    const double total = std::max(20.0, d.log_uniform(std::max(20.0, most / 30.0), most));
    epochs_ =
        d.chance(0.2) ? 1 : d.log_whole(1, std::clamp<std::int64_t>(static_cast<std::int64_t>(total / 20.0), 1, 12));
    epoch_steps_ = std::clamp<std::int64_t>(static_cast<std::int64_t>(total) / epochs_, 20, 20'000);
    run_["epochs"] = epochs_;
    if (d.chance(0.15)) run_["steps_per_epoch"] = epoch_steps_;
    if (d.chance(0.2)) run_["seed"] = d.whole(2, 1'000'000);
    // Inputs that are known to an interval only are another question.
    run_["uncertain"] = Json::array();
    if (validates_) workload_["validation_steps"] = d.log_whole(1, std::max<std::int64_t>(2, epoch_steps_ / 4));
  }

  bool sharded() const { return layout_ == "shards" || layout_ == "columnar"; }

  void draw_dataset() {
    PartDice d = dice(kDatasetPart);
    const std::int64_t per_step = batch_ * accumulation_ * ranks();
    samples_ = epoch_steps_ * per_step + (d.chance(0.5) ? d.whole(0, per_step - 1) : 0);
    sample_bytes_ = work_->sample_size.value.base();
    if (layout_ != work_->layout) dataset_["layout"] = layout_;
    dataset_["samples"] = samples_;
    if (d.chance(0.12)) {
      sample_bytes_ = round_to_digits(sample_bytes_ * d.log_uniform(0.3, 3.0), 2);
      const double shape = d.uniform(0.0, 1.0);
      const double sd = sample_bytes_ * d.uniform(0.1, 0.6);
      if (shape < 0.4) {
        dataset_["sample_size"] = size_text(sample_bytes_);
      } else if (shape < 0.7) {
        dataset_["sample_size"] = {{"kind", "lognormal"},
                                   {"mean", size_text(sample_bytes_)},
                                   {"sigma", round_to_digits(d.uniform(0.1, 0.8), 2)}};
      } else {
        dataset_["sample_size"] = {{"kind", "normal"}, {"mean", size_text(sample_bytes_)}, {"sd", size_text(sd)}};
      }
    }
    if (sharded()) {
      const std::int64_t of_rank = samples_ / ranks();
      const std::int64_t known =
          layout_ == work_->layout && work_->samples_per_shard ? work_->samples_per_shard->value : 0;
      const std::int64_t wanted = std::max<std::int64_t>(1, workers_) * (d.chance(0.3) ? 1 : d.whole(2, 12));
      // Shards of the record where there are enough of them for the workers.
      if (known == 0 || (style_ == "iterable" && of_rank / known < wanted))
        // A dataset in one file is no job of shards.
        dataset_["samples_per_shard"] =
            std::clamp<std::int64_t>(of_rank / wanted, 1, std::max<std::int64_t>(1, of_rank / 20));
    }
    if (layout_ == "columnar") dataset_["wanted_fraction"] = round_to_digits(d.uniform(0.2, 1.0), 2);
    const double order = d.uniform(0.0, 1.0);
    if (order < 0.1) {
      dataset_["shuffle"] = "none";
    } else if (order < 0.3 && sharded()) {
      dataset_["shuffle"] = "shard";
    } else if (order < 0.55 && style_ != "map") {
      dataset_["shuffle"] = "buffer";
      const std::int64_t buffer = d.log_whole(16, std::max<std::int64_t>(32, samples_ / ranks() / 2));
      dataset_["shuffle_buffer"] = buffer;
      if (d.chance(0.3)) dataset_["shuffle_initial"] = std::max<std::int64_t>(1, buffer / 10);
    }
    const bool decodes_on_cpu = !loader_.contains("decode_on");
    if (decodes_on_cpu && d.chance(0.15)) dataset_["decode_time"] = time_text(d.log_uniform(1e-4, 1e-2));
    if (decodes_on_cpu && d.chance(0.08)) dataset_["decode_size_correlation"] = round_to_digits(d.uniform(0.2, 1.0), 1);
    if (d.chance(0.08)) {
      dataset_["compression_ratio"] = round_to_digits(d.uniform(1.2, 4.0), 2);
      dataset_["decompress_bandwidth"] = rate_text(d.log_uniform(3e8, 3e9));
    }
    if (d.chance(0.08)) dataset_["request_size"] = d.word({"128 KiB", "1 MiB", "4 MiB", "64 MiB"});
  }

  double dataset_bytes() const { return static_cast<double>(samples_) * sample_bytes_; }

  void draw_storage() {
    PartDice d = dice(kStoragePart);
    if (d.chance(0.08)) {  // described by hand
      const double wanted = static_cast<double>(batch_ * ranks()) * sample_bytes_ / 0.2;
      storage_["read_bandwidth"] = rate_text(wanted * d.log_uniform(0.3, 10.0));
      storage_["write_bandwidth"] = rate_text(wanted * d.log_uniform(0.1, 3.0));
      storage_["latency"] = time_text(d.log_uniform(1e-4, 3e-2));
      if (d.chance(0.5)) storage_["open_latency"] = time_text(d.log_uniform(1e-4, 3e-2));
      if (d.chance(0.3)) storage_["duplex"] = false;
      if (d.chance(0.3)) storage_["noise"] = round_to_digits(d.uniform(0.05, 0.5), 2);
      if (d.chance(0.3))
        storage_["client_read_bandwidth"] = rate_text(wanted / static_cast<double>(nodes_) * d.log_uniform(0.5, 4.0));
      if (d.chance(0.3)) storage_["stream_bandwidth"] = rate_text(d.log_uniform(5e7, 2e9));
      return;
    }
    const bool has_nvme = instance_->local_storage.has_value();
    for (int tries = 0; tries < 50; ++tries) {
      tier_ = &d.record(catalogue_.tiers);
      if (tier_->name == "host_page_cache") continue;  // memory: what a page cache is made of
      if (tier_->scope == "per_node" && !is_provisioned(*tier_) && !has_nvme) continue;
      const double on_a_node = instance_->local_storage ? instance_->local_storage->value.base() : 0.0;
      if (tier_->scope == "per_node" && !is_provisioned(*tier_) && dataset_bytes() > on_a_node) continue;
      if (is_provisioned(*tier_) && tier_->capacity_max && tier_->capacity_max->value.base() < dataset_bytes())
        continue;
      break;
    }
    storage_["tier"] = tier_->name;
    Bytes capacity;
    if (is_provisioned(*tier_)) {
      capacity = drawn_capacity(d);
      storage_["capacity"] = exact_size_text(capacity);
    }
    if (tier_->provisioned_bandwidth.stated() && d.chance(0.5)) {
      const auto range = provisioned_bandwidth_range(*tier_, capacity);
      storage_["provisioned_bandwidth"] = format_quantity(Dimension::kByteRate, bought(d, range));
    }
    if (tier_->provisioned_iops.stated() && d.chance(0.5)) {
      const auto range = provisioned_iops_range(*tier_, capacity);
      storage_["provisioned_iops"] = format_quantity(Dimension::kRate, bought(d, range), "IOPS");
    }
    if ((tier_->laws.read_bandwidth.per_server || tier_->servers_min) && d.chance(0.7)) {
      const std::int64_t least = tier_->servers_min ? tier_->servers_min->value : 1;
      const std::int64_t most = tier_->servers_max ? tier_->servers_max->value : 4 * least + 12;
      storage_["servers"] = d.log_whole(least, most);
    }
    if (d.chance(0.05)) storage_["noise"] = round_to_digits(d.uniform(0.05, 0.4), 2);
    if (tier_->gds && loader_.contains("decode_on") && d.chance(0.5)) loader_["gpudirect"] = true;
  }

  // Something between, the bounds being far apart or infinite.
  template <class Rate>
  static double bought(PartDice& d, const ProvisionedRange<Rate>& range) {
    const double low = std::max({range.min.base(), range.included.base(), 1.0}), most = range.max.base();
    const double high = std::isfinite(most) ? std::max(most, low) : 20.0 * low;
    return std::clamp(std::round(round_to_digits(d.log_uniform(low, high), 2)), std::ceil(low),
                      std::max(std::ceil(low), std::floor(high)));
  }

  // From just enough for the dataset to a hundred times as much.
  Bytes drawn_capacity(PartDice& d) const {
    const double least = tier_->capacity_min ? tier_->capacity_min->value.base() : 1e12;
    const double low = std::max(least, dataset_bytes() * 1.05);
    const double most = tier_->capacity_max ? tier_->capacity_max->value.base() : 100.0 * low;
    const double wanted = low >= most ? low : d.log_uniform(low, std::min(most, 100.0 * low));
    const std::vector<Bytes> near = nearest_capacities(*tier_, bytes(std::round(wanted)));
    for (const Bytes size : near)
      if (size.base() >= dataset_bytes()) return size;
    return near.back();
  }

  bool per_node() const { return tier_ != nullptr && tier_->scope == "per_node"; }

  void draw_caches() {
    PartDice d = dice(kCachePart);
    // What a machine's part of the dataset takes, for caches that hold some of it.
    const auto part_of_dataset = [&] { return size_text(dataset_bytes() * d.one_of({0.15, 0.4, 0.7, 0.95, 1.3})); };
    if (d.chance(0.4)) {
      page_cache_["policy"] = d.word({"none", "lru", "linux", "pinned"});
      if (page_cache_["policy"] != "none" && d.chance(0.6)) page_cache_["capacity"] = part_of_dataset();
    }
    if (!per_node() && d.chance(0.25)) {
      const bool has_nvme = instance_->local_storage.has_value();
      node_cache_["policy"] = d.word({"lru", "pinned"});
      if (!has_nvme || d.chance(0.6)) node_cache_["capacity"] = part_of_dataset();
      if (!has_nvme) {
        node_cache_["read_bandwidth"] = "2 GB/s";
        node_cache_["write_bandwidth"] = "1 GB/s";
      }
      if (nodes_ > 1 && d.chance(0.4)) node_cache_["sharing"] = "partitioned";
    }
    if (!per_node() && d.chance(0.08)) {
      server_cache_["policy"] = d.word({"lru", "pinned"});
      server_cache_["capacity"] = part_of_dataset();
      server_cache_["read_bandwidth"] = rate_text(d.log_uniform(2e9, 5e10));
      server_cache_["latency"] = "0.5 ms";
    }
    if (!per_node() && d.chance(0.08)) {
      regional_cache_["policy"] = d.word({"lru", "pinned"});
      regional_cache_["capacity"] = part_of_dataset();
      regional_cache_["read_bandwidth"] = rate_text(d.log_uniform(1e9, 1e11));
      regional_cache_["latency"] = "3 ms";
    }
  }

  // A bucket: a shared tier without a size.
  const TierRecord& bucket(PartDice& d) const {
    for (int tries = 0; tries < 200; ++tries) {
      const TierRecord& tier = d.record(catalogue_.tiers);
      if (tier.scope == "shared" && !is_provisioned(tier) && tier.read_request_rate) return tier;
    }
    return d.record(catalogue_.tiers);
  }

  void draw_staging() {
    PartDice d = dice(kStagingPart);
    const bool object_store = tier_ != nullptr && tier_->read_request_rate.has_value();
    const bool lazy = tier_ != nullptr && tier_->lazy_load;
    if (object_store || !d.chance(lazy ? 0.6 : 0.25)) return;
    origin_["tier"] = bucket(d).name;
    staging_["method"] = lazy && d.chance(0.5) ? "lazy" : d.word({"bulk", "prefetch"});
    if (d.chance(0.3)) staging_["bandwidth"] = rate_text(dataset_bytes() / d.log_uniform(5.0, 600.0));
    if (staging_["method"] == "bulk" && d.chance(0.3)) staging_["gpus_billed"] = false;
  }

  void draw_cost() {
    PartDice d = dice(kCostPart);
    const bool priced = !instance_->prices.empty();
    if (!priced || d.chance(0.15))
      cost_["node_price"] = fmt::format("${}/h", round_to_digits(d.log_uniform(1.0, 120.0), 3));
    if (!cost_.contains("node_price") && instance_->prices.contains("spot") && d.chance(0.2)) cost_["pricing"] = "spot";
    if (d.chance(0.1)) cost_["storage_lifetime"] = "always";
    if (d.chance(0.1)) cost_["storage_discount"] = 0.2;
  }

  void draw_checkpoint(const Scenario& s) {
    PartDice d = dice(kCheckpointPart);
    const double step_s = compute_s_ / steps_;
    writes_ = d.chance(0.5);
    if (!writes_) return;
    const bool async = d.chance(0.5);
    checkpoint_["mode"] = async ? "async" : "sync";
    const bool all = d.chance(0.5);
    checkpoint_["writers"] = all ? "all" : "rank0";
    const double cadence = d.uniform(0.0, 1.0);
    const double count = d.log_uniform(1.5, 20.0);  // of the run
    if (cadence < 0.45) {
      checkpoint_["interval_steps"] =
          std::max<std::int64_t>(1, static_cast<std::int64_t>(round_to_digits(steps_ / count, 2)));
    } else if (cadence < 0.7) {
      checkpoint_["cadence"] = "epochs";
      if (d.chance(0.3)) checkpoint_["interval_epochs"] = d.whole(1, std::max<std::int64_t>(1, epochs_ / 2));
    } else if (cadence < 0.9) {
      checkpoint_["cadence"] = "time";
      checkpoint_["interval"] = time_text(std::max(step_s, compute_s_ / count));
    } else {
      checkpoint_["cadence"] = "optimal";  // draw_failures() gives what it is optimal against
    }
    // A write takes from a hundredth to about all of the interval.
    const double writers = all ? static_cast<double>(ranks()) : 1.0;
    const double rate = s.storage.write_bandwidth.base() > 0.0 ? s.storage.write_bandwidth.base() : 1e10;
    const double largest = std::clamp(compute_s_ / count * rate, 1e8, 2e12);
    if (d.chance(0.6)) {
      checkpoint_["size"] = size_text(std::max(1e6, largest * d.log_uniform(0.003, 0.5) / writers));
    } else if (s.model.parameters <= 0.0 && s.model.layers == 0) {
      model_["parameters"] = round_to_digits(d.log_uniform(2e7, std::max(1e8, largest / 14.0)), 2);
      if (d.chance(0.3)) model_["optimizer"] = d.word({"none", "sgd_momentum", "adam"});
      if (all && d.chance(0.5)) model_["zero_stage"] = d.whole(1, 3);
    }
    if (async && d.chance(0.3)) checkpoint_["snapshot_time"] = time_text(d.log_uniform(0.01, 3.0));
    if (async && d.chance(0.3)) checkpoint_["when_busy"] = "skip";
    const bool has_nvme = s.cluster.local_write_bandwidth.base() > 0.0;
    if (d.chance(0.2) && (has_nvme || nodes_ > 1)) {
      checkpoint_["first_level"] = has_nvme && (nodes_ == 1 || d.chance(0.6)) ? "local_nvme" : "peer_memory";
      if (d.chance(0.7)) checkpoint_["storage_every"] = d.whole(2, 5);
    }
    if (!origin_.empty() && d.chance(0.25)) checkpoint_["export_every"] = d.whole(1, 3);
    if (d.chance(0.15)) cost_["kept_checkpoints"] = d.whole(2, 4);
  }

  void draw_failures(const Scenario& s) {
    PartDice d = dice(kFailurePart);
    const bool optimal = checkpoint_.contains("cadence") && checkpoint_["cadence"] == "optimal";
    if (!optimal && !d.chance(writes_ ? 0.35 : 0.08)) return;
    // Runs of minutes that fail as those of days do: everything in proportion. Without checkpoints each failure starts
    // the job over, so they are rare.
    const double times = writes_ ? d.log_uniform(0.3, 6.0) : d.log_uniform(0.1, 0.7);
    const auto part_of_run = [&](double low, double high) { return time_text(compute_s_ * d.log_uniform(low, high)); };
    const double kind = d.uniform(0.0, 1.0);
    const bool spot = s.cost.pricing == HostPricing::kSpot;
    if (optimal || kind < 0.75) {
      if (d.chance(0.7)) {
        failures_["mtti"] = time_text(compute_s_ / times);
      } else {
        failures_["per_1000_node_days"] =
            std::min(1e6, round_to_digits(times / compute_s_ * 86400.0 * 1000.0 / static_cast<double>(nodes_), 2));
      }
      if (d.chance(0.25)) failures_["law"] = "weibull";
      if (d.chance(0.3)) failures_["node_loss_fraction"] = round_to_digits(d.uniform(0.2, 0.95), 1);
      failures_["replacement_time"] = part_of_run(0.005, 0.1);
      if (d.chance(0.4)) {
        failures_["spares"] = d.whole(1, std::min<std::int64_t>(2, nodes_));
        failures_["swap_time"] = part_of_run(0.002, 0.02);
        if (d.chance(0.5)) failures_["repair_time"] = part_of_run(0.1, 1.0);
      }
      failures_["detection_time"] = part_of_run(0.002, 0.05);
    } else if (spot) {
      failures_["preemption_mtti"] = time_text(compute_s_ / times);
      failures_["preemption_notice"] = part_of_run(0.001, 0.02);
      failures_["preemption_wait"] = part_of_run(0.01, 0.2);
    } else if (kind < 0.9) {
      failures_["maintenance_interval"] = part_of_run(0.3, 2.0);
      failures_["maintenance_time"] = part_of_run(0.005, 0.1);
    } else {
      failures_["outage_mtti"] = time_text(compute_s_ / std::min(times, 2.0));
      failures_["outage_nodes"] = d.whole(1, nodes_);
      failures_["outage_time"] = part_of_run(0.01, 0.2);
      failures_["detection_time"] = part_of_run(0.002, 0.05);
    }
    if (d.chance(0.8)) failures_["restart_time"] = part_of_run(0.002, 0.05);
    if (writes_ && d.chance(0.15)) checkpoint_["restore_readers"] = "one_replica";
    if (writes_ && d.chance(0.15)) checkpoint_["restore_efficiency"] = round_to_digits(d.uniform(0.3, 0.9), 1);
  }

  std::uint64_t seed_;
  const Catalogue& catalogue_;
  JobLimits limits_;
  Json cluster_, workload_, dataset_, loader_, storage_, page_cache_, node_cache_, server_cache_, regional_cache_,
      origin_, staging_, model_, checkpoint_, failures_, cost_, run_;
  const InstanceRecord* instance_ = nullptr;
  const WorkloadRecord* work_ = nullptr;
  const TierRecord* tier_ = nullptr;  // null: described by hand
  std::string style_, layout_;
  std::int64_t nodes_ = 1, gpus_ = 1, batch_ = 1, accumulation_ = 1, workers_ = 0, epochs_ = 1, epoch_steps_ = 0,
               samples_ = 0;
  double sample_bytes_ = 0.0, compute_s_ = 0.0, steps_ = 0.0;
  bool validates_ = false, writes_ = false;
};

}  // namespace

nlohmann::ordered_json random_job(std::uint64_t seed, const Catalogue& catalogue, const JobLimits& limits) {
  return Draw(seed, catalogue, limits).run();
}

std::optional<ResolvedScenario> resolve_job(const nlohmann::ordered_json& json, const Catalogue& catalogue,
                                            Findings* findings) {
  Loaded<ScenarioFile> file = parse_scenario(json, "job.json");
  if (findings != nullptr) findings->append(file.findings);
  if (!file.ok()) return std::nullopt;
  Loaded<ResolvedScenario> resolved = resolve(*file.value, catalogue);
  if (findings != nullptr) findings->append(resolved.findings);
  if (!resolved.ok()) return std::nullopt;
  return std::move(resolved.value);
}

double simulated_samples(const Scenario& s) {
  const double ranks = static_cast<double>(representatives_of(s).nodes * s.cluster.gpus_per_node);
  return epoch_steps(s) * static_cast<double>(s.run.epochs * s.workload.batch_size * s.workload.gradient_accumulation) *
         ranks;
}

std::set<std::string> mechanisms(const Scenario& s) {
  std::set<std::string> out;
  const auto have = [&out](bool it, const char* what) {
    if (it) out.insert(what);
  };
  const auto one_of = [&out](const char* group, auto value, std::initializer_list<const char*> words) {
    out.insert(fmt::format("{} {}", group, *(words.begin() + static_cast<std::ptrdiff_t>(value))));
  };
  const LoaderSpec& l = s.loader;
  const CheckpointSpec& c = s.checkpoint;
  const FailureSpec& f = s.failures;
  have(!representatives_of(s).all(), "representatives");
  have(s.cluster.nodes > 1, "several machines");
  have(s.workload.gradient_accumulation > 1, "gradient accumulation");
  have(s.workload.validation_steps > 0, "validation");
  one_of("layout", s.dataset.layout, {"file_per_sample", "shards", "records", "columnar"});
  one_of("shuffle", s.dataset.shuffle, {"none", "global", "shard", "buffer"});
  have(s.dataset.compression_ratio > 1.0, "compression");
  one_of("style", l.style, {"map", "iterable", "threads"});
  have(l.num_workers == 0, "no workers");
  have(l.persistent_workers, "persistent workers");
  have(!l.in_order, "out of order");
  have(l.pin_memory, "pinned memory");
  have(l.read_ahead > 0, "read-ahead");
  have(l.wait_cpu.base() > 0.0, "cold caches after a wait");
  have(l.decode_on == DecodeDevice::kGpu, "GPU decode");
  have(l.gpudirect, "GPUDirect");
  one_of("scope", s.storage.scope, {"shared", "per_node"});
  have(s.storage.burst_credit.base() > 0.0, "burst credit");
  one_of("page cache", s.page_cache.policy, {"none", "lru", "pinned", "linux"});
  one_of("node cache", s.node_cache.policy, {"none", "lru", "pinned", "linux"});
  have(s.node_cache.policy != CachePolicy::kNone && s.node_cache.sharing == CacheSharing::kPartitioned,
       "partitioned node cache");
  have(s.server_cache.policy != CachePolicy::kNone, "server cache");
  have(s.regional_cache.policy != CachePolicy::kNone, "regional cache");
  one_of("staging", s.staging.method, {"none", "bulk", "lazy", "prefetch"});
  one_of("checkpoint", c.mode, {"none", "sync", "async"});
  if (c.mode != CheckpointMode::kNone) {
    one_of("cadence", c.cadence, {"steps", "time", "epochs", "optimal"});
    one_of("writers", c.writers, {"rank0", "all"});
    one_of("first level", c.first_level, {"storage", "local_nvme", "peer_memory"});
    have(c.when_busy == WhenBusy::kSkip, "skipped checkpoints");
    have(c.size.base() <= 0.0, "checkpoint of a model");
    have(c.export_every > 0, "exported checkpoints");
  }
  have(f.mtti.base() > 0.0 || f.per_1000_node_days > 0.0, "failures");
  have(f.spares > 0, "spares");
  have(f.preemption_mtti.base() > 0.0, "preemptions");
  have(f.maintenance_interval.base() > 0.0, "maintenance");
  have(f.outage_mtti.base() > 0.0, "outages");
  return out;
}

}  // namespace stallcast::hunt
