#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/plan/emit/claims.h"
#include "core/plan/emit/emit_benchmark.h"
#include "core/scenario/checkpoint_shape.h"
#include "core/units/distribution.h"
#include "core/units/quantity_text.h"
#include "core/units/size_text.h"

namespace stallcast {
namespace {

constexpr double kBytesPerJob = 1073741824.0;  // laid out by each reader before it reads
constexpr std::int64_t kMostFiles = 1000;      // of a reader

// Direct reads want whole blocks.
std::int64_t whole_blocks(double size) {
  constexpr double kBlock = 4096.0;
  return static_cast<std::int64_t>(std::max(1.0, std::ceil(size / kBlock)) * kBlock);
}

}  // namespace

EmittedFile fio_read_file(const Scenario& s, const RunResult& result) {
  const NodeReads reads = node_reads(s, result);
  const std::int64_t request = whole_blocks(reads.request_bytes);
  const bool one_file_each = s.dataset.layout == DatasetLayout::kFilePerSample;
  const double samples =
      one_file_each ? 1.0 : static_cast<double>(std::max<std::int64_t>(1, s.dataset.samples_per_shard));
  const double wanted = std::max(static_cast<double>(request), mean_of(s.dataset.sample_size) * samples);
  const std::int64_t file = whole_blocks(std::min(wanted, kBytesPerJob));
  const std::int64_t files =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(kBytesPerJob / static_cast<double>(file)), 1, kMostFiles);
  std::vector<std::string> about = {
      fmt::format("Reads of one node of \"{}\", as simulated by stallcast.", s.name),
      "mkdir -p \"/mnt/dataset/fio-$HOSTNAME\"",
      "DATASET_DIR=\"/mnt/dataset/fio-$HOSTNAME\" fio --output-format=json --output=read.json read.fio",
      fmt::format("Run it on all {} nodes at the same time: they share the storage.", s.cluster.nodes),
      fmt::format("Needed per node: {}. Below {} the predicted utilization is refuted.", byte_rate_text(reads.needed),
                  byte_rate_text(reads.disproved_below))};
  if (reads.assumed > 0.0)
    about.push_back(
        fmt::format("Assumed per node: {} with these {} readers. Less than that, and the scenario is to be "
                    "calibrated: stallcast calibrate --fio read.json.",
                    byte_rate_text(reads.assumed), reads.readers));
  const bool sequential = s.dataset.layout == DatasetLayout::kShards || s.dataset.layout == DatasetLayout::kColumnar;
  std::string text = comment_lines(about);
  text += "[global]\nioengine=psync\ndirect=1\nthread=1\ntime_based=1\nramp_time=10\nruntime=60\n";
  text += "directory=${DATASET_DIR}\ngroup_reporting=1\n";
  text += fmt::format("\n[read]\nrw={}\nbs={}\nnumjobs={}\nfilesize={}\nnrfiles={}\n",
                      sequential || one_file_each ? "read" : "randread", request, reads.readers, file, files);
  if (one_file_each) text += "file_service_type=random:1\n";
  return {"read.fio", text};
}

std::optional<EmittedFile> fio_checkpoint_file(const Scenario& s) {
  if (s.checkpoint.mode == CheckpointMode::kNone || !s.checkpoint.to_storage) return std::nullopt;
  const CheckpointShape shape = checkpoint_shape(s);
  if (shape.largest_node <= 0.0) return std::nullopt;
  const std::int64_t writers = s.checkpoint.writers == CheckpointWriters::kAll ? s.cluster.gpus_per_node : 1;
  std::string text =
      comment_lines({fmt::format("Writes of one node for a checkpoint of \"{}\", as simulated by stallcast.", s.name),
                     "CHECKPOINT_DIR=\"/mnt/checkpoints/fio-$HOSTNAME\" fio --output-format=json "
                     "--output=checkpoint.json checkpoint.fio",
                     fmt::format("{} by {} writers of a node; {} of {} nodes write: run it on those at the same time.",
                                 size_text(shape.largest_node), writers, shape.writing_nodes, s.cluster.nodes)});
  text += "[global]\nioengine=psync\ndirect=1\nthread=1\nend_fsync=1\ndirectory=${CHECKPOINT_DIR}\ngroup_reporting=1\n";
  text += fmt::format("\n[checkpoint]\nrw=write\nbs=16m\nnumjobs={}\nsize={}\n", writers,
                      whole_blocks(shape.largest_node / static_cast<double>(writers)));
  return EmittedFile{"checkpoint.fio", text};
}

}  // namespace stallcast
