// What one checkpoint is made of: who writes how much of it, and who reads how much to go on from it.
#pragma once

#include <cstdint>

#include "core/scenario/scenario.h"

namespace stallcast {

// **Units** bytes. Ranks that write nothing have 0.
struct CheckpointShape {
  double total = 0.0;              // on storage, all writers
  double largest_rank = 0.0;       // the most that one rank writes
  double largest_node = 0.0;       // the most that the ranks of one node write together
  std::int64_t writers = 0;        // ranks that write
  std::int64_t writing_nodes = 0;  // nodes with one of them
  double read_by_rank = 0.0;       // the most that a rank needs to go on
  double read_total = 0.0;         // by all ranks, when each reads what it needs itself
  double parameters = 0.0;         // of the model; 0 = not stated
};

// Parameters of a decoder-only transformer with gated feed-forward layers and grouped-query attention, as Llama is.
// 0 where layers, hidden size, feed-forward size, vocabulary or heads are not stated.
// **Source** Touvron et al. 2023, arXiv 2307.09288; sizes in MLPerf Storage v2.0, Submission guidelines, table 2
double transformer_parameters(const ModelSpec& model);

// Bytes per parameter that a checkpoint holds of weights, and of the optimizer.
// **Model** Adam: FP32 master weights where the precision is lower, two FP32 moments; SGD: one.
double weight_bytes(const ModelSpec& model);
double optimizer_bytes(const ModelSpec& model);

// Data-parallel replicas: ranks / (tensor_parallel * pipeline_parallel); 0 where that does not come out even.
std::int64_t data_parallel(const Scenario& scenario);

// **Model** `size` per writer where it is given. Else from the model: each of the tensor * pipeline parallel shards of
// the weights is written by one data-parallel rank, or by all of them in equal parts with ZeRO stage 3; the shard's
// optimizer state likewise, shared from stage 1 on. Rank 0 writing alone writes everything.
// All zero where mode is none, or where neither a size nor a model is stated.
CheckpointShape checkpoint_shape(const Scenario& scenario);

}  // namespace stallcast
