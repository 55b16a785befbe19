#include "core/scenario/resolve/record_names.h"

#include "core/catalogue/match_record.h"

namespace stallcast {
namespace {

template <class R>
void use_name(std::string& name, const std::map<std::string, R>& records, const char* kind, const char* pointer,
              const ScenarioFile& file, Findings& findings) {
  if (name.empty() || records.count(name) != 0) return;
  std::vector<const Record*> all;
  for (const auto& entry : records) all.push_back(&entry.second);
  if (match_record(name, all).record == nullptr) return;
  const std::string where = file.overridden.contains(pointer) ? "--set" : file.file;
  name = matched_record(name, kind, all, where, pointer, findings)->name;
}

}  // namespace

void use_record_names(Scenario& s, const ScenarioFile& file, const Catalogue& catalogue, Findings& findings) {
  const auto use = [&](std::string& name, const auto& records, const char* kind, const char* pointer) {
    use_name(name, records, kind, pointer, file, findings);
  };
  use(s.cluster.instance, catalogue.instances, "instance", "/cluster/instance");
  use(s.cluster.gpu, catalogue.gpus, "gpu", "/cluster/gpu");
  use(s.cluster.cpu, catalogue.cpus, "cpu", "/cluster/cpu");
  use(s.workload.name, catalogue.workloads, "workload", "/workload/name");
  use(s.dataset.format, catalogue.formats, "format", "/dataset/format");
  use(s.loader.framework, catalogue.loaders, "loader", "/loader/framework");
  use(s.storage.tier, catalogue.tiers, "tier", "/storage/tier");
  use(s.origin.tier, catalogue.tiers, "tier", "/origin/tier");
  use(s.checkpoint.software, catalogue.checkpointers, "checkpointer", "/checkpoint/software");
  use(s.serving.software, catalogue.checkpointers, "checkpointer", "/serving/software");
}

}  // namespace stallcast
