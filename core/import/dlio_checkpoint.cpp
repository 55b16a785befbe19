#include "core/import/dlio_checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/scenario/checkpoint_shape.h"
#include "core/units/plain_text.h"

namespace stallcast::dlio {
namespace {

constexpr double kOptimizerTensors = 3.0;  // master weights and two moments, whatever the weights are

class CheckpointImporter {
 public:
  CheckpointImporter(WorkloadFile& in, Draft& draft) : in_(in), draft_(draft) {}

  void write(std::int64_t interval_steps) {
    CheckpointSpec& c = draft_.scenario.checkpoint;
    c.mode = CheckpointMode::kSync;
    c.interval_steps = interval_steps;
    draft_.give({"/checkpoint/mode", "/checkpoint/interval_steps", "/checkpoint/writers"});
    if (in_.has("model.transformer") && in_.count("model.num_layers", 0, -1, most_of("/model/layers")) > 0) {
      c.writers = CheckpointWriters::kAll;
      transformer();
    } else {
      const bool all = lowered(in_.word("checkpoint.type", "rank_zero")) == "all_ranks";
      c.writers = all ? CheckpointWriters::kAll : CheckpointWriters::kRank0;
      give_size_per_writer(bytes_of_writer());
    }
  }

 private:
  void give_size_per_writer(double size) {
    CheckpointSpec& c = draft_.scenario.checkpoint;
    const bool all = c.writers == CheckpointWriters::kAll;
    (all ? c.size_per_writer : c.size) = bytes(std::round(size));
    draft_.give({all ? "/checkpoint/size_per_writer" : "/checkpoint/size"});
  }

  void transformer() {
    ModelSpec& m = draft_.scenario.model;
    const auto size = [&](const char* key, std::int64_t fallback) {
      return in_.count(std::string("model.transformer.") + key, fallback, 1);
    };
    m.layers = in_.count("model.num_layers", 0, -1, most_of("/model/layers"));
    m.hidden_size = size("hidden_size", 2048);
    m.ffn_hidden_size = size("ffn_hidden_size", 8192);
    m.vocab_size = size("vocab_size", 32000);
    m.attention_heads = size("num_attention_heads", 32);
    m.kv_heads = size("num_kv_heads", 8);
    m.precision = precision();
    optimizer();
    m.tensor_parallel = in_.count("model.parallelism.tensor", 1, 1, most_of("/model/tensor_parallel"));
    m.pipeline_parallel = in_.count("model.parallelism.pipeline", 1, 1, most_of("/model/pipeline_parallel"));
    m.zero_stage = std::max<std::int64_t>(0, in_.count("model.parallelism.zero_stage", 0, -1));
    if (data_parallel(draft_.scenario) == 0) return part_of_a_job();
    const std::int64_t data = in_.count("model.parallelism.data", -1, -1, most_of("/cluster/nodes"));
    if (data > 0 && data != data_parallel(draft_.scenario)) {
      in_.warn(
          "approximated", "model.parallelism.data", fmt::format("{}", data),
          fmt::format("the {} ranks that there are make {}", draft_.scenario.ranks(), data_parallel(draft_.scenario)));
    }
    draft_.give({"/model/layers", "/model/hidden_size", "/model/ffn_hidden_size", "/model/vocab_size",
                 "/model/attention_heads", "/model/kv_heads", "/model/precision", "/model/optimizer",
                 "/model/tensor_parallel", "/model/pipeline_parallel", "/model/zero_stage"});
  }

  WeightPrecision precision() {
    const std::string type = in_.word("model.model_datatype", "fp16");
    switch (static_cast<int>(element_bytes(type))) {
      case 1:
        return WeightPrecision::kFp8;
      case 2:
        return lowered(type).starts_with("b") ? WeightPrecision::kBf16 : WeightPrecision::kFp16;
      case 4:
        return WeightPrecision::kFp32;
      default:
        in_.error("wrong_value", "model.model_datatype", fmt::format("\"{}\"", type), "int8, fp16, bf16 or fp32");
        return WeightPrecision::kFp16;
    }
  }

  void optimizer() {
    ModelSpec& m = draft_.scenario.model;
    const std::string type = in_.word("model.optimizer_datatype", "fp32");
    const double size = kOptimizerTensors * element_bytes(type);
    if (size <= 0.0) {
      in_.error("wrong_value", "model.optimizer_datatype", fmt::format("\"{}\"", type),
                "int8, fp16, bf16, fp32 or fp64");
    } else if (size != optimizer_bytes(m)) {
      m.optimizer_bytes_per_parameter = size;
      draft_.give({"/model/optimizer_bytes_per_parameter"});
    }
  }

