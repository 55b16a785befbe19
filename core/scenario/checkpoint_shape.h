// What one checkpoint is made of: who writes how much of it, and who reads how much to go on from it.
#pragma once

#include <array>
#include <cstdint>

#include "core/scenario/scenario.h"

namespace stallcast {

// **Units** bytes. Ranks that write or read nothing have 0.
struct CheckpointShape {
  double total = 0.0;                  // on storage, all writers
  double largest_rank = 0.0;           // the most that one rank writes
  double largest_node = 0.0;           // the most that the ranks of one node write together
  std::int64_t writers = 0;            // ranks that write
  std::int64_t writing_nodes = 0;      // nodes with one of them
  double read_by_rank = 0.0;           // the most that one rank reads to go on
  double read_by_node = 0.0;           // the most that the ranks of one node read together
  double read_total = 0.0;             // by all ranks
  double passed_on_to_rank = 0.0;      // the most that one rank gets from another GPU instead (one_replica)
  double largest_snapshot = 0.0;       // the most that one GPU copies to host memory
  double largest_node_snapshot = 0.0;  // the most that the GPUs of one node copy to host memory
  double parameters = 0.0;             // of the model; 0 = not stated
};

// What states a transformer's architecture in a scenario.
inline constexpr std::array kArchitectureFields = {"/model/layers", "/model/hidden_size", "/model/ffn_hidden_size",
                                                   "/model/vocab_size", "/model/attention_heads"};

constexpr double as_number(std::int64_t n) { return static_cast<double>(n); }

// Parameters of a decoder-only transformer with gated feed-forward layers and grouped-query attention, as Llama is.
// 0 where layers, hidden size, feed-forward size, vocabulary or heads are not stated.
// **Model** h hidden, F feed-forward, V vocabulary, k = floor(h / heads) * kv_heads: embedding and head V h each, final
// norm h, and per layer 2 h of norms, h (h + 2 k) of queries, keys and values, h h of projection, 3 h F feed-forward.
// **Source** Touvron et al. 2023, arXiv 2307.09288; MLPerf Storage v2.0 (get_num_parameters in its DLIO).
double transformer_parameters(const ModelSpec& model);

// Those stated, else those counted by transformer_parameters().
double model_parameters(const ModelSpec& model);

// Bytes per parameter that a checkpoint holds of weights, and of the optimizer.
// **Model** Adam: FP32 master weights where the precision is lower, two FP32 moments; SGD: one.
double weight_bytes(const ModelSpec& model);
double optimizer_bytes(const ModelSpec& model);

// Data-parallel replicas: ranks / (tensor_parallel * pipeline_parallel); 0 where that does not come out even.
std::int64_t data_parallel(const Scenario& scenario);

// **Model** Ranks are numbered tensor-parallel first, then pipeline, then data-parallel; nodes take gpus_per_node of
// them in that order.
//
// With `size`: an equal part of it per writer, rank 0 or every rank; with `size_per_writer` that much. Ranks read back
// what they wrote; what rank 0 wrote alone is read by every rank in whole, or by one that passes it on (one_replica).
//
// Else from the model. Layers are dealt to the pipeline stages in runs, the first stages one more where they do not
// come out even; the first has the embedding too, the last the final norm and the head. Each tensor-parallel rank of a
// stage holds 1/t of it, except for the norms, which each holds in full. Weights are written by the data-parallel
// replica 0, or 1/d by every rank with ZeRO stage 3; the optimizer's state of the stage's parameters, 1/t of it, by
// replica 0, or 1/d by every rank from stage 1 on. A rank that writes optimizer state adds that of 5 vectors of the
// hidden size, as MLPerf Storage's reference does. With `parameters` alone all shards are equal and there is neither.
// Rank 0 writing alone writes every parameter once, without those small parts.
// Where the software saves replicas in parallel (replica_saving; Megatron: fully parallel saving, Orbax:
// replica-parallel), every rank of a shard writes 1/d of what its replicas write together.
// To go on, a rank needs the weights of its shard (1/d of them with stage 3) and its part of the optimizer's state.
// Restore readers `all`: each reads them itself. `one_replica`: each part is read once, by the rank that would write
// it, and passed on to the other replicas.
//
// With `shard_ranks` the data-parallel ranks share out in groups of so many (hybrid sharding): a rank then holds, reads
// and copies to host memory 1/shard_ranks, and still each byte is written once, by all replicas in equal parts.
//
// Snapshots: what a rank writes, or all that it holds with parallel_after_copy; rank 0 writing alone has gathered it,
// so that every GPU copies its own part.
// **Range** all zero where mode is none, where neither a size nor a model is stated, or where data_parallel() is 0.
// **Cost** nodes + pipeline stages.
// **Source** Rajbhandari et al. 2020 (ZeRO); DLIO of MLPerf Storage v2.0, checkpointing/base_checkpointing.py, whose
// four models come out to the last printed digit. It divides the optimizer's state evenly over the stages.
// **Checked by** tests/core/scenario/checkpoint_shape_test.cpp
CheckpointShape checkpoint_shape(const Scenario& scenario);

// Whether the `number`-th checkpoint of a run, counted from 1, goes on to storage, and from there to the origin.
bool goes_to_storage(const CheckpointSpec& checkpoint, std::int64_t number);
bool is_exported(const CheckpointSpec& checkpoint, std::int64_t number);

// Chance that a checkpoint striped over all servers meets one that is slow: 1 - (1 - slow_server_fraction)^servers, a
// tier that states no servers being one. 0 where slow ones are no slower.
double chance_of_slow_server(const StorageSpec& storage);

}  // namespace stallcast
