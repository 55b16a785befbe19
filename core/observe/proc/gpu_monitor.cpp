#include "core/observe/proc/gpu_monitor.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>

namespace stallcast {
namespace {

constexpr int kNvmlSuccess = 0;
constexpr unsigned kMostGpus = 64, kMostProcesses = 128;

}  // namespace

template <class Function>
void GpuMonitor::find(Function& function, const char* name) {
  function = reinterpret_cast<Function>(::dlsym(library_, name));
}

GpuMonitor::GpuMonitor(const std::string& library) : library_(::dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
  if (library_ == nullptr) return;
  int (*init)() = nullptr;
  int (*count_of)(unsigned*) = nullptr;
  int (*device_at)(unsigned, Device*) = nullptr;
  int (*name_of)(Device, char*, unsigned) = nullptr;
  find(init, "nvmlInit_v2");
  find(count_of, "nvmlDeviceGetCount_v2");
  find(device_at, "nvmlDeviceGetHandleByIndex_v2");
  find(name_of, "nvmlDeviceGetName");
  find(utilization_, "nvmlDeviceGetUtilizationRates");
  find(processes_, "nvmlDeviceGetComputeRunningProcesses_v3");
  if (processes_ == nullptr) find(processes_, "nvmlDeviceGetComputeRunningProcesses_v2");
  if (init == nullptr || count_of == nullptr || device_at == nullptr || utilization_ == nullptr) return;
  if (init() != kNvmlSuccess) return;
  find(shutdown_, "nvmlShutdown");
  unsigned count = 0;
  if (count_of(&count) != kNvmlSuccess) return;
  for (unsigned i = 0; i < std::min(count, kMostGpus); ++i) {
    Device device = nullptr;
    if (device_at(i, &device) != kNvmlSuccess) continue;
    std::array<char, 96> name{};
    if (name_of != nullptr) name_of(device, name.data(), static_cast<unsigned>(name.size() - 1));
    devices_.push_back(device);
    seen_.push_back({name.data(), 0.0, false, 0});
  }
}

GpuMonitor::~GpuMonitor() {
  if (shutdown_ != nullptr) shutdown_();
  if (library_ != nullptr) ::dlclose(library_);
}

void GpuMonitor::look(const std::set<int>& pids) {
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    SeenGpu& gpu = seen_[d];
    Utilization now{};
    if (utilization_(devices_[d], &now) == kNvmlSuccess) {
      ++gpu.looks;
      gpu.busy += (0.01 * now.gpu - gpu.busy) / gpu.looks;
    }
    if (gpu.of_the_job || processes_ == nullptr) continue;
    std::array<ProcessInfo, kMostProcesses> infos{};
    auto count = static_cast<unsigned>(infos.size());
    if (processes_(devices_[d], &count, infos.data()) != kNvmlSuccess) continue;
    for (unsigned i = 0; i < std::min(count, kMostProcesses); ++i)
      gpu.of_the_job = gpu.of_the_job || pids.contains(static_cast<int>(infos[i].pid));
  }
}

double gpu_busy_share(const std::vector<SeenGpu>& gpus, std::size_t ranks) {
  const bool known = std::any_of(gpus.begin(), gpus.end(), [](const SeenGpu& gpu) { return gpu.of_the_job; });
  if (!known && gpus.size() > ranks) return -1.0;
  double sum = 0.0;
  int count = 0;
  for (const SeenGpu& gpu : gpus) {
    if (gpu.looks == 0 || (known && !gpu.of_the_job)) continue;
    sum += gpu.busy;
    ++count;
  }
  return count > 0 ? sum / count : -1.0;
}

}  // namespace stallcast