  // Fewer ranks than one replica, or no multiple of it: the first of those that a whole job has.
  void part_of_a_job() {
    Scenario job = draft_.scenario;
    const ModelSpec& m = job.model;
    const std::int64_t ranks = job.ranks();
    const std::int64_t replica = m.tensor_parallel * m.pipeline_parallel;
    const std::int64_t data = in_.count("model.parallelism.data", -1, -1, most_of("/cluster/nodes"));
    const std::int64_t whole = replica * std::max<std::int64_t>(1, data);
    const double most = most_of("/cluster/nodes") * most_of("/cluster/gpus_per_node");
    if (static_cast<double>(whole) > most)
      return in_.error("out_of_range", "model.parallelism", fmt::format("{} parts", whole),
                       fmt::format("tensor * pipeline * data up to {}", most));
    job.cluster.nodes = whole;
    job.cluster.gpus_per_node = 1;
    const CheckpointShape shape = checkpoint_shape(job);
    double size = shape.total / static_cast<double>(whole);
    if (whole % ranks == 0) {  // dealt to machines of as many ranks, of which the first has the most
      job.cluster.nodes = whole / ranks;
      job.cluster.gpus_per_node = ranks;
      size = checkpoint_shape(job).largest_node / static_cast<double>(ranks);
    }
    in_.warn("few_ranks", "model.parallelism", fmt::format("{} ranks", ranks),
             fmt::format("the model is cut into {} parts; each rank writes what one of the first {} of {} does",
                         replica, ranks, whole));
    draft_.scenario.model = {};
    give_size_per_writer(size);
  }

  double bytes_of_writer() {
    double size = in_.size("model.model_size_bytes", 0);
    if (size == 0.0) {
      size = in_.size("model.model_size", in_.size("checkpoint.model_size", 0));
      if (size > 0.0)
        in_.warn("old_key", "model.model_size", fmt::format("{}", size),
                 "recent DLIO reads model_size_bytes only and would write 10240 bytes");
    }
    double elements = 0.0;
    const double layers = static_cast<double>(in_.count("model.num_layers", 0, -1));
    for (const double n : in_.numbers("model.layer_parameters")) elements += n * std::max(1.0, layers);
    for (const double n : in_.numbers("model.optimization_groups")) elements += n;
    if (elements > 0.0)
      in_.warn("assumed", "model.layer_parameters", fmt::format("{} elements", elements), "4 bytes each");
    size += 4.0 * elements;
    return size > 0.0 ? size : 10240.0;
  }

  WorkloadFile& in_;
  Draft& draft_;
};

}  // namespace

void training_checkpoints(WorkloadFile& in, Draft& draft) {
  const std::int64_t steps = in.count("checkpoint.steps_between_checkpoints", -1, -1);
  const std::int64_t epochs = std::max<std::int64_t>(1, in.count("checkpoint.epochs_between_checkpoints", 1, -1));
  const double by_epochs = static_cast<double>(epochs) * static_cast<double>(draft.scenario.run.steps_per_epoch);
  CheckpointImporter(in, draft).write(steps > 0 ? steps : static_cast<std::int64_t>(std::min(by_epochs, 1e12)));
  if (steps <= 0 && in.count("checkpoint.checkpoint_after_epoch", 1, -1) > epochs) {
    in.warn("approximated", "checkpoint.checkpoint_after_epoch", in.word("checkpoint.checkpoint_after_epoch", ""),
            "checkpoints are simulated from the first interval on");
  }
}

void checkpoints_only(WorkloadFile& in, Draft& draft) {
  Scenario& s = draft.scenario;
  const double wait = in.number("checkpoint.time_between_checkpoints", 0);
  const std::int64_t writes = in.count("checkpoint.num_checkpoints_write", -1, -1);
  s.run.steps_per_epoch = writes > 0 ? writes : 10;
  if (writes <= 0)
    in.warn("assumed", "checkpoint.num_checkpoints_write", fmt::format("{}", writes), "10 checkpoints are simulated");
  s.run.whole_run = true;
  s.workload.step_time = Distribution::constant(wait > 0.0 ? wait : 1e-3);
  s.dataset.sample_size = Distribution::constant(1.0);
  s.loader.num_workers = 0;
  draft.give({"/workload/batch_size", "/workload/step_time", "/dataset/sample_size", "/loader/num_workers",
              "/run/steps_per_epoch", "/run/whole_run"});
  CheckpointImporter(in, draft).write(1);
  if (in.count("checkpoint.num_checkpoints_read", 0, -1) > 0) {
    in.warn("not_simulated", "checkpoint.num_checkpoints_read", in.word("checkpoint.num_checkpoints_read", ""),
            "writing is simulated, reading back is not");
  }
}

}  // namespace stallcast::dlio
