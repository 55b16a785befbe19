// What the parts of resolve() share: the scenario as far as it is filled in, where its values came from, and findings.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "core/catalogue/catalogue.h"
#include "core/catalogue/match_record.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {

// The kind of an interval that goes to run.uncertain.
inline constexpr const char* kMeasuredHere = "measured";

struct ResolveContext {
  const ScenarioFile& file;
  const Catalogue& catalogue;
  ResolvedScenario out;
  Findings findings;
  const InstanceRecord* instance = nullptr;
  const WorkloadRecord* workload = nullptr;
  std::map<std::string, Evidence> intervals;  // by pointer: of filled fields whose fact states an interval

  bool given(const std::string& pointer) const {
    return file.given.contains(pointer) || file.overridden.contains(pointer);
  }
  std::string file_of(const std::string& pointer) const {
    return file.overridden.contains(pointer) ? "--set" : file.file;
  }
  Origin origin_of(const std::string& pointer) const {
    if (file.overridden.contains(pointer)) return Origin::kOverride;
    return file.given.contains(pointer) ? Origin::kFile : Origin::kDefault;
  }

  // Puts `value` in `member` unless the person gave one. The interval of `evidence` is that of `value`.
  template <class T>
  void fill(const std::string& pointer, T& member, const T& value, const Record& record, const Evidence& evidence) {
    if (given(pointer)) return;
    member = value;
    out.provenance[pointer] = {Origin::kCatalogue, record.label(),      evidence.source,     evidence.kind,
                               evidence.note,      evidence.low_factor, evidence.high_factor};
    note_interval(pointer, evidence, record);
  }
  template <class T>
  void fill(const std::string& pointer, T& member, const MaybeFact<T>& fact, const Record& record) {
    if (fact) fill(pointer, member, fact->value, record, fact->evidence);
  }

  // A default with its source and its interval, in the place of what the person did not say.
  template <class T>
  void take(const std::string& pointer, T& member, const T& value, const std::string& source, double low, double high) {
    if (given(pointer)) return;
    member = value;
    out.provenance[pointer] = {Origin::kDefault, "", source, "assumed", "", low, high};
  }

  // `member` from another field of the scenario, with that field's origin and interval.
  template <class T>
  void copy(const std::string& to, T& member, const T& value, const std::string& from) {
    if (given(to)) return;
    member = value;
    const auto origin = out.provenance.find(from);
    out.provenance[to] = origin != out.provenance.end() ? origin->second : Provenance{origin_of(from), "", "", "", ""};
    const auto interval = intervals.find(from);
    set_interval(to, interval != intervals.end() ? Evidence(interval->second) : Evidence());
  }

  // The record of the software that the field at `pointer` names, else that of `usual`. Null where the catalogue has
  // none: no costs, and a finding where the person named it.
  const CheckpointerRecord* checkpointer(const std::string& pointer, const std::string& named,
                                         const std::string& usual) {
    if (given(pointer)) {
      return find_record(catalogue.checkpointers, named, "checkpointer", file_of(pointer), pointer, findings);
    }
    const auto found = catalogue.checkpointers.find(usual);
    return found != catalogue.checkpointers.end() ? &found->second : nullptr;
  }

  void set_interval(const std::string& pointer, Evidence evidence) {
    intervals.erase(pointer);
    if (evidence.states_interval()) intervals.emplace(pointer, std::move(evidence));
  }
  // The interval of a field that was filled in from `record`; of an earlier value of it none is left. Only an overlay's
  // was measured here: what stallcast brings was measured on other machines.
  void note_interval(const std::string& pointer, Evidence evidence, const Record& record) {
    if (record.overlay.empty() && evidence.kind == kMeasuredHere) evidence.kind = "measured elsewhere";
    set_interval(pointer, std::move(evidence));
  }

  void error(std::string code, const std::string& pointer, std::string got, std::string allowed, std::string fix,
             std::string why) {
    findings.add({Severity::kError, std::move(code), file_of(pointer), pointer, std::move(got), std::move(allowed),
                  std::move(fix), std::move(why)});
  }
  void warning(std::string code, const std::string& pointer, std::string got, std::string fix, std::string why) {
    findings.add({Severity::kWarning, std::move(code), file_of(pointer), pointer, std::move(got), "", std::move(fix),
                  std::move(why)});
  }
};

}  // namespace stallcast
