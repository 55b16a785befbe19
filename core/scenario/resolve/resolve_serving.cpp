#include "core/scenario/resolve/resolve_serving.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "core/catalogue/records/record.h"
#include "core/catalogue/records/records.h"
#include "core/scenario/scenario.h"

namespace stallcast {
namespace {

constexpr const char* kWeightsSoftware = "/serving/software";
constexpr const char* kMemory = "host_page_cache";  // the tier that is the page cache

// Weights are read from end to end, as Linux reads ahead for the page cache; clients with a read-ahead of their own are
// further ahead, and read as the field's default says.
void weights_request_size(ResolveContext& c) {
  const auto& tier = c.out.records.storage ? c.out.records.storage : c.out.records.origin;
  if (!tier) return;
  const bool through_page_cache = tier->client == "block" || tier->client == "local" || tier->client == "nfs";
  if (!through_page_cache) return;
  c.fill("/serving/request_size", c.out.scenario.serving.request_size, tier->sequential_request_size, *tier);
}

// What loads the weights; null where no record says what it costs.
const CheckpointerRecord* weights_software(ResolveContext& c) {
  const bool library = c.out.records.storage && c.out.records.storage->client == "library";
  ServingSpec& serving = c.out.scenario.serving;
  const CheckpointerRecord* const record =
      c.checkpointer(kWeightsSoftware, serving.software, library ? "runai_streamer" : "safetensors");
  if (record == nullptr || c.given(kWeightsSoftware)) return record;
  serving.software = record->name;
  c.out.provenance[kWeightsSoftware] = {Origin::kDefault, "", "stallcast assumption", "assumed",
                                        "what streams from an object store, or reads files as they are"};
  return record;
}

// What so many processes of a machine load together, of what one and eight of them do. **Model** a power of their
// number.
std::optional<Fact<BytesPerSecond>> load_rate(const MaybeFact<BytesPerSecond>& one,
                                              const MaybeFact<BytesPerSecond>& eight, std::int64_t processes) {
  if (!one) return std::nullopt;
  const auto count = static_cast<double>(processes);
  if (!eight || processes == 1) return Fact<BytesPerSecond>{one->value * count, one->evidence};
  const double power = std::log(eight->value.base() / one->value.base()) / std::log(8.0);
  return Fact<BytesPerSecond>{one->value * std::pow(count, power), eight->evidence};
}

// Each GPU has a process of its own that loads its part, unless the person gives too few streams for that many.
void processes(ResolveContext& c, const CheckpointerRecord& r) {
  ServingSpec& serving = c.out.scenario.serving;
  const std::optional<TierRecord>& tier = c.out.records.storage;
  const bool objects = tier && tier->client == "library", memory = tier && tier->name == kMemory;
  const MaybeFact<std::int64_t>& reading = r.read_streams ? r.read_streams : r.streams;
  const MaybeFact<std::int64_t>& stated = objects && r.object_streams ? r.object_streams : reading;
  const std::int64_t streams = stated ? stated->value : 1, gpus = c.out.scenario.cluster.gpus_per_node;
  const std::int64_t count =
      c.given("/serving/streams") ? std::clamp<std::int64_t>(serving.streams / streams, 1, gpus) : gpus;
  const auto& eight =
      objects && r.object_load_bandwidth_of_eight ? r.object_load_bandwidth_of_eight : r.load_bandwidth_of_eight;
  const auto rate = memory && r.memory_load_bandwidth
                        ? load_rate(r.memory_load_bandwidth, r.memory_load_bandwidth_of_eight, count)
                        : load_rate(r.load_bandwidth, eight, count);
  if (rate) c.fill("/serving/load_bandwidth", serving.load_bandwidth, rate->value, r, rate->evidence);
  c.take("/serving/streams", serving.streams, count * streams,
         fmt::format("{} for each GPU, with {}; loaders of weights read with 1 thread (safetensors), 8 or 16 (Run:ai "
                     "Model Streamer), 10 (boto3) or 256 (s5cmd)",
                     streams, r.name),
         stated ? 0.5 : 1.0, 16.0);
}

}  // namespace

void resolve_serving(ResolveContext& context) {
  if (context.out.scenario.job != JobKind::kServing) return;
  weights_request_size(context);
  const CheckpointerRecord* loads = weights_software(context);
  if (loads != nullptr) processes(context, *loads);
}

}  // namespace stallcast
