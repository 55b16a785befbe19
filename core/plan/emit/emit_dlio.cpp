#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>

#include "core/plan/emit/claims.h"
#include "core/plan/emit/emit_benchmark.h"
#include "core/scenario/checkpoint_shape.h"
#include "core/scenario/run_length.h"
#include "core/steps/checkpoint_times.h"
#include "core/units/binary_multiples.h"
#include "core/units/distribution.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

class DlioWriter {
 public:
  DlioWriter(const Scenario& scenario, const RunResult* result) : s_(scenario), result_(result) {}

  std::string text() {
    YAML::Emitter out;
    out << YAML::BeginMap;
    model(out);
    key(out, "framework", tensorflow() ? "tensorflow" : "pytorch");
    workflow(out);
    dataset(out);
    reader(out);
    train(out);
    evaluation(out);
    checkpoint(out);
    if (result_ != nullptr) metric(out);
    out << YAML::EndMap;
    const std::string pass =
        result_ == nullptr ? "" : "metric.au is the lower end of what is predicted: a run that fails it refutes it.";
    std::vector<std::string> about = {fmt::format("DLIO workload of \"{}\", as simulated by stallcast.", s_.name),
                                      fmt::format("{} processes, {} per node: mpirun -np {} dlio_benchmark ...",
                                                  s_.ranks(), s_.cluster.gpus_per_node, s_.ranks()),
                                      "Where DLIO does otherwise than the simulation:"};
    if (differences_.empty()) differences_.emplace_back("nowhere that is known");
    for (const std::string& line : differences_) about.push_back("- " + line);
    if (!pass.empty()) about.push_back(pass);
    return comment_lines(about) + out.c_str() + "\n";
  }

 private:
  template <class T>
  static void key(YAML::Emitter& out, const char* name, const T& value) {
    out << YAML::Key << name << YAML::Value << value;
  }
  static void key(YAML::Emitter& out, const char* name, double value) {
    out << YAML::Key << name << YAML::Value << format_number(value);
  }
  static void section(YAML::Emitter& out, const char* name) {
    out << YAML::Key << name << YAML::Value << YAML::BeginMap;
  }
  void differs(std::string line) { differences_.push_back(std::move(line)); }

  bool grouped() const {
    return s_.dataset.layout == DatasetLayout::kShards || s_.dataset.layout == DatasetLayout::kColumnar;
  }
  // Its TensorFlow reader is a pool of threads, which goes through files of many samples from end to end; PyTorch's
  // takes samples by index.
  bool tensorflow() const {
    return s_.loader.style == LoaderStyle::kThreads || (s_.loader.style == LoaderStyle::kIterable && grouped());
  }

  void model(YAML::Emitter& out) {
    section(out, "model");
    key(out, "name", s_.name.empty() ? std::string("stallcast") : s_.name);
    const ModelSpec& m = s_.model;
    const bool transformer = checkpoints() && !s_.checkpoint.states_size() && transformer_parameters(m) > 0.0 &&
                             s_.checkpoint.writers == CheckpointWriters::kAll;
    if (transformer) {
      key(out, "num_layers", m.layers);
      section(out, "transformer");
      key(out, "hidden_size", m.hidden_size);
      key(out, "ffn_hidden_size", m.ffn_hidden_size);
      key(out, "vocab_size", m.vocab_size);
      key(out, "num_attention_heads", m.attention_heads);
      key(out, "num_kv_heads", m.kv_heads > 0 ? m.kv_heads : m.attention_heads);
      out << YAML::EndMap;
      section(out, "parallelism");
      key(out, "tensor", m.tensor_parallel);
      key(out, "pipeline", m.pipeline_parallel);
      key(out, "zero_stage", m.zero_stage);
      out << YAML::EndMap;
      constexpr const char* kTypes[] = {"fp32", "bf16", "fp16", "int8"};
      key(out, "model_datatype", kTypes[static_cast<int>(m.precision)]);
      key(out, "optimizer_datatype", "fp32");
    } else if (checkpoints()) {
      const bool all = s_.checkpoint.writers == CheckpointWriters::kAll;
      const CheckpointShape shape = checkpoint_shape(s_);
      key(out, "model_size_bytes", static_cast<std::int64_t>(std::llround(all ? shape.largest_rank : shape.total)));
    }
    out << YAML::EndMap;
  }

  bool checkpoints() const { return s_.checkpoint.mode != CheckpointMode::kNone; }

  void workflow(YAML::Emitter& out) {
    section(out, "workflow");
    key(out, "generate_data", true);
    key(out, "train", true);
    key(out, "evaluation", s_.workload.validation_steps > 0);
    key(out, "checkpoint", checkpoints());
    out << YAML::EndMap;
  }

