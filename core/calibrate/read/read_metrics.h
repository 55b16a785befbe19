// A scrape of dcgm-exporter, in the text of Prometheus or OpenMetrics: how busy GPUs said they were.
#pragma once

#include <string>
#include <string_view>

#include "core/calibrate/read/measurements.h"

namespace stallcast {

bool looks_like_metrics(std::string_view text);

// Lines `name{label="value",...} number [timestamp]`. Each field becomes one observation: the mean over GPUs of each
// one's mean over the file, and the deviation between GPUs.
// - gpu_utilization from DCGM_FI_PROF_GR_ENGINE_ACTIVE, or from DCGM_FI_PROF_SM_ACTIVE where that is absent
// - sm_active from DCGM_FI_PROF_SM_ACTIVE beside the former
// - any_kernel_resident from DCGM_FI_DEV_GPU_UTIL, which a kernel that waits keeps at 100 %: no utilization of compute
// Values with which DCGM says "not supported" are left out with the warning "not_supported".
// **Errors** findings "not_utf8", "wrong_row", "not_a_number", "out_of_range" (nan and inf too), "missing_key" when no
// field of these is there.
// **Source** NVIDIA DCGM field identifiers; OpenMetrics 1.0, text format.
Loaded<Measurements> read_metrics(std::string_view text, const std::string& file);

}  // namespace stallcast
