#include "core/scenario/checkpoint_shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/units/binary_multiples.h"

namespace stallcast {
namespace {

Scenario job(std::int64_t nodes, std::int64_t gpus, const ModelSpec& model) {
  Scenario s;
  s.cluster.nodes = nodes;
  s.cluster.gpus_per_node = gpus;
  s.model = model;
  s.checkpoint.mode = CheckpointMode::kSync;
  s.checkpoint.writers = CheckpointWriters::kAll;
  return s;
}

ModelSpec transformer(std::int64_t layers, std::int64_t hidden, std::int64_t ffn, std::int64_t heads,
                      std::int64_t kv_heads, std::int64_t tensor, std::int64_t pipeline, std::int64_t zero) {
  ModelSpec m;
  m.layers = layers;
  m.hidden_size = hidden;
  m.ffn_hidden_size = ffn;
  m.vocab_size = 128256;
  m.attention_heads = heads;
  m.kv_heads = kv_heads;
  m.precision = WeightPrecision::kFp16;
  m.tensor_parallel = tensor;
  m.pipeline_parallel = pipeline;
  m.zero_stage = zero;
  return m;
}

struct Published {
  const char* name;
  ModelSpec model;
  std::int64_t ranks;
  double parameters;
  double gib, half_digit;
  double bytes;  // of its code, which takes whole elements: up to ranks * 12 B less
};

// **Source** MLPerf Storage v2.0: model, parallelism and ranks of the CLOSED division, sizes as its DLIO reports them.
std::vector<Published> published() {
  return {
      {"8b", transformer(32, 4096, 14336, 32, 8, 1, 1, 3), 8, 8030261248.0, 104.7045, 5e-5, 112425623552.0},
      {"70b", transformer(80, 8192, 28672, 128, 8, 8, 1, 3), 64, 69882617856.0, 911.2121, 5e-5, 978406572032.0},
      {"405b", transformer(126, 16384, 53248, 128, 8, 8, 32, 1), 512, 405853388800.0, 5292.249, 5e-4, 5682508791808.0},
      {"1t", transformer(128, 25872, 98304, 192, 32, 8, 64, 1), 1024, 1183035102480.0, 15426.589, 5e-4,
       16564174094592.0}};
}

TEST(CheckpointShape, TotalsOfMlperfStorage) {
  for (const Published& p : published()) {
    const CheckpointShape shape = checkpoint_shape(job(p.ranks / 8, 8, p.model));
    EXPECT_DOUBLE_EQ(transformer_parameters(p.model), p.parameters) << p.name;
    EXPECT_NEAR(shape.total / kGiB, p.gib, p.half_digit) << p.name;
    EXPECT_GE(shape.total, p.bytes - 1.0) << p.name;
    EXPECT_LE(shape.total, p.bytes + static_cast<double>(p.ranks) * 12.0) << p.name;
    EXPECT_EQ(shape.writers, p.ranks) << p.name;
    EXPECT_EQ(shape.writing_nodes, p.ranks / 8) << p.name;
  }
}

// 2 B of weights and 12 B of Adam: master, first and second moment in FP32.
TEST(CheckpointShape, BytesPerParameter) {
  ModelSpec m;
  EXPECT_EQ(weight_bytes(m), 2.0);
  EXPECT_EQ(optimizer_bytes(m), 12.0);
  m.precision = WeightPrecision::kFp8;
  EXPECT_EQ(weight_bytes(m), 1.0);
  EXPECT_EQ(optimizer_bytes(m), 12.0);
  m.precision = WeightPrecision::kFp32;
  EXPECT_EQ(weight_bytes(m), 4.0);
  EXPECT_EQ(optimizer_bytes(m), 8.0);
  m.optimizer = Optimizer::kSgdMomentum;
  EXPECT_EQ(optimizer_bytes(m), 4.0);
  m.optimizer_bytes_per_parameter = 6.0;
  EXPECT_EQ(optimizer_bytes(m), 6.0);
  m.optimizer = Optimizer::kNone;
  EXPECT_EQ(optimizer_bytes(m), 0.0);
}

TEST(CheckpointShape, ParametersNeedTheWholeArchitecture) {
  for (std::int64_t ModelSpec::*member : {&ModelSpec::layers, &ModelSpec::hidden_size, &ModelSpec::ffn_hidden_size,
                                          &ModelSpec::vocab_size, &ModelSpec::attention_heads}) {
    ModelSpec m = transformer(2, 64, 128, 4, 2, 1, 1, 0);
    m.*member = 0;
    EXPECT_EQ(transformer_parameters(m), 0.0);
  }
  ModelSpec m = transformer(2, 64, 128, 4, 4, 1, 1, 0);
  const double full = transformer_parameters(m);
  m.kv_heads = 0;  // as many as heads
  EXPECT_EQ(transformer_parameters(m), full);
}

// 1e9 parameters on 8 ranks: tensor 2, pipeline 2, data 2; 4 shards of 250e6 parameters: 0.5 GB of weights, 3 GB of
// Adam. Nodes of 4 ranks hold one replica.
ModelSpec billion(std::int64_t zero) {
  ModelSpec m;
  m.parameters = 1e9;
  m.tensor_parallel = 2;
  m.pipeline_parallel = 2;
  m.zero_stage = zero;
  return m;
}

TEST(CheckpointShape, WhoWritesWithZero) {
  struct Row {
    std::int64_t zero;
    double largest_rank, largest_node;
    std::int64_t writers, nodes;
    double needs;  // of a rank, to go on
  };
  const Row rows[] = {
      {0, 3.5e9, 14e9, 4, 1, 3.5e9},   // replica 0 alone: 4 * 3.5
      {1, 2.0e9, 8e9, 8, 2, 2.0e9},    // 0.5 + 3 / 2; replica 1 writes 1.5
      {2, 2.0e9, 8e9, 8, 2, 2.0e9},    // gradients are not in a checkpoint
      {3, 1.75e9, 7e9, 8, 2, 1.75e9},  // 3.5 / 2
  };
  for (const Row& row : rows) {
    const CheckpointShape shape = checkpoint_shape(job(2, 4, billion(row.zero)));
    EXPECT_DOUBLE_EQ(shape.total, 14e9) << row.zero;
    EXPECT_DOUBLE_EQ(shape.largest_rank, row.largest_rank) << row.zero;
    EXPECT_DOUBLE_EQ(shape.largest_node, row.largest_node) << row.zero;
    EXPECT_EQ(shape.writers, row.writers) << row.zero;
    EXPECT_EQ(shape.writing_nodes, row.nodes) << row.zero;
    EXPECT_DOUBLE_EQ(shape.read_by_rank, row.needs) << row.zero;
    EXPECT_DOUBLE_EQ(shape.read_by_node, 4 * row.needs) << row.zero;
    EXPECT_DOUBLE_EQ(shape.read_total, 8 * row.needs) << row.zero;
    EXPECT_EQ(shape.passed_on_to_rank, 0.0) << row.zero;
    EXPECT_EQ(shape.parameters, 1e9) << row.zero;
  }
}

// 14 GB by eight ranks are 1.75 GB of each, however the optimizer is sharded; what is read to go on is as before. A
// rank copies what it writes, or, where copying comes before planning, all that it holds.
TEST(CheckpointShape, ReplicasThatSaveInParallelWriteEqualParts) {
  for (std::int64_t zero = 0; zero <= 3; ++zero) {
    Scenario s = job(2, 4, billion(zero));
    const CheckpointShape first = checkpoint_shape(s);
    s.checkpoint.replica_saving = ReplicaSaving::kParallel;
    CheckpointShape shape = checkpoint_shape(s);
    EXPECT_DOUBLE_EQ(shape.total, 14e9) << zero;
    EXPECT_DOUBLE_EQ(shape.largest_rank, 1.75e9) << zero;
    EXPECT_DOUBLE_EQ(shape.largest_node, 7e9) << zero;
    EXPECT_EQ(shape.writers, 8) << zero;
    EXPECT_EQ(shape.writing_nodes, 2) << zero;
    EXPECT_DOUBLE_EQ(shape.read_by_rank, first.read_by_rank) << zero;
    EXPECT_DOUBLE_EQ(shape.largest_snapshot, 1.75e9) << zero;
    s.checkpoint.replica_saving = ReplicaSaving::kParallelAfterCopy;
    shape = checkpoint_shape(s);
    EXPECT_DOUBLE_EQ(shape.largest_rank, 1.75e9) << zero;
    EXPECT_DOUBLE_EQ(shape.largest_snapshot, first.read_by_rank) << zero;
    EXPECT_DOUBLE_EQ(shape.largest_node_snapshot, 4.0 * first.read_by_rank) << zero;
    s.checkpoint.writers = CheckpointWriters::kRank0;  // has nobody to share with
    EXPECT_DOUBLE_EQ(checkpoint_shape(s).largest_rank, 14e9) << zero;
  }
}

// Each part is read once; the other replica gets what it has not of its own: all, the weights, or nothing.
TEST(CheckpointShape, OneReplicaReadsAndPassesOn) {
  const double passed_on[] = {3.5e9, 0.5e9, 0.5e9, 0.0};
  for (std::int64_t zero = 0; zero <= 3; ++zero) {
    Scenario s = job(2, 4, billion(zero));
    s.checkpoint.restore_readers = RestoreReaders::kOneReplica;
    const CheckpointShape shape = checkpoint_shape(s);
    EXPECT_DOUBLE_EQ(shape.read_total, shape.total) << zero;
    EXPECT_DOUBLE_EQ(shape.read_by_rank, shape.largest_rank) << zero;
    EXPECT_DOUBLE_EQ(shape.read_by_node, shape.largest_node) << zero;
    EXPECT_NEAR(shape.passed_on_to_rank, passed_on[zero], 1.0) << zero;
    s.cluster.nodes = 1;  // one replica: nobody to pass it on to
    EXPECT_EQ(checkpoint_shape(s).passed_on_to_rank, 0.0) << zero;
  }
}

TEST(CheckpointShape, WithoutOptimizerOnlyReplica0WritesUnlessWeightsAreShared) {
  for (std::int64_t zero = 0; zero <= 3; ++zero) {
    ModelSpec m = billion(zero);
    m.optimizer = Optimizer::kNone;
    const CheckpointShape shape = checkpoint_shape(job(2, 4, m));
    EXPECT_EQ(shape.writers, zero == 3 ? 8 : 4) << zero;
    EXPECT_EQ(shape.writing_nodes, zero == 3 ? 2 : 1) << zero;
    EXPECT_DOUBLE_EQ(shape.total, 2e9) << zero;
  }
}

// Rank 0 gathers: 14 GB in one file. Every rank reads its part of it all the same, and its GPU copies only that.
TEST(CheckpointShape, Rank0AloneWritesEverything) {
  Scenario s = job(2, 4, billion(1));
  s.checkpoint.writers = CheckpointWriters::kRank0;
  const CheckpointShape shape = checkpoint_shape(s);
  EXPECT_DOUBLE_EQ(shape.total, 14e9);
  EXPECT_DOUBLE_EQ(shape.largest_rank, 14e9);
  EXPECT_DOUBLE_EQ(shape.largest_node, 14e9);
  EXPECT_EQ(shape.writers, 1);
  EXPECT_EQ(shape.writing_nodes, 1);
  EXPECT_DOUBLE_EQ(shape.read_by_rank, 2e9);
  EXPECT_DOUBLE_EQ(shape.read_total, 16e9);
  EXPECT_DOUBLE_EQ(shape.largest_snapshot, 2e9);
  EXPECT_DOUBLE_EQ(shape.largest_node_snapshot, 8e9);
}

// A size is of all writers together, whoever writes: 100 GB of 16 ranks are 6.25 GB of each.
TEST(CheckpointShape, SizeIsOfTheWholeCheckpoint) {
  Scenario s = job(2, 8, billion(1));
  s.checkpoint.size = bytes(100e9);
  CheckpointShape shape = checkpoint_shape(s);
  EXPECT_EQ(shape.total, 100e9);
  EXPECT_EQ(shape.largest_rank, 6.25e9);
  EXPECT_EQ(shape.largest_node, 50e9);
  EXPECT_EQ(shape.read_total, 100e9);
  s.checkpoint.writers = CheckpointWriters::kRank0;
  shape = checkpoint_shape(s);
  EXPECT_EQ(shape.total, 100e9);
  EXPECT_EQ(shape.largest_rank, 100e9);
}

// A size per writer wins over the model, too.
TEST(CheckpointShape, SizePerWriterIsOfEachOfThem) {
  Scenario s = job(2, 4, billion(1));
  s.checkpoint.size_per_writer = bytes(5e9);
  CheckpointShape shape = checkpoint_shape(s);
  EXPECT_EQ(shape.total, 40e9);
  EXPECT_EQ(shape.largest_rank, 5e9);
  EXPECT_EQ(shape.largest_node, 20e9);
  EXPECT_EQ(shape.read_total, 40e9);  // each its own
  s.checkpoint.restore_readers = RestoreReaders::kOneReplica;
  EXPECT_EQ(checkpoint_shape(s).read_total, 40e9);  // eight different parts

  s.checkpoint.writers = CheckpointWriters::kRank0;
  shape = checkpoint_shape(s);
  EXPECT_EQ(shape.total, 5e9);
  EXPECT_EQ(shape.largest_node, 5e9);
  EXPECT_EQ(shape.read_by_node, 5e9);
  EXPECT_EQ(shape.read_total, 5e9);
  EXPECT_EQ(shape.passed_on_to_rank, 5e9);
  s.checkpoint.restore_readers = RestoreReaders::kAll;
  shape = checkpoint_shape(s);
  EXPECT_EQ(shape.read_by_rank, 5e9);  // torch.load of the whole file by every rank
  EXPECT_EQ(shape.read_by_node, 20e9);
  EXPECT_EQ(shape.read_total, 40e9);
  EXPECT_EQ(shape.passed_on_to_rank, 0.0);
}

TEST(CheckpointShape, NothingWithoutCheckpointOrModel) {
  Scenario s = job(2, 4, billion(0));
  s.checkpoint.mode = CheckpointMode::kNone;
  EXPECT_EQ(checkpoint_shape(s).total, 0.0);
  EXPECT_EQ(checkpoint_shape(job(2, 4, ModelSpec{})).total, 0.0);
  EXPECT_EQ(checkpoint_shape(job(3, 2, billion(0))).total, 0.0);  // 6 ranks, shards of 4
  EXPECT_EQ(data_parallel(job(3, 2, billion(0))), 0);
  EXPECT_EQ(data_parallel(job(3, 4, billion(0))), 3);
}

// h 4, F 8, V 16, 2 heads, 1 of keys and values (k = 2): a layer has norms 8 and matrices 4 * 8 + 16 + 96 = 144; tables
// are 64 each. 3 layers on 2 stages: 2 + embedding = 16 + 288 + 64 = 368 parameters, 1 + final norm and head =
// 8 + 144 + 4 + 64 = 220. Tensor 2: a rank of stage 0 holds 16 + 352 / 2 = 192, of stage 1 12 + 208 / 2 = 116.
// Data 2, ZeRO 1, 2 B and 12 B; 5 * 4 more elements of Adam: stage 0 384 + 12 (368 / 4 + 20) = 1728, and without the
// weights 1344; stage 1 232 + 12 (220 / 4 + 20) = 1132 and 900. Ranks 0 to 7: 1728 1728 1132 1132 1344 1344 900 900.
TEST(CheckpointShape, StagesOfASmallTransformer) {
  ModelSpec m = transformer(3, 4, 8, 2, 1, 2, 2, 1);
  m.vocab_size = 16;
  EXPECT_EQ(transformer_parameters(m), 368.0 + 220.0);
  const CheckpointShape on_two = checkpoint_shape(job(2, 4, m));
  EXPECT_DOUBLE_EQ(on_two.total, 10208.0);
  EXPECT_DOUBLE_EQ(on_two.largest_rank, 1728.0);
  EXPECT_DOUBLE_EQ(on_two.largest_node, 5720.0);
  EXPECT_DOUBLE_EQ(on_two.read_by_rank, 1728.0);
  EXPECT_DOUBLE_EQ(on_two.read_total, 2 * 5720.0);
  // Nodes that cut through shards and replicas: of 1 rank, and of 8.
  EXPECT_DOUBLE_EQ(checkpoint_shape(job(8, 1, m)).largest_node, 1728.0);
  EXPECT_DOUBLE_EQ(checkpoint_shape(job(1, 8, m)).largest_node, 10208.0);
  EXPECT_DOUBLE_EQ(checkpoint_shape(job(4, 2, m)).largest_node, 3456.0);
}

// Bytes of each rank, one after the other as the reference's loop over ranks would add them.
double sum_over_ranks(const Scenario& s, double& largest, double& largest_node) {
  const ModelSpec& m = s.model;
  const std::int64_t t = m.tensor_parallel, p = m.pipeline_parallel, d = s.ranks() / (t * p);
  const double h = static_cast<double>(m.hidden_size), table = h * static_cast<double>(m.vocab_size);
  const double kv = static_cast<double>(m.hidden_size / m.attention_heads * m.kv_heads);
  const double matrices = h * (h + 2 * kv) + h * h + 3 * h * static_cast<double>(m.ffn_hidden_size);
  double total = 0.0, node = 0.0;
  largest = largest_node = 0.0;
  for (std::int64_t rank = 0; rank < s.ranks(); ++rank) {
    const std::int64_t stage = rank / t % p, replica = rank / (t * p);
    double norms = 0.0, cut = 0.0;
    for (std::int64_t layer = 0; layer < m.layers; ++layer) {
      const std::int64_t longer = m.layers % p, each = m.layers / p;
      const std::int64_t owner =
          layer < longer * (each + 1) ? layer / (each + 1) : longer + (layer - longer * (each + 1)) / each;
      if (owner != stage) continue;
      norms += 2 * h;
      cut += matrices;
    }
    if (stage == 0) cut += table;
    if (stage == p - 1) {
      cut += table;
      norms += h;
    }
    double bytes = 0.0;
    if (m.zero_stage == 3) bytes += 2 * (norms + cut / static_cast<double>(t)) / static_cast<double>(d);
    if (m.zero_stage < 3 && replica == 0) bytes += 2 * (norms + cut / static_cast<double>(t));
    const double shared = m.zero_stage >= 1 ? static_cast<double>(t * d) : static_cast<double>(t);
    if (m.zero_stage >= 1 || replica == 0) bytes += 12 * ((norms + cut) / shared + 5 * h);
    total += bytes;
    node = rank % s.cluster.gpus_per_node == 0 ? bytes : node + bytes;
    largest = std::max(largest, bytes);
    largest_node = std::max(largest_node, node);
  }
  return total;
}

TEST(CheckpointShape, RanksAddUpToTheTotal) {
  for (const std::int64_t gpus : {1, 3, 4, 8}) {
    for (const std::int64_t pipeline : {1, 2, 5}) {
      for (const std::int64_t tensor : {1, 2, 4}) {
        for (std::int64_t zero = 0; zero <= 3; ++zero) {
          const ModelSpec m = transformer(12, 64, 200, 8, 2, tensor, pipeline, zero);
          const Scenario s = job(40, gpus, m);
          if (data_parallel(s) == 0) continue;
          double largest = 0.0, largest_node = 0.0;
          const double total = sum_over_ranks(s, largest, largest_node);
          const CheckpointShape shape = checkpoint_shape(s);
          const std::string what = std::to_string(gpus) + " GPUs, tensor " + std::to_string(tensor) + ", pipeline " +
                                   std::to_string(pipeline) + ", ZeRO " + std::to_string(zero);
          EXPECT_NEAR(shape.total, total, 1e-9 * total) << what;
          EXPECT_NEAR(shape.largest_rank, largest, 1e-9 * largest) << what;
          EXPECT_NEAR(shape.largest_node, largest_node, 1e-9 * total) << what;
        }
      }
    }
  }
}

}  // namespace
}  // namespace stallcast
