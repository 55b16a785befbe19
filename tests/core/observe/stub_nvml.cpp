// A library that answers as nvml.h says, for gpu_monitor_test.cpp: two GPUs, 80 and 20 % busy by turns with 40 and 20
// %; process 4711 has memory on the first.
extern "C" {

static int looks = 0;
static char devices[2];

int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = &devices[index];
  return 0;
}
int nvmlDeviceGetName(void*, char* name, unsigned length) {
  const char text[] = "NVIDIA Test";
  for (unsigned i = 0; i < sizeof text && i < length; ++i) name[i] = text[i];
  return 0;
}
struct Utilization {
  unsigned gpu, memory;
};
int nvmlDeviceGetUtilizationRates(void* device, Utilization* to) {
  const bool first = device == &devices[0];
  to->gpu = first ? (looks++ % 2 == 0 ? 80 : 40) : 20;
  to->memory = 1;
  return 0;
}
struct ProcessInfo {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};
int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, ProcessInfo* to) {
  *count = device == &devices[0] ? 2 : 0;
  if (*count > 0) {
    to[0] = {1, 10, 0, 0};
    to[1] = {4711, 10, 0, 0};
  }
  return 0;
}
}
