// How busy the GPUs of this machine are, where NVIDIA's management library is installed.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace stallcast {

struct SeenGpu {
  std::string name;         // "NVIDIA H100 80GB HBM3"
  double busy = 0.0;        // mean share of the time in which a kernel ran
  bool of_the_job = false;  // one of its processes has memory there
  int looks = 0;
};

// The library (NVML) is loaded when this is made, and nothing is linked against it: without it there are no GPUs.
// **Source** nvml.h of NVIDIA's driver, API version 12: nvmlDeviceGetUtilizationRates covers the last 1/6 to 1 s.
// **Checked by** tests/core/observe/gpu_monitor_test.cpp, with a library that answers as the header says; by hand with
// an H100 (tests/validation/gpu).
class GpuMonitor {
 public:
  explicit GpuMonitor(const std::string& library = "libnvidia-ml.so.1");
  ~GpuMonitor();
  GpuMonitor(const GpuMonitor&) = delete;
  GpuMonitor& operator=(const GpuMonitor&) = delete;

  // Reads all of them once; `pids` are the processes of the job.
  void look(const std::set<int>& pids);
  const std::vector<SeenGpu>& seen() const { return seen_; }

 private:
  struct Utilization {
    unsigned gpu, memory;
  };
  struct ProcessInfo {
    unsigned pid;
    unsigned long long memory;
    unsigned gpu_instance, compute_instance;
  };
  using Device = void*;

  template <class Function>
  void find(Function& function, const char* name);

  void* library_ = nullptr;
  int (*shutdown_)() = nullptr;
  int (*utilization_)(Device, Utilization*) = nullptr;
  int (*processes_)(Device, unsigned*, ProcessInfo*) = nullptr;
  std::vector<Device> devices_;
  std::vector<SeenGpu> seen_;
};

// Mean over the job's GPUs. The driver knows processes by the numbers of another namespace where the job is in a
// container: then over all GPUs, if they are no more than the job has ranks. Negative where nothing is known.
double gpu_busy_share(const std::vector<SeenGpu>& gpus, std::size_t ranks);

}  // namespace stallcast
