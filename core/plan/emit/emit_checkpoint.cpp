#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/plan/emit/emit_benchmark.h"
#include "core/scenario/checkpoint_shape.h"
#include "core/scenario/run_length.h"
#include "core/steps/checkpoint_times.h"
#include "core/units/size_text.h"

namespace stallcast {
namespace {

struct Interval {
  std::int64_t steps = 0;  // 0 = never, or by epochs
  double time_s = 0.0;     // 0 = not known
};

Interval interval_of(const Scenario& s, const RunResult* result) {
  const CheckpointSpec& c = s.checkpoint;
  const double step_s =
      result != nullptr && result->step_time_s.mean > 0.0 ? result->step_time_s.mean : step_compute_s(s);
  Interval interval;
  if (c.cadence == CheckpointCadence::kSteps) {
    interval = {c.interval_steps, static_cast<double>(c.interval_steps) * step_s};
  } else if (c.cadence != CheckpointCadence::kEpochs) {
    interval.time_s = c.interval.base();
    if (c.cadence == CheckpointCadence::kOptimal && result != nullptr)
      interval.time_s = result->timeline.optimum.interval_s;
    if (c.cadence == CheckpointCadence::kContinuous) interval.time_s = std::max(step_s, write_beside_time(s));
    if (step_s > 0.0 && interval.time_s > 0.0)
      interval.steps = std::max<std::int64_t>(1, std::llround(interval.time_s / step_s));
  }
  return interval;
}

std::string lightning_when(const Scenario& s, const Interval& interval) {
  if (s.checkpoint.cadence == CheckpointCadence::kEpochs)
    return fmt::format("every_n_epochs={}", s.checkpoint.interval_epochs);
  if (s.checkpoint.cadence == CheckpointCadence::kTime)
    return fmt::format("train_time_interval=datetime.timedelta(seconds={})", std::llround(interval.time_s));
  return fmt::format("every_n_train_steps={}", interval.steps);
}

std::vector<std::string> about(const Scenario& s, const Interval& interval) {
  const CheckpointSpec& c = s.checkpoint;
  const CheckpointShape shape = checkpoint_shape(s);
  std::vector<std::string> lines = {
      fmt::format("Checkpoints of \"{}\", as simulated by stallcast.", s.name),
      fmt::format("{} each, written by {} of {} ranks.", size_text(shape.total), shape.writers, s.ranks())};
  if (c.cadence == CheckpointCadence::kOptimal && interval.time_s <= 0.0)
    lines.emplace_back("The best interval comes out of stallcast simulate: nothing was simulated here.");
  if (interval.time_s > 0.0)
    lines.push_back(fmt::format("One about every {:.0f} s of training, {} steps.", interval.time_s, interval.steps));
  if (c.first_level == CheckpointLevel::kLocalNvme)
    lines.push_back(fmt::format("First to local NVMe of each node; every {}th goes on to storage.", c.storage_every));
  if (c.first_level == CheckpointLevel::kPeerMemory)
    lines.push_back(fmt::format("First to memory of another node; every {}th goes on to storage.", c.storage_every));
  if (c.export_every > 0)
    lines.push_back(fmt::format("Every {}th of those on storage is copied to the durable origin.", c.export_every));
  if (c.mode == CheckpointMode::kAsync)
    lines.emplace_back(c.when_busy == WhenBusy::kWait ? "A new one waits until the one before is written."
                                                      : "A new one is left out while the one before is written.");
  return lines;
}

}  // namespace

std::optional<EmittedFile> checkpoint_file(const Scenario& s, const RunResult* result) {
  const CheckpointSpec& c = s.checkpoint;
  if (c.mode == CheckpointMode::kNone) return std::nullopt;
  const Interval interval = interval_of(s, result);
  const bool async = c.mode == CheckpointMode::kAsync;
  const std::int64_t kept = std::max<std::int64_t>(1, s.cost.kept_checkpoints);
  std::string text = comment_lines(about(s, interval));
  text += "import datetime\n\nimport torch.distributed.checkpoint as dcp\n\n";
  text += fmt::format("SAVE_EVERY_STEPS = {}\n", interval.steps);
  text += fmt::format("SAVE_EVERY_EPOCHS = {}\n", c.cadence == CheckpointCadence::kEpochs ? c.interval_epochs : 0);
  text += fmt::format("STORAGE_EVERY = {}\nEXPORT_EVERY = {}\nKEPT = {}\n\n", c.storage_every, c.export_every, kept);
  if (async) text += "_writing = None  # async_save needs a process group with a CPU backend: cpu:gloo,cuda:nccl\n\n";
  text += "\ndef save(state_dict, path):\n";
  if (async) text += "    global _writing\n";
  if (async && c.when_busy == WhenBusy::kSkip) {
    text += "    if _writing is not None and not _writing.done():\n        return\n";
  } else if (async) {
    text += "    if _writing is not None:\n        _writing.result()\n";
  }
  text += async ? "    _writing = dcp.async_save(state_dict, checkpoint_id=path)\n"
                : "    dcp.save(state_dict, checkpoint_id=path)\n";
  const std::string when = lightning_when(s, interval);
  text += fmt::format(
      "\n\n# lightning.pytorch.callbacks.ModelCheckpoint(**MODEL_CHECKPOINT)\nMODEL_CHECKPOINT = dict({}, "
      "save_top_k=-1, save_on_train_epoch_end={})\n",
      when, c.cadence == CheckpointCadence::kEpochs ? "True" : "False");
  text += fmt::format(
      "\n# NeMo: exp_manager.checkpoint_callback_params\nCHECKPOINT_CALLBACK_PARAMS = dict({}, "
      "save_top_k=-1, async_save={})\n",
      when, async ? "True" : "False");
  return EmittedFile{"checkpoint.py", text};
}

}  // namespace stallcast
