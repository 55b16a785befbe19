#include "core/scenario/resolve/gpu_decode.h"

#include <fmt/format.h>

#include "core/scenario/resolve/core_speed.h"
#include "core/units/distribution.h"

namespace stallcast {
namespace {

Bytes sample_of(const Scenario& s) { return bytes(mean_of(s.dataset.sample_size)); }

// In its cores: an engine beside them takes nothing from training.
void time_of_gpu(ResolveContext& c, const FormatRecord& stored) {
  const Scenario& s = c.out.scenario;
  Distribution& time = c.out.scenario.loader.gpu_decode_time;
  if (s.loader.decode_on != DecodeDevice::kGpu || mean_of(time) > 0.0) return;
  if (mean_of(s.dataset.decode_time) <= 0.0 || !stored.gpu_decode_bandwidth) return;  // nothing to decode
  const auto& rate = *stored.gpu_decode_bandwidth;
  c.fill("/loader/gpu_decode_time", time, Distribution::constant((sample_of(s) / rate.value).base()), stored,
         inverse(rate.evidence));
}

// Also where decoding on the GPU is only a change to try, because the person says what it would take there.
void time_of_host(ResolveContext& c, const FormatRecord& stored, const MaybeFact<double>& share) {
  constexpr const char* kPointer = "/loader/host_decode_time";
  LoaderSpec& l = c.out.scenario.loader;
  const bool decodes = l.decode_on == DecodeDevice::kGpu || mean_of(l.gpu_decode_time) > 0.0;
  if (!decodes || l.gpudirect || !share) return;
  const Bytes sample = sample_of(c.out.scenario);
  Evidence evidence = stored.evidence_of(sample, false);
  evidence.low_factor *= share->evidence.low_factor;
  evidence.high_factor *= share->evidence.high_factor;
  evidence.note = fmt::format("{:.2g} of what decoding takes on a core: {}", share->value, share->evidence.note);
  c.fill(kPointer, l.host_decode_time, stored.decode_time_of(sample, false) * share->value, stored, evidence);
  l.host_decode_time = l.host_decode_time * core_factor(c, kPointer, stored.decode_time.evidence.core_speed);
}

}  // namespace

void resolve_gpu_decode(ResolveContext& context, const FormatRecord* stored, bool engine) {
  if (stored == nullptr) return;
  if (!engine) time_of_gpu(context, *stored);
  time_of_host(context, *stored, engine ? stored->host_decode_share_engine : stored->host_decode_share);
}

}  // namespace stallcast
