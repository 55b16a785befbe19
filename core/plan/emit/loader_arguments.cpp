#include "core/plan/emit/loader_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/scenario/data_path.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

using Arguments = std::vector<std::string>;

constexpr std::string_view kDataLoader = "torch.utils.data.DataLoader";

std::string python(bool value) { return value ? "True" : "False"; }

bool shuffled(const Scenario& s) { return s.dataset.shuffle != Shuffle::kNone; }

// What DataLoader takes of processes: nothing without them, where it refuses all three.
void add_workers(const Scenario& s, Arguments& arguments) {
  const LoaderSpec& l = s.loader;
  arguments.push_back(fmt::format("num_workers={}", l.num_workers));
  arguments.push_back(fmt::format("pin_memory={}", python(l.pin_memory)));
}

void add_worker_processes(const Scenario& s, Arguments& arguments) {
  const LoaderSpec& l = s.loader;
  if (l.num_workers == 0) return;
  arguments.push_back(
      fmt::format("multiprocessing_context=\"{}\"", l.start_method == StartMethod::kSpawn ? "spawn" : "fork"));
  arguments.push_back(fmt::format("prefetch_factor={}", l.prefetch_factor));
  arguments.push_back(fmt::format("persistent_workers={}", python(l.persistent_workers)));
  if (!l.in_order) arguments.emplace_back("in_order=False");
}

void add_common_notes(const Scenario& s, LoaderScript& script) {
  if (!s.loader.in_order && s.loader.num_workers > 0 && s.loader.style != LoaderStyle::kThreads)
    script.notes.emplace_back("in_order needs torch 2.6 or later.");
  if (s.dataset.request_size > bytes(0.0))
    script.notes.push_back(fmt::format("The dataset reads in requests of {} at most.",
                                       format_quantity(Dimension::kBytes, s.dataset.request_size.base())));
  if (bypasses_host(s))
    script.notes.emplace_back("The dataset reads into GPU memory by GPUDirect Storage (cuFile, KvikIO).");
}

// The sampler deals indices to ranks; a single rank needs none.
void add_map_style(const Scenario& s, LoaderScript& script) {
  Arguments loader = {"dataset", fmt::format("batch_size={}", s.workload.batch_size)};
  const bool by_shard = s.dataset.shuffle == Shuffle::kShard || s.dataset.shuffle == Shuffle::kBuffer;
  if (by_shard) {
    loader.emplace_back("sampler=sampler");
    script.notes.emplace_back(
        "sampler is your own: it deals whole shards to ranks in random order, and the samples of a shard together.");
  } else if (s.ranks() > 1) {
    script.calls.push_back(
        {"sampler",
         "torch.utils.data.DistributedSampler",
         {"dataset", "num_replicas=world_size", "rank=rank", fmt::format("shuffle={}", python(shuffled(s))),
          fmt::format("seed={}", s.run.seed), "drop_last=True"}});
    loader.emplace_back("sampler=sampler");
    if (shuffled(s)) script.notes.emplace_back("Call sampler.set_epoch(epoch) before every epoch.");
  } else {
    loader.push_back(fmt::format("shuffle={}", python(shuffled(s))));
  }
  add_workers(s, loader);
  loader.emplace_back("drop_last=True");
  add_worker_processes(s, loader);
  script.calls.push_back({"loader", std::string(kDataLoader), std::move(loader)});
}

LoaderScript pytorch(const Scenario& s) {
  LoaderScript script{"PyTorch", {"import torch.utils.data"}, {}, {}};
  if (s.loader.style == LoaderStyle::kMap) {
    add_map_style(s, script);
  } else {
    Arguments loader = {"dataset", fmt::format("batch_size={}", s.workload.batch_size)};
    add_workers(s, loader);
    loader.emplace_back("drop_last=True");
    add_worker_processes(s, loader);
    script.calls.push_back({"loader", std::string(kDataLoader), std::move(loader)});
    script.notes.emplace_back(
        "dataset is an IterableDataset: worker w of rank r takes every num_workers-th shard of the rank's, from the "
        "w-th on (torch.utils.data.get_worker_info()).");
    if (s.dataset.shuffle == Shuffle::kBuffer)
      script.notes.push_back(fmt::format("Each worker mixes samples in a buffer of {}.", s.dataset.shuffle_buffer));
    if (s.loader.read_ahead > 0)
      script.notes.push_back(
          fmt::format("A thread of each worker reads up to {} samples ahead of it.", s.loader.read_ahead));
  }
  add_common_notes(s, script);
  return script;
}

