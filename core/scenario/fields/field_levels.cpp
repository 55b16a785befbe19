#include "core/scenario/fields/field_levels.h"

#include <array>

namespace stallcast {
namespace {

constexpr std::array<std::string_view, 12> kEssential{
    "/cluster/instance",   "/cluster/nodes",   "/workload/name",       "/workload/batch_size",
    "/workload/step_time", "/dataset/samples", "/dataset/sample_size", "/dataset/decode_time",
    "/loader/num_workers", "/storage/tier",    "/storage/capacity",    "/run/epochs",
};

constexpr std::array<std::string_view, 45> kCommon{
    "/format_version",
    "/name",
    "/description",
    "/job",
    "/cluster/gpu",
    "/cluster/cpu",
    "/cluster/gpus_per_node",
    "/cluster/cores_per_node",
    "/cluster/memory_per_node",
    "/workload/step_time_form",
    "/workload/samples_per_s_per_gpu",
    "/workload/gradient_accumulation",
    "/dataset/format",
    "/dataset/layout",
    "/dataset/samples_per_shard",
    "/dataset/shuffle",
    "/loader/framework",
    "/loader/style",
    "/loader/prefetch_factor",
    "/loader/persistent_workers",
    "/loader/pin_memory",
    "/loader/in_order",
    "/storage/read_bandwidth",
    "/storage/latency",
    "/storage/client_read_bandwidth",
    "/page_cache/policy",
    "/page_cache/capacity",
    "/node_cache/policy",
    "/node_cache/capacity",
    "/staging/method",
    "/model/parameters",
    "/model/tensor_parallel",
    "/model/pipeline_parallel",
    "/checkpoint/mode",
    "/checkpoint/cadence",
    "/checkpoint/interval_steps",
    "/checkpoint/interval",
    "/checkpoint/size",
    "/checkpoint/writers",
    "/checkpoint/software",
    "/failures/mtti",
    "/cost/pricing",
    "/run/steps_per_epoch",
    "/plan/min_utilization",
    "/plan/vary",
};

}  // namespace

std::span<const std::string_view> essential_fields() { return kEssential; }
std::span<const std::string_view> common_fields() { return kCommon; }

}  // namespace stallcast
