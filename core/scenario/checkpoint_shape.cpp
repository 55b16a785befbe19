#include "core/scenario/checkpoint_shape.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace stallcast {
namespace {

// Vectors of the hidden size in the optimizer file of every rank.
constexpr double kOptimizerVectors = 5.0;

// The parts of a layer, in parameters: `norms` are held in full by each tensor-parallel rank.
struct Layer {
  double norms = 0.0;
  double matrices = 0.0;
};

Layer layer_of(const ModelSpec& m) {
  const double h = as_number(m.hidden_size);
  const double head = std::floor(h / as_number(m.attention_heads));
  const double kv = head * as_number(m.kv_heads > 0 ? m.kv_heads : m.attention_heads);
  return {2.0 * h, h * (h + 2.0 * kv) + h * h + 3.0 * h * as_number(m.ffn_hidden_size)};
}

bool has_architecture(const ModelSpec& m) {
  return m.layers > 0 && m.hidden_size > 0 && m.ffn_hidden_size > 0 && m.vocab_size > 0 && m.attention_heads > 0;
}

// One pipeline stage: its parameters, and those that one of its tensor-parallel ranks holds.
struct Stage {
  double parameters = 0.0;
  double held = 0.0;
};

std::vector<Stage> stages_of(const ModelSpec& m) {
  const auto t = as_number(m.tensor_parallel);
  const std::int64_t p = m.pipeline_parallel;
  if (m.parameters > 0.0) {
    const double each = m.parameters / as_number(p);
    return std::vector<Stage>(static_cast<std::size_t>(p), {each, each / t});
  }
  const Layer layer = layer_of(m);
  const double table = as_number(m.hidden_size) * as_number(m.vocab_size);  // embedding, and head
  std::vector<Stage> stages;
  for (std::int64_t s = 0; s < p; ++s) {
    const double layers = as_number(m.layers / p + (s < m.layers % p ? 1 : 0));
    const double norms = layers * layer.norms + (s == p - 1 ? as_number(m.hidden_size) : 0.0);
    const double matrices = layers * layer.matrices + (s == 0 ? table : 0.0) + (s == p - 1 ? table : 0.0);
    stages.push_back({norms + matrices, norms + matrices / t});
  }
  return stages;
}

// Bytes by rank: those of data-parallel replica 0 by their stage, and those of all other replicas.
class RankBytes {
 public:
  RankBytes(const Scenario& s, std::vector<double> first, std::vector<double> others)
      : scenario_(s), first_(std::move(first)), others_(std::move(others)), upto_first_{0.0}, upto_others_{0.0} {
    for (const double x : first_) upto_first_.push_back(upto_first_.back() + x);
    for (const double x : others_) upto_others_.push_back(upto_others_.back() + x);
  }

  double total() const { return before(scenario_.ranks()); }
  double largest_rank() const {
    const double first = *std::max_element(first_.begin(), first_.end());
    const double others = *std::max_element(others_.begin(), others_.end());
    return data_parallel(scenario_) > 1 ? std::max(first, others) : first;
  }
  double largest_node() const {
    const std::int64_t gpus = scenario_.cluster.gpus_per_node;
    double most = 0.0;
    for (std::int64_t node = 0; node < scenario_.cluster.nodes; ++node)
      most = std::max(most, before((node + 1) * gpus) - before(node * gpus));
    return most;
  }

 private:
  // Of the first `ranks` ranks together.
  double before(std::int64_t ranks) const {
    const std::int64_t replica = scenario_.model.tensor_parallel * scenario_.model.pipeline_parallel;
    const double t = as_number(scenario_.model.tensor_parallel);
    const std::int64_t whole = ranks / replica;
    if (whole == 0) return within(upto_first_, ranks);
    return t * upto_first_.back() + as_number(whole - 1) * t * upto_others_.back() +
           within(upto_others_, ranks % replica);
  }
  // Of the first `ranks` ranks of a replica, whose stages up to each take `upto` per tensor-parallel rank.
  double within(const std::vector<double>& upto, std::int64_t ranks) const {
    const std::int64_t t = scenario_.model.tensor_parallel;
    const auto stage = static_cast<std::size_t>(ranks / t);
    const double begun = ranks % t == 0 ? 0.0 : as_number(ranks % t) * (upto[stage + 1] - upto[stage]);
    return as_number(t) * upto[stage] + begun;
  }