// Batches are made in the worker, so that the loader around it takes them as they are.
void add_batches_as_they_come(const Scenario& s, Arguments& loader) {
  loader.emplace_back("batch_size=None");
  add_workers(s, loader);
  add_worker_processes(s, loader);
}

LoaderScript webdataset(const Scenario& s) {
  LoaderScript script{"WebDataset", {"import webdataset as wds"}, {}, {}};
  Arguments source = {"paths", fmt::format("shardshuffle={}", shuffled(s) ? "len(paths)" : "False"),
                      "nodesplitter=wds.split_by_node", "workersplitter=wds.split_by_worker"};
  script.calls.push_back({"dataset", "wds.WebDataset", std::move(source)});
  if (s.dataset.shuffle == Shuffle::kBuffer) {
    Arguments buffer = {fmt::format("{}", s.dataset.shuffle_buffer)};
    buffer.push_back(fmt::format("initial={}",
                                 s.dataset.shuffle_initial > 0 ? s.dataset.shuffle_initial : s.dataset.shuffle_buffer));
    script.calls.push_back({"dataset", "dataset.shuffle", std::move(buffer)});
  }
  script.calls.push_back({"dataset", "dataset.map", {"decode"}});
  script.calls.push_back({"dataset", "dataset.batched", {fmt::format("{}", s.workload.batch_size), "partial=False"}});
  Arguments loader = {"dataset"};
  add_batches_as_they_come(s, loader);
  script.calls.push_back({"loader", "wds.WebLoader", std::move(loader)});
  add_common_notes(s, script);
  return script;
}

LoaderScript mosaic(const Scenario& s) {
  LoaderScript script{"Mosaic StreamingDataset", {"import streaming", "import torch.utils.data"}, {}, {}};
  Arguments source = {"remote=remote", "local=local"};
  if (s.loader.read_ahead > 0) source.push_back(fmt::format("predownload={}", s.loader.read_ahead));
  source.push_back(fmt::format("batch_size={}", s.workload.batch_size));
  source.push_back(fmt::format("shuffle={}", python(shuffled(s))));
  if (shuffled(s)) source.push_back(fmt::format("shuffle_seed={}", s.run.seed));
  script.calls.push_back({"dataset", "streaming.StreamingDataset", std::move(source)});
  Arguments loader = {"dataset", fmt::format("batch_size={}", s.workload.batch_size)};
  add_workers(s, loader);
  loader.emplace_back("drop_last=True");
  add_worker_processes(s, loader);
  script.calls.push_back({"loader", std::string(kDataLoader), std::move(loader)});
  if (s.loader.read_ahead == 0)
    script.notes.emplace_back("Nothing is read ahead; left out, predownload is 8 batches, which reads more smoothly.");
  add_common_notes(s, script);
  return script;
}

