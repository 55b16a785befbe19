// Benchmarks that test a simulated result on the real system: DLIO, fio, and the commands of this program.
#pragma once

#include <optional>

#include "core/plan/emit/emitted_file.h"
#include "core/plan/evaluate/evaluation.h"

namespace stallcast {

// "dlio.yaml": a DLIO workload that does to storage what the scenario does. `stallcast import dlio` makes an equivalent
// scenario of it. What DLIO cannot do as simulated is said in comments at its top.
//
// **Model** reverse of import/dlio.h: record_length_bytes_stdev = 2 L c with c = sqrt(sqrt(1 + r^2) - 1), for sizes of
// mean L and relative deviation r. Distributions that DLIO has not become normals of equal mean and deviation. `result`
// gives metric.au: the lower end of the predicted MLPerf Storage utilization.
// **Range** a training job. **Checked by** tests/core/plan/emit_dlio_test.cpp
EmittedFile dlio_file(const Scenario& scenario, const RunResult* result);

// "read.fio": the reads of one node, with one job per loader worker, each with one request of the scenario's size at a
// time, direct. The rate to pass is in its comments.
EmittedFile fio_read_file(const Scenario& scenario, const RunResult& result);

// "checkpoint.fio": what one node writes for a checkpoint; nothing without checkpoints to storage.
std::optional<EmittedFile> fio_checkpoint_file(const Scenario& scenario);

// "benchmark.md": the claims, what refutes each, and the commands that measure them.
EmittedFile claims_file(const ResolvedScenario& resolved, const RunResult& result, const std::string& scenario_path);

// "checkpoint.py": how often, how and where checkpoints are saved, for torch.distributed.checkpoint, Lightning and
// NeMo; nothing without checkpoints. `result`, where it is given, says how far apart they come to lie.
// **Source** torch.distributed.checkpoint (save, async_save); lightning.pytorch.callbacks.ModelCheckpoint; NeMo
// exp_manager, checkpoint_callback_params.
std::optional<EmittedFile> checkpoint_file(const Scenario& scenario, const RunResult* result);

}  // namespace stallcast
