// PyTorch profiler traces, one per rank, as the times of a step.
#pragma once

#include <string>
#include <vector>

#include "core/calibrate/read/measurements.h"
#include "core/calibrate/read/trace_events.h"

namespace stallcast {

// What one rank did in one ProfilerStep.
struct TraceStep {
  double wall_s = 0.0;
  double wait_s = 0.0;          // inside enumerate(DataLoader)#...
  double idle_wait_s = 0.0;     // of it, while no kernel computed
  double copy_s = 0.0;          // host-to-device copies
  double exposed_copy_s = 0.0;  // of it, while no kernel ran and nobody waited for the loader
  double exposed_comm_s = 0.0;  // NCCL kernels while nothing else of these went on
  double copied_bytes = 0.0;    // by copies that state their bytes
  double copied_bytes_s = 0.0;  // the time of these
  double gpu_busy_s = 0.0;      // union of all kernels
  int batches = 0;              // calls of the loader that began in it

  // What a simulated step calls its compute time: it starts with the batch on the GPU and ends before the all-reduce
  // that is not hidden. **Model** wall - idle_wait - exposed_copy - exposed_comm
  double compute_s() const { return wall_s - idle_wait_s - exposed_copy_s - exposed_comm_s; }
};

// In order of time. Without events of a GPU every wait counts as idle.
std::vector<TraceStep> steps_of(const TraceEvents& events);

// Traces of one job, one per rank, as measurements; `file` names them.
// - /workload/step_time (with step_time_form): the empirical distribution of compute_s over steps and ranks, divided by
//   the batches of a step (its median, for gradient accumulation). Steps with another number of batches (an epoch
//   began in them) are left out. Its interval is that of the mean.
// - /cluster/host_to_device_bandwidth: bytes / time of the copies that state their bytes.
// - observations step_wall_s, data_wait_s, host_to_device_s, communication_s per step, gpu_busy_fraction, and
//   gpu_utilization: compute / wall. The spread is between ranks, or between steps of a single one.
// Left out with a warning: the step time where no event of a DataLoader tells waiting from computing ("no_loader"), or
// where kernels run on past the last step by over 5 % of all, as the CPU then runs ahead of the GPU and its steps are
// too short ("host_ahead").
// **Errors** findings of read_trace_events; "missing_key" when no step is in any trace.
Loaded<Measurements> read_traces(const std::vector<TraceEvents>& ranks, const std::string& file);

}  // namespace stallcast