  std::int64_t per_file() const {
    const DatasetSpec& d = s_.dataset;
    if (d.layout == DatasetLayout::kFilePerSample) return 1;
    if (d.samples_per_shard > 1) return d.samples_per_shard;
    const double mean = std::max(1.0, mean_of(d.sample_size));
    return std::max<std::int64_t>(2, static_cast<std::int64_t>(kGiB / mean));
  }

  std::int64_t samples() const {
    if (s_.dataset.samples > 0) return s_.dataset.samples;
    const std::int64_t steps = std::max<std::int64_t>(s_.run.steps_per_epoch, 100);
    return steps * s_.workload.batch_size * s_.ranks();
  }

  void dataset(YAML::Emitter& out) {
    const DatasetSpec& d = s_.dataset;
    section(out, "dataset");
    key(out, "data_folder", "data/" + resource_name(s_.name));
    const bool records = d.layout == DatasetLayout::kRecords;
    key(out, "format", records ? "indexed_binary" : tensorflow() ? "tfrecord" : "npz");
    if (d.layout == DatasetLayout::kColumnar) differs("row groups of columns are read as whole files of samples");
    const std::int64_t files = (samples() + per_file() - 1) / per_file();
    if (files * per_file() != s_.dataset.samples)
      differs(fmt::format("the dataset has {} samples, in {} files of {}", files * per_file(), files, per_file()));
    key(out, "num_files_train", files);
    if (s_.workload.validation_steps > 0)
      key(out, "num_files_eval", (s_.workload.validation_steps * s_.ranks() + per_file() - 1) / per_file());
    key(out, "num_samples_per_file", per_file());
    const double mean = mean_of(d.sample_size);
    key(out, "record_length_bytes", static_cast<std::int64_t>(std::llround(mean)));
    const double relative = mean > 0.0 ? standard_deviation_of(d.sample_size) / mean : 0.0;
    if (relative > 0.0) {
      const double side = std::sqrt(std::sqrt(1.0 + relative * relative) - 1.0);
      key(out, "record_length_bytes_stdev", 2.0 * mean * side);
      if (d.sample_size.kind != DistributionKind::kNormal && d.sample_size.kind != DistributionKind::kGamma)
        differs("sample sizes have the mean and deviation simulated, not the shape");
    }
    if (d.tensor_size > bytes(0.0))
      key(out, "record_length_bytes_resize", static_cast<std::int64_t>(std::llround(d.tensor_size.base())));
    out << YAML::EndMap;
  }

  void reader(YAML::Emitter& out) {
    const LoaderSpec& l = s_.loader;
    section(out, "reader");
    key(out, "data_loader", tensorflow() ? "tensorflow" : "pytorch");
    key(out, "batch_size", s_.workload.batch_size);
    if (s_.workload.validation_steps > 0) key(out, "batch_size_eval", 1);
    key(out, "read_threads", l.num_workers);
    const bool threads = l.style == LoaderStyle::kThreads;
    if (l.num_workers > 0 || threads)
      key(out, "prefetch_size", threads ? l.prefetch_factor : l.num_workers * l.prefetch_factor);
    if (!threads && tensorflow())
      differs("workers that each fill batches from shards of their own are threads that share every batch");
    shuffling(out);
    if (s_.dataset.request_size > bytes(0.0))
      key(out, "transfer_size", static_cast<std::int64_t>(std::llround(s_.dataset.request_size.base())));
    if (mean_of(s_.dataset.decode_time) > 0.0) {
      time(out, "preprocess_time", s_.dataset.decode_time);
      differs("decoding is a sleep, which takes no core");
    } else if (!tensorflow()) {
      differs("DLIO loads its files with NumPy or h5py, which takes CPU time that the scenario does not have");
    }
    if (l.style == LoaderStyle::kMap && l.num_workers > 0)
      key(out, "multiprocessing_context", l.start_method == StartMethod::kSpawn ? "spawn" : "fork");
    key(out, "pin_memory", l.pin_memory);
    if (!l.in_order) differs("batches are delivered in order");
    if (l.decode_on == DecodeDevice::kGpu) differs("nothing is decoded on the GPU");
    if (l.gpudirect) differs("reads go through host memory, without GPUDirect Storage");
    if (!l.persistent_workers && l.num_workers > 0) differs("workers are kept from epoch to epoch");
    out << YAML::EndMap;
  }