LoaderScript tf_data(const Scenario& s) {
  const LoaderSpec& l = s.loader;
  const std::string ordered = fmt::format("deterministic={}", python(l.in_order));
  LoaderScript script{"tf.data", {"import tensorflow as tf"}, {}, {}};
  script.calls.push_back({"dataset", "tf.data.Dataset.from_tensor_slices", {"paths"}});
  script.calls.push_back({"dataset", "dataset.shard", {"num_shards=world_size", "index=rank"}});
  if (shuffled(s))
    script.calls.push_back(
        {"dataset", "dataset.shuffle", {"buffer_size=len(paths)", fmt::format("seed={}", s.run.seed)}});
  if (const std::int64_t streams = reading_streams(s); streams > 0)
    script.calls.push_back({"dataset",
                            "dataset.interleave",
                            {"tf.data.TFRecordDataset", fmt::format("cycle_length={}", streams),
                             fmt::format("num_parallel_calls={}", streams), ordered}});
  if (s.dataset.shuffle == Shuffle::kBuffer)
    script.calls.push_back(
        {"dataset",
         "dataset.shuffle",
         {fmt::format("buffer_size={}", s.dataset.shuffle_buffer), fmt::format("seed={}", s.run.seed)}});
  script.calls.push_back(
      {"dataset",
       "dataset.map",
       {"decode", fmt::format("num_parallel_calls={}", std::max<std::int64_t>(1, l.num_workers)), ordered}});
  script.calls.push_back(
      {"dataset", "dataset.batch", {fmt::format("batch_size={}", s.workload.batch_size), "drop_remainder=True"}});
  script.calls.push_back({"loader", "dataset.prefetch", {fmt::format("buffer_size={}", l.prefetch_factor)}});
  if (reading_streams(s) == 0) script.notes.emplace_back("decode reads its file as well.");
  add_common_notes(s, script);
  return script;
}

LoaderScript dali(const Scenario& s) {
  const LoaderSpec& l = s.loader;
  const bool grouped = s.dataset.layout != DatasetLayout::kFilePerSample;
  LoaderScript script{"DALI", {"from nvidia.dali import pipeline_def"}, {}, {}};
  Arguments reader = {grouped ? "path=paths" : "files=paths", "num_shards=world_size", "shard_id=rank",
                      fmt::format("random_shuffle={}", python(shuffled(s)))};
  if (grouped) reader.insert(reader.begin() + 1, {"index_path=index_paths", "features=features"});
  if (s.dataset.shuffle == Shuffle::kBuffer) reader.push_back(fmt::format("initial_fill={}", s.dataset.shuffle_buffer));
  reader.emplace_back("pad_last_batch=False");
  script.calls.push_back({"reader_arguments", "dict", std::move(reader)});
  script.calls.push_back(
      {"make_pipeline",
       "pipeline_def",
       {"define", fmt::format("batch_size={}", s.workload.batch_size),
        fmt::format("num_threads={}", std::max<std::int64_t>(1, l.num_workers)), "device_id=local_rank",
        fmt::format("seed={}", s.run.seed), fmt::format("prefetch_queue_depth={}", l.prefetch_factor)}});
  script.notes.push_back(
      fmt::format("define() reads with nvidia.dali.fn.readers.{}(**reader_arguments) and decodes on {}.",
                  grouped ? "tfrecord" : "file",
                  l.decode_on == DecodeDevice::kGpu ? "the GPU (device=\"mixed\")" : "the CPU (device=\"cpu\")"));
  add_common_notes(s, script);
  return script;
}

}  // namespace

LoaderScript loader_script(const Scenario& s) {
  const std::string& framework = s.loader.framework;
  if (s.loader.style == LoaderStyle::kThreads) {
    const bool decodes_on_gpu = s.loader.decode_on == DecodeDevice::kGpu;
    return framework == "dali" || (framework != "tf_data" && decodes_on_gpu) ? dali(s) : tf_data(s);
  }
  if (s.loader.style == LoaderStyle::kIterable && framework == "webdataset") return webdataset(s);
  if (s.loader.style == LoaderStyle::kIterable && framework == "mosaic_streaming") return mosaic(s);
  return pytorch(s);
}

std::vector<std::string> loader_arguments(const Scenario& scenario) {
  Arguments all;
  for (const LoaderCall& call : loader_script(scenario).calls) {
    if (call.function == kDataLoader) return call.arguments;
    all.insert(all.end(), call.arguments.begin(), call.arguments.end());
  }
  return all;
}

std::string loader_source(const LoaderScript& script) {
  std::string text;
  for (const std::string& line : script.imports) text += line + "\n";
  text += "\n";
  for (const std::string& note : script.notes) text += "# " + note + "\n";
  for (const LoaderCall& call : script.calls) {
    text += fmt::format("{} = {}(\n", call.result, call.function);
    for (const std::string& argument : call.arguments) text += "    " + argument + ",\n";
    text += ")\n";
  }
  return text;
}

}  // namespace stallcast
