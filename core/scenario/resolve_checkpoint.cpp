#include "core/scenario/resolve_checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/scenario/checkpoint_shape.h"

namespace stallcast {
namespace {

constexpr std::array kParallelism = {"/model/tensor_parallel", "/model/pipeline_parallel", "/model/zero_stage"};

bool any_given(const ResolveContext& c, const auto& pointers) {
  return std::any_of(pointers.begin(), pointers.end(), [&](const char* pointer) { return c.given(pointer); });
}

void architecture(ResolveContext& c, const WorkloadRecord& r) {
  ModelSpec& m = c.out.scenario.model;
  const ModelFacts& facts = r.model;
  c.fill("/model/layers", m.layers, facts.layers, r);
  c.fill("/model/hidden_size", m.hidden_size, facts.hidden_size, r);
  c.fill("/model/ffn_hidden_size", m.ffn_hidden_size, facts.ffn_hidden_size, r);
  c.fill("/model/vocab_size", m.vocab_size, facts.vocab_size, r);
  c.fill("/model/attention_heads", m.attention_heads, facts.attention_heads, r);
  c.fill("/model/kv_heads", m.kv_heads, facts.kv_heads, r);
}

// As the record splits the model; evenly over all ranks where it cannot be split that way, unless somebody said how.
void parallelism(ResolveContext& c, const WorkloadRecord& r) {
  const ModelFacts& facts = r.model;
  Scenario& s = c.out.scenario;
  if (any_given(c, kParallelism) || !facts.tensor_parallel || !facts.pipeline_parallel || !facts.zero_stage) return;
  const std::int64_t replica = facts.tensor_parallel->value * facts.pipeline_parallel->value;
  if (replica > 0 && s.ranks() % replica == 0) {
    c.fill("/model/tensor_parallel", s.model.tensor_parallel, facts.tensor_parallel, r);
    c.fill("/model/pipeline_parallel", s.model.pipeline_parallel, facts.pipeline_parallel, r);
    c.fill("/model/zero_stage", s.model.zero_stage, facts.zero_stage, r);
    return;
  }
  c.fill("/model/zero_stage", s.model.zero_stage, std::int64_t{3}, r,
         {"assumed", "stallcast assumption", fmt::format("{} ranks are no multiple of {}", s.ranks(), replica), ""});
  c.warning(
      "assumed_parallelism", "/model/zero_stage", "nothing",
      "give /model/tensor_parallel, /model/pipeline_parallel and /model/zero_stage",
      fmt::format("{} splits its model over multiples of {} ranks; on {} every rank is taken to hold an equal part",
                  r.name, replica, s.ranks()));
}

void size(ResolveContext& c, const WorkloadRecord& r) {
  Scenario& s = c.out.scenario;
  const bool has_parameters = c.given("/model/parameters");
  const bool described = has_parameters || any_given(c, kArchitectureFields);
  if (r.model.stated()) {
    if (!has_parameters) architecture(c, r);
    return parallelism(c, r);
  }
  if (described) return;
  if (r.checkpoint_size) return c.fill("/checkpoint/size", s.checkpoint.size, r.checkpoint_size, r);
  c.fill("/model/parameters", s.model.parameters, r.parameters, r);
}

// The copy of the largest rank's part to host memory.
void snapshot(ResolveContext& c) {
  Scenario& s = c.out.scenario;
  const BytesPerSecond rate = s.cluster.host_to_device_bandwidth;
  if (s.checkpoint.mode != CheckpointMode::kAsync || rate.base() <= 0.0) return;
  const double largest = checkpoint_shape(s).largest_snapshot;
  if (largest <= 0.0) return;
  constexpr const char* kPointer = "/checkpoint/snapshot_time";
  if (c.given(kPointer)) return;
  c.copy(kPointer, s.checkpoint.snapshot_time, bytes(largest) / rate, "/cluster/host_to_device_bandwidth");
  if (const auto rate_interval = c.intervals.find(kPointer); rate_interval != c.intervals.end())
    c.note_interval(kPointer, inverse(rate_interval->second));
  c.out.provenance[kPointer].note =
      fmt::format("{:.4g} GB of the largest rank over its link to host memory", largest * 1e-9);
}

}  // namespace

void resolve_checkpoint(ResolveContext& context) {
  if (context.out.scenario.checkpoint.mode == CheckpointMode::kNone) return;
  const bool sized = context.given("/checkpoint/size") || context.given("/checkpoint/size_per_writer");
  if (context.workload != nullptr && !sized) size(context, *context.workload);
  snapshot(context);
}

}  // namespace stallcast
