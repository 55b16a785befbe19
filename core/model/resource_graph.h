// The limits of a training job as a graph, and the bound it sets: what stands beside a simulated value.
//
// Ranks of a node are alike and nodes are alike, so one branch stands for all of them with their capacities added up:
//
//   storage -metadata_rate-> -read_iops-> -tier_bandwidth-> -caches-> -nic-> -client_bandwidth->
//           -stream | loader_workers-> -cpu_cores-> -pin_memory-> -gpu | gpu_decode | host_to_device-> trained samples
//
// with -host_to_device-> in front of the workers when reads go past the host, and a pool of threads in parts:
// -stream | reading_streams-> -stream | loader_workers-> -batching->
//
// Samples do not choose the level that answers them: of every sample's bytes each level gives its share, so the levels
// stand one behind the other, each with its capacity over its share.
#pragma once

#include "core/analytic/max_flow.h"
#include "core/model/storage/cache_play.h"
#include "core/result/bound.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// What one sample asks of storage, on average over a run, by the rules of StorageTier and Loader.
struct SampleDemand {
  double read_bytes = 0.0;  // a whole row group when one of its samples is wanted at random
  double requests = 0.0;    // counted against read_iops
  double waits = 0.0;       // for a first byte
  double opens = 0.0;       // files or shards opened, counted against metadata_rate
};
SampleDemand sample_demand(const Scenario& scenario);

// Mean times in seconds of the loops that a rank is made of, each running alone on an idle machine, per batch.
struct RankTimes {
  double compute_s = 0.0;         // GPU
  double copy_s = 0.0;            // host to device
  double gpu_decode_s = 0.0;      // GPU, decoding and decompressing
  double serial_load_s = 0.0;     // inside next(), num_workers = 0
  double consumer_s = 0.0;        // whole loop of the trainer with every batch ready
  double worker_batch_s = 0.0;    // whole loop of a loader worker: storage, decode, collate; of a thread of a pool, for
                                  // as many samples
  double stream_batch_s = 0.0;    // of a reading stream, for as many samples
  double assemble_batch_s = 0.0;  // whole loop of a pool's assembler
  double transfer_share = 0.0;    // of reading or of the worker: bytes at the rate of one stream
  double pin_batch_s = 0.0;       // whole loop of the pinning thread, which then takes the hand-off
  double cpu_per_batch_s = 0.0;   // core-seconds on the node, workers and trainer together
};
// **Model** consumer = compute + copy + decoding on the GPU + next() with a batch ready (`next_ready` at a gap of the
//   rest of the step, at least consumer_batch_cpu) + (barrier + all-reduce not hidden) / accumulation, or with
//   num_workers = 0 the fetch in place of next(). worker = batch * (opens * open + waits * latency + bytes / stream +
//   decode) + CPU per batch; in a pool the last is the assembler's, and with reading streams (or read_ahead) decode is
//   the thread's (the worker's) and the rest the stream's.
RankTimes rank_times(const Scenario& scenario);
RankTimes rank_times(const Scenario& scenario, const ReadMix& mix);

// The graph in samples/s. `every_node` gives each node its own branch: the same cut, for tests and drawings.
// **Cost** constant, or proportional to the nodes.
CapacityGraph resource_graph(const Scenario& scenario, bool every_node = false);
CapacityGraph resource_graph(const Scenario& scenario, const ReadMix& mix, bool every_node);

// The roofline: GPU utilization and samples/s if every resource were always busy when it can be.
// **Model** min(1, max flow / (ranks * batch / compute)); no queueing, no order, no spread, no start-up, no
// checkpoints.
// **Range** 0..1. Of all epochs together, cold and warm; a simulated run, or the steady state of one that does not end,
// exceeds it only by sampling noise, and where workers have a good part of an epoch in hand by what stretches of it
// overlap (a percent of it). The steady state of a run with an end leaves its cold epoch out and may be busier.
// **Source** Williams, Waterman and Patterson 2009 (roofline); Ford and Fulkerson 1956 (min cut)
// **Checked by** tests/core/model/resource_graph_test.cpp
Bound utilization_bound(const Scenario& scenario);

}  // namespace stallcast
