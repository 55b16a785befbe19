// The events of a PyTorch profiler trace that say how a step's time was spent.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/calibrate/fit/intervals.h"
#include "core/diagnostics/finding.h"

namespace stallcast {

// A copy from host memory to a GPU.
struct HostCopy {
  TimeInterval time;
  double bytes = 0.0;  // 0 = not stated
};

// One trace. Steps and waits are those of the CPU's threads, the rest of GPUs.
struct TraceEvents {
  std::string file;
  std::vector<TimeInterval> steps;           // ProfilerStep#N, in order of time
  std::vector<TimeInterval> waits;           // enumerate(DataLoader)#..., in order of time
  std::vector<HostCopy> copies;              // gpu_memcpy HtoD
  std::vector<TimeInterval> kernels;         // that compute
  std::vector<TimeInterval> communications;  // kernels of NCCL
};

// Reads a trace of any size, .json or .json.gz, with only these events kept: the object of Kineto with "traceEvents",
// or the bare array that builds of PyTorch without Kineto write.
// **Units** ts and dur are microseconds, whole or fractional; kept to the nanosecond.
// **Errors** WorldError; findings of stream_json, "missing_key" and "out_of_range" with the place of the event.
// **Source** PyTorch Kineto's output; Trace Event Format note; event categories as HolisticTraceAnalysis reads them.
Loaded<TraceEvents> read_trace_events(const std::filesystem::path& path, bool bare_array);

}  // namespace stallcast