  const Scenario& scenario_;
  std::vector<double> first_, others_, upto_first_, upto_others_;
};

CheckpointShape shape_of_size(const Scenario& s) {
  const bool all = s.checkpoint.writers == CheckpointWriters::kAll;
  const double ranks = as_number(s.ranks());
  const double gpus = as_number(s.cluster.gpus_per_node);
  const bool one_reads = !all && s.checkpoint.restore_readers == RestoreReaders::kOneReplica;
  CheckpointShape out;
  out.writers = all ? s.ranks() : 1;
  out.writing_nodes = all ? s.cluster.nodes : 1;
  const double whole = s.checkpoint.size.base();
  const double size = whole > 0.0 ? whole / as_number(out.writers) : s.checkpoint.size_per_writer.base();
  out.total = whole > 0.0 ? whole : size * as_number(out.writers);
  out.largest_rank = size;
  out.largest_node = all ? size * gpus : size;
  out.read_by_rank = size;
  out.read_by_node = one_reads ? size : size * gpus;
  out.read_total = one_reads ? size : size * ranks;
  out.passed_on_to_rank = one_reads && ranks > 1 ? size : 0.0;
  out.largest_snapshot = size;
  out.largest_node_snapshot = out.largest_node;
  out.parameters = model_parameters(s.model);
  return out;
}

CheckpointShape shape_of_model(const Scenario& s) {
  const ModelSpec& m = s.model;
  const double d = as_number(data_parallel(s));
  const double holders = m.shard_ranks > 0 ? std::min(d, as_number(m.shard_ranks)) : d;
  const double optimizer = optimizer_bytes(m);
  const double vectors = m.parameters > 0.0 ? 0.0 : kOptimizerVectors * as_number(m.hidden_size);
  const bool shares_weights = m.zero_stage >= 3;
  const bool shares_optimizer = m.zero_stage >= 1;
  const ReplicaSaving saving = s.checkpoint.replica_saving;
  const bool parallel = saving != ReplicaSaving::kFirst && s.checkpoint.writers == CheckpointWriters::kAll;
  // What a rank of a stage writes in replica 0 and in the others, and what each holds.
  std::vector<double> all, others, held;
  double passed_on = 0.0;
  for (const Stage& stage : stages_of(m)) {
    const double weights = weight_bytes(m) * stage.held / (shares_weights ? d : 1.0);
    const double moments =
        optimizer * (stage.parameters / as_number(m.tensor_parallel) / (shares_optimizer ? d : 1.0) + vectors);
    all.push_back(weights + moments);
    others.push_back((shares_weights ? weights : 0.0) + (shares_optimizer ? moments : 0.0));
    const double written = (all.back() + (d - 1.0) * others.back()) / d;
    if (parallel) all.back() = others.back() = written;
    held.push_back(
        weights * (shares_weights ? d / holders : 1.0) +
        optimizer * (stage.parameters / as_number(m.tensor_parallel) / (shares_optimizer ? holders : 1.0) + vectors));
    passed_on = std::max(passed_on, held.back() - others.back());
  }
  const RankBytes once(s, all, others);
  const RankBytes needed(s, held, held);

  CheckpointShape out;
  out.parameters = model_parameters(m);
  const bool every_rank = parallel || shares_weights || (shares_optimizer && optimizer > 0.0);
  out.writers = every_rank ? s.ranks() : m.tensor_parallel * m.pipeline_parallel;
  out.writing_nodes = (out.writers + s.cluster.gpus_per_node - 1) / s.cluster.gpus_per_node;
  out.total = once.total();
  out.largest_rank = out.largest_snapshot = once.largest_rank();
  out.largest_node = out.largest_node_snapshot = once.largest_node();
  const bool copies_all = parallel && saving == ReplicaSaving::kParallelAfterCopy;
  if (copies_all || (holders < d && (shares_weights || shares_optimizer))) {  // what it holds, whoever writes it
    out.largest_snapshot = needed.largest_rank();
    out.largest_node_snapshot = needed.largest_node();
  }
  if (s.checkpoint.writers == CheckpointWriters::kRank0) {
    out.writers = out.writing_nodes = 1;
    out.total = out.largest_rank = out.largest_node = out.parameters * (weight_bytes(m) + optimizer);
  }
  const bool one_replica = s.checkpoint.restore_readers == RestoreReaders::kOneReplica;
  const RankBytes& read = one_replica ? once : needed;
  out.read_by_rank = read.largest_rank();
  out.read_by_node = read.largest_node();
  out.read_total = read.total();
  out.passed_on_to_rank = one_replica && d > 1.0 ? passed_on : 0.0;
  return out;
}

}  // namespace

double transformer_parameters(const ModelSpec& m) {
  if (!has_architecture(m)) return 0.0;
  const Layer layer = layer_of(m);
  const double h = as_number(m.hidden_size);
  return 2.0 * as_number(m.vocab_size) * h + h + as_number(m.layers) * (layer.norms + layer.matrices);
}

double model_parameters(const ModelSpec& model) {
  return model.parameters > 0.0 ? model.parameters : transformer_parameters(model);
}

double weight_bytes(const ModelSpec& model) {
  switch (model.precision) {
    case WeightPrecision::kFp32:
      return 4.0;
    case WeightPrecision::kBf16:
    case WeightPrecision::kFp16:
      return 2.0;
    case WeightPrecision::kFp8:
      return 1.0;
  }
  return 0.0;
}

double optimizer_bytes(const ModelSpec& model) {
  if (model.optimizer == Optimizer::kNone) return 0.0;
  if (model.optimizer_bytes_per_parameter > 0.0) return model.optimizer_bytes_per_parameter;
  const double master = model.precision == WeightPrecision::kFp32 ? 0.0 : 4.0;
  return master + (model.optimizer == Optimizer::kAdam ? 8.0 : 4.0);
}

std::int64_t data_parallel(const Scenario& s) {
  const std::int64_t replica = s.model.tensor_parallel * s.model.pipeline_parallel;
  return replica > 0 && s.ranks() % replica == 0 ? s.ranks() / replica : 0;
}

CheckpointShape checkpoint_shape(const Scenario& scenario) {
  if (scenario.checkpoint.mode == CheckpointMode::kNone) return {};
  if (scenario.checkpoint.states_size()) return shape_of_size(scenario);
  if (model_parameters(scenario.model) <= 0.0 || data_parallel(scenario) == 0) return {};
  return shape_of_model(scenario);
}

bool goes_to_storage(const CheckpointSpec& c, std::int64_t number) {
  return c.first_level == CheckpointLevel::kStorage || number % c.storage_every == 0;
}

bool is_exported(const CheckpointSpec& c, std::int64_t number) {
  const std::int64_t every = c.first_level == CheckpointLevel::kStorage ? 1 : c.storage_every;
  return c.export_every > 0 && number % (every * c.export_every) == 0;
}

double chance_of_slow_server(const StorageSpec& t) {
  if (t.slow_server_factor <= 1.0) return 0.0;
  return 1.0 - std::pow(1.0 - t.slow_server_fraction, static_cast<double>(std::max<std::int64_t>(1, t.servers)));
}

}  // namespace stallcast