  void shuffling(YAML::Emitter& out) {
    const Shuffle how = s_.dataset.shuffle;
    key(out, "file_shuffle", how == Shuffle::kNone ? "off" : "seed");
    const bool samples = how == Shuffle::kBuffer || (how == Shuffle::kGlobal && !tensorflow());
    key(out, "sample_shuffle", samples ? "seed" : "off");
    if (how == Shuffle::kBuffer) key(out, "shuffle_size", s_.dataset.shuffle_buffer);
    if (how == Shuffle::kBuffer && !tensorflow())
      differs("samples are shuffled over the whole dataset, without a buffer");
  }

  void train(YAML::Emitter& out) {
    section(out, "train");
    key(out, "epochs", s_.run.epochs);
    if (s_.workload.step_time_form == StepTimeForm::kTime && s_.workload.gradient_accumulation == 1) {
      time(out, "computation_time", s_.workload.step_time);
    } else {
      key(out, "computation_time", step_compute_s(s_) / static_cast<double>(s_.workload.gradient_accumulation));
    }
    if (s_.workload.gradient_accumulation > 1)
      differs("ranks meet after every batch, not only after the last of a step");
    key(out, "seed", s_.run.seed);
    const std::int64_t whole = samples() / (s_.workload.batch_size * s_.ranks());
    if (s_.run.steps_per_epoch > 0 && s_.run.steps_per_epoch < whole)
      key(out, "total_training_steps", s_.run.steps_per_epoch);
    out << YAML::EndMap;
  }

  void evaluation(YAML::Emitter& out) {
    if (s_.workload.validation_steps == 0) return;
    section(out, "evaluation");
    key(out, "eval_time", s_.workload.validation_step_time.base());
    out << YAML::EndMap;
    differs("evaluation reads its files; simulated, it computes only");
  }

  void checkpoint(YAML::Emitter& out) {
    if (!checkpoints()) return;
    const CheckpointSpec& c = s_.checkpoint;
    section(out, "checkpoint");
    key(out, "checkpoint_folder", "checkpoints/" + resource_name(s_.name));
    key(out, "type", c.writers == CheckpointWriters::kAll ? "all_ranks" : "rank_zero");
    if (c.cadence == CheckpointCadence::kEpochs) {
      key(out, "epochs_between_checkpoints", c.interval_epochs);
    } else if (c.cadence == CheckpointCadence::kSteps) {
      key(out, "steps_between_checkpoints", c.interval_steps);
    } else {
      const double step_s = result_ != nullptr && result_->step_time_s.mean > 0.0 ? result_->step_time_s.mean
                                                                                  : std::max(1e-9, step_compute_s(s_));
      double interval_s = c.interval.base();
      if (c.cadence == CheckpointCadence::kOptimal && result_ != nullptr)
        interval_s = result_->timeline.optimum.interval_s;
      if (c.cadence == CheckpointCadence::kContinuous) interval_s = write_beside_time(s_);
      key(out, "steps_between_checkpoints", std::max<std::int64_t>(1, std::llround(interval_s / step_s)));
      differs("checkpoints come after a number of steps, not of seconds");
    }
    out << YAML::EndMap;
    if (c.mode == CheckpointMode::kAsync) differs("training stops while a checkpoint is written");
  }

  void metric(YAML::Emitter& out) {
    const Estimate utilization = claimed_utilization(s_, *result_);
    const double low = utilization.mean > 0.0 ? utilization.ci95_low / utilization.mean : 1.0;
    section(out, "metric");
    key(out, "au", std::floor(result_->au_mlperf * low * 1e4) / 1e4);
    out << YAML::EndMap;
  }

  void time(YAML::Emitter& out, const char* name, const Distribution& d) {
    if (d.kind == DistributionKind::kConstant) return key(out, name, d.mean);
    section(out, name);
    switch (d.kind) {
      case DistributionKind::kUniform:
        key(out, "type", "uniform");
        key(out, "min", d.low);
        key(out, "max", d.high);
        break;
      case DistributionKind::kGamma:
        key(out, "type", "gamma");
        key(out, "shape", d.shape);
        key(out, "scale", d.mean / d.shape);
        break;
      case DistributionKind::kExponential:
        key(out, "type", "exponential");
        key(out, "scale", d.mean);
        break;
      case DistributionKind::kNormal:
        key(out, "mean", d.mean);
        key(out, "stdev", d.sd);
        break;
      default:
        key(out, "mean", mean_of(d));
        key(out, "stdev", standard_deviation_of(d));
        differs(fmt::format("{} has the mean and deviation simulated, not the shape", name));
    }
    out << YAML::EndMap;
  }

  const Scenario& s_;
  const RunResult* result_;
  std::vector<std::string> differences_;
};

}  // namespace

EmittedFile dlio_file(const Scenario& scenario, const RunResult* result) {
  return {"dlio.yaml", DlioWriter(scenario, result).text()};
}

}  // namespace stallcast
