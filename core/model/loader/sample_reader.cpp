#include "core/model/loader/sample_reader.h"

#include <algorithm>
#include <cmath>

#include "core/scenario/data_path.h"

namespace stallcast {

SampleReader::SampleReader(Simulator& sim, const Scenario& scenario, const Draws& draws, StorageTier& tier,
                           CorePool& cores, TraceRecorder& trace, RankPlace place)
    : sim_(&sim),
      scenario_(&scenario),
      draws_(&draws),
      tier_(&tier),
      cores_(&cores),
      trace_(&trace),
      place_(place),
      sequential_(reads_in_file_order(scenario)) {
  const double link = scenario.cluster.host_to_device_bandwidth.base();
  if (bypasses_host(scenario) && link > 0.0) dma_s_per_byte_ = 1.0 / link;
}

Task<void> SampleReader::open(PhaseClock& clock, std::int64_t number, std::int64_t sample) {
  if (tier_->opens_remotely(place_.rank, sample)) co_await open_remotely(clock, number);
}

Task<void> SampleReader::open_remotely(PhaseClock& clock, std::int64_t number, std::int64_t count) {
  if (const SimTime admitted = tier_->admit_open(place_.node, static_cast<double>(count)); admitted > sim_->now()) {
    clock.enter(LostTime::kRequestRate, sim_->now());
    co_await sim_->delay(admitted - sim_->now());
  }
  clock.enter(LostTime::kStorageLatency, sim_->now());
  co_await sim_->delay(to_ns(draws_->open_latencies_s(place_.rank, static_cast<std::uint64_t>(number), count)));
}

// Samples one after the other: open, read, decode. One coroutine for the whole batch: this is the innermost loop. A
// process that finds the next sample in memory goes on decoding: it works in one stretch until it must wait for bytes
// again.
Task<void> SampleReader::load(Stream stream, std::int64_t first, std::int64_t count) {
  const DatasetSpec& data = scenario_->dataset;
  const double request = data.request_size.base();
  const bool read_ahead = sequential_ && request > 0;
  const bool page_by_page = reads_page_by_page(*scenario_);
  const bool whole_row_group = data.layout == DatasetLayout::kColumnar && !sequential_;
  const bool opens = data.layout == DatasetLayout::kFilePerSample;
  const bool decodes = stream.part == Part::kAll;
  const bool occupies = tier_->is_occupied();  // reads take time of a device beside their bytes
  const double wait_cpu_s = scenario_->loader.wait_cpu.base();
  Work work;  // of samples read and not yet decoded
  const std::int64_t of_load = draws_->samples_of_load(count);
  for (std::int64_t number = first, samples = 0; number < first + count; number += samples) {
    samples = std::min(of_load, first + count - number);
    const auto index = static_cast<std::uint64_t>(number);
    const SampleDraw draw = draws_->samples(place_.rank, index, samples);
    const ReadSource source = tier_->source_of(place_.rank, number, samples);
    std::int64_t reads = samples;
    double size = draw.size_bytes / static_cast<double>(samples);
    if (read_ahead) {
      // A stream read ahead by whole requests: a sample waits only when its bytes are not there yet.
      const double missing = draw.size_bytes - stream.unread_bytes;
      reads = missing > 0.0 ? static_cast<std::int64_t>(std::ceil(missing / request)) : 0;
      size = request;
      stream.unread_bytes = static_cast<double>(reads) * request - missing;
    } else if (whole_row_group) {
      size *= static_cast<double>(data.samples_per_shard);  // one sample at random costs its whole row group
    }
    if (page_by_page) {
      reads *= static_cast<std::int64_t>(std::max(1.0, std::ceil(size / request)));
      size = request;
    }
    if (opens || reads > 0) {
      if (work.cpu_s > 0) {
        const SimTime began = begin_decoding(stream.clock);
        co_await cores_->run(work.cpu_s, stream.core);
        end_decoding(stream.track, began, work.first);
        work.cpu_s = 0.0;
      }
      const SimTime begin = sim_->now();
      const std::int64_t waits = page_by_page ? reads : samples;
      const double latency_s = draws_->latencies_s(place_.rank, index, waits) / static_cast<double>(waits);
      if (opens && source.opens_remotely()) co_await open_remotely(stream.clock, number, samples);
      const auto all_reads = static_cast<double>(reads);
      const std::int64_t at_once = read_ahead ? draws_->requests_of_read(reads) : reads;
      for (; reads > 0; reads -= at_once) {
        const auto in_a_row = static_cast<double>(std::min(reads, at_once));
        const double bytes = in_a_row * size;
        SimTime dma_done = 0;
        if (source.plain) {
          if (const SimTime admitted = tier_->admit_read(place_.node, size, in_a_row); admitted > sim_->now()) {
            stream.clock.enter(LostTime::kRequestRate, sim_->now());
            co_await sim_->delay(admitted - sim_->now());
          }
          if (const double wait_s = in_a_row * (occupies ? tier_->overlapping(latency_s) : latency_s); wait_s > 0) {
            stream.clock.enter(LostTime::kStorageLatency, sim_->now());
            co_await sim_->delay(to_ns(wait_s));
          }
          if (occupies) {
            stream.clock.enter(LostTime::kStorageLatency, sim_->now());
            co_await tier_->occupy(place_.node, size, latency_s, in_a_row);
          }
          if (bytes <= 0 && !occupies) continue;
          stream.clock.enter(LostTime::kTierBandwidth, sim_->now());
          dma_done = dma_done_at(bytes);
          trace_->flow(sim_->now(), +1);
          if (tier_->takes_turns()) co_await tier_->move_in_turns(place_.node, bytes);
          if (tier_->shares_bandwidth()) co_await tier_->move(place_.node, bytes);
          trace_->flow(sim_->now(), -1);
          if (occupies) tier_->release(place_.node);
        } else {
          dma_done = dma_done_at(bytes);
          co_await tier_->read({place_.rank, place_.node, number, size, latency_s, in_a_row}, source, stream.clock);
        }
        if (dma_done > sim_->now()) {
          stream.clock.enter(LostTime::kHostToDevice, sim_->now());
          co_await sim_->delay(dma_done - sim_->now());
        }
      }
      if (wait_cpu_s > 0.0 && sim_->now() > begin) {
        work.first = number;
        work.cpu_s = std::min(all_reads * wait_cpu_s, to_seconds(sim_->now() - begin));
      }
      if (stream.track != kNoTrack && trace_->on()) {
        trace_->span(static_cast<std::uint32_t>(stream.track), TraceSpanKind::kRead, begin, sim_->now(), number);
      }
    }
    if (decodes) {
      if (work.cpu_s == 0.0) work.first = number;
      work.cpu_s += cpu_decode_s(*scenario_, draw.decode_s, draw.size_bytes);
    }
  }
  if (work.cpu_s > 0) {
    const SimTime began = begin_decoding(stream.clock);
    co_await cores_->run(work.cpu_s, stream.core);
    end_decoding(stream.track, began, work.first);
  }
}

SimTime SampleReader::begin_decoding(PhaseClock& clock) {
  clock.enter(LostTime::kCpuDecode, sim_->now());
  return sim_->now();
}

void SampleReader::end_decoding(std::int64_t track, SimTime began, std::int64_t first) {
  if (track == kNoTrack || !trace_->on()) return;
  trace_->span(static_cast<std::uint32_t>(track), TraceSpanKind::kDecode, began, sim_->now(), first);
}

Task<void> SampleReader::decode(PhaseClock& clock, CorePool::LastCore& core, std::int64_t track, std::int64_t number) {
  const SampleDraw draw = draws_->sample(place_.rank, static_cast<std::uint64_t>(number));
  const double decode_s = cpu_decode_s(*scenario_, draw.decode_s, draw.size_bytes);
  if (decode_s <= 0) co_return;
  const SimTime began = begin_decoding(clock);
  co_await cores_->run(decode_s, core);
  end_decoding(track, began, number);
}

// When the link to the GPU has moved a read that starts now: reads take it in turn, at its full rate.
SimTime SampleReader::dma_done_at(double size) {
  if (dma_s_per_byte_ == 0.0) return 0;
  dma_free_at_ = after(std::max(dma_free_at_, sim_->now()), to_ns(size * dma_s_per_byte_));
  return dma_free_at_;
}

std::size_t SampleReader::real_cause(std::size_t c) const {
  return c == static_cast<std::size_t>(LostTime::kTierBandwidth)
             ? static_cast<std::size_t>(tier_->read_limit(place_.node))
             : c;
}

}  // namespace stallcast
