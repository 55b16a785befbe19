// Texts in which people tell of their job.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/catalogue/match_record.h"

namespace stallcast {

// "16xH100", "16 x H100 80GB", "8 A100", "4090", "16". What the text leaves out is 0 or "".
struct GpuCount {
  std::int64_t count = 0;
  std::string gpu;  // as written
};

// Nothing where the text is neither.
std::optional<GpuCount> read_gpu_count(const std::string& text, const Catalogue& catalogue);

// The number of parameters that a model's name states: 7e9 of "mistral-7B", 3.5e8 of "opt 350m". Nothing where it
// states none.
std::optional<double> parameters_in_name(const std::string& name);

// Whether the text says that the machines are one's own: "own", "none", "on-prem", "workstation".
bool means_own_machine(const std::string& text);

// All records of a kind, for match_record().
template <class R>
std::vector<const Record*> all_of(const std::map<std::string, R>& records) {
  std::vector<const Record*> out;
  for (const auto& entry : records) out.push_back(&entry.second);
  return out;
}

// The record that the text stands for, or null; what can mean several is the usual one.
template <class R>
const R* record_of(const std::string& text, const std::map<std::string, R>& records) {
  return text.empty() ? nullptr : static_cast<const R*>(match_record(text, all_of(records)).record);
}

// The machine to rent for `gpus` GPUs of this kind from a provider: the largest that is not larger than the job, of
// several the cheapest on demand. Null where the provider has none.
const InstanceRecord* usual_instance(const Catalogue& catalogue, const std::string& provider, const std::string& gpu,
                                     std::int64_t gpus);

}  // namespace stallcast
