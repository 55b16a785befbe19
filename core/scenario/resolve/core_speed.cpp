#include "core/scenario/resolve/core_speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/catalogue/match_record.h"

namespace stallcast {
namespace {

// Logarithms of the ends of 90 % intervals.
constexpr double kCoresDiffer = 0.3, kSpeedError = 0.15;

// An end of an interval, as a factor, without the difference between cores.
double of_known_core(double end) {
  const double wide = std::log(end);
  const double rest = std::max(0.0, wide * wide - kCoresDiffer * kCoresDiffer) + kSpeedError * kSpeedError;
  return std::exp(std::copysign(std::min(std::abs(wide), std::sqrt(rest)), wide));
}

void check_processor(ResolveContext& c, const InstanceRecord& r) {
  const std::string& cpu = c.out.scenario.cluster.cpu;
  if (!c.given("/cluster/cpu") || cpu == r.cpu) return;
  c.error("contradiction", "/cluster/cpu", fmt::format("\"{}\"", cpu), r.cpu.empty() ? "nothing" : r.cpu,
          "remove it, or name another instance",
          r.cpu.empty() ? fmt::format("the record {} does not say which processor it has", r.name)
                        : fmt::format("{} has {}", r.name, r.cpu));
}

}  // namespace

void use_processor(ResolveContext& c) {
  ClusterSpec& cluster = c.out.scenario.cluster;
  const InstanceRecord* machine = c.instance;
  if (machine != nullptr) {
    check_processor(c, *machine);
    if (!machine->cpu.empty())
      c.fill("/cluster/cpu", cluster.cpu, machine->cpu, *machine,
             {"vendor", fmt::format("record {}", machine->name), "", ""});
  }
  if (!cluster.cpu.empty()) {
    const CpuRecord* r =
        find_record(c.catalogue.cpus, cluster.cpu, "cpu", c.file_of("/cluster/cpu"), "/cluster/cpu", c.findings);
    if (r != nullptr) {
      c.fill("/cluster/core_speed", cluster.core_speed, r->core_speed.value, *r, r->core_speed.evidence);
      c.fill("/cluster/all_core_clock", cluster.all_core_clock, r->all_core_clock, *r);
    }
  }
  if (machine == nullptr) return;
  c.fill("/cluster/core_speed", cluster.core_speed, machine->core_speed, *machine);
  c.fill("/cluster/all_core_clock", cluster.all_core_clock, machine->all_core_clock, *machine);
}

double core_factor(ResolveContext& c, const std::string& pointer, double there) {
  const double here = c.out.scenario.cluster.core_speed;
  const auto from = c.out.provenance.find(pointer);
  if (here <= 0.0 || there <= 0.0) return 1.0;
  if (from == c.out.provenance.end() || from->second.origin != Origin::kCatalogue) return 1.0;
  Provenance& p = from->second;
  p.note = other_core_note(p.note, here, there);
  if (p.low_factor < 1.0) p.low_factor = of_known_core(p.low_factor);
  if (p.high_factor > 1.0) p.high_factor = of_known_core(p.high_factor);
  return there / here;
}

}  // namespace stallcast
