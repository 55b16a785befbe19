#include "core/scenario/resolve/resolve_serving.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "core/catalogue/records/record.h"
#include "core/catalogue/records/records.h"
#include "core/scenario/scenario.h"

namespace stallcast {
namespace {

constexpr const char* kWeightsSoftware = "/serving/software";

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

// Each GPU has a process of its own that loads its part, with the record's rate and streams.
void processes(ResolveContext& c, const CheckpointerRecord& r) {
  ServingSpec& serving = c.out.scenario.serving;
  const std::int64_t count = c.out.scenario.cluster.gpus_per_node;
  if (r.load_bandwidth) {
    c.fill("/serving/load_bandwidth", serving.load_bandwidth, r.load_bandwidth->value * static_cast<double>(count), r,
           r.load_bandwidth->evidence);
  }
  const MaybeFact<std::int64_t>& stated = r.read_streams ? r.read_streams : r.streams;
  const std::int64_t streams = stated ? stated->value : 1;
  c.take("/serving/streams", serving.streams, count * streams,
         fmt::format("{} for each GPU, with {}; loaders of weights read with 1 thread (safetensors), 10 (boto3), 16 "
                     "(Run:ai Model Streamer) or 256 (s5cmd)",
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
