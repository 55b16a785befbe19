// The data loader of a scenario, as a training script writes it with the library that the scenario names.
#pragma once

#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace stallcast {

// One Python statement: `result = function(arguments)`.
struct LoaderCall {
  std::string result;                  // "loader"
  std::string function;                // "torch.utils.data.DataLoader"
  std::vector<std::string> arguments;  // in the order of the signature: "dataset", "batch_size=7"
};

// Names that the training code must have: `rank`, `local_rank` and `world_size` of its launcher, and what it trains on
// (`dataset`, `paths` of files, `decode` for one sample).
struct LoaderScript {
  std::string library;               // "PyTorch"
  std::vector<std::string> imports;  // "import torch"
  std::vector<LoaderCall> calls;     // in order
  std::vector<std::string> notes;    // what no argument says, one sentence each
};

// **Model** by loader.framework, and where that names no library known here by loader.style: PyTorch, WebDataset,
// Mosaic StreamingDataset, tf.data, DALI. Arguments are those of one rank. Only arguments that its library accepts with
// these values: PyTorch takes prefetch_factor, persistent_workers and multiprocessing_context with workers only, and
// in_order from 2.6 on.
// **Range** a resolved scenario of a training job.
// **Source** torch/utils/data/dataloader.py (2.6); webdataset/compat.py; streaming/base/dataset.py;
// tensorflow.org/api_docs/python/tf/data/Dataset; docs.nvidia.com/deeplearning/dali (nvidia.dali.pipeline_def,
// nvidia.dali.fn.readers).
LoaderScript loader_script(const Scenario& scenario);

// Arguments of the call that makes batches: torch.utils.data.DataLoader's for what runs in it, else those of all calls
// in order.
std::vector<std::string> loader_arguments(const Scenario& scenario);

// The whole as Python source: imports, notes as comments, one call after the other.
std::string loader_source(const LoaderScript& script);

}  // namespace stallcast
