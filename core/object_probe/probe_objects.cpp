#include "core/object_probe/probe_objects.h"

#include <algorithm>
#include <utility>

#include "core/diagnostics/finding.h"
#include "core/object_probe/http/object_url.h"
#include "core/object_probe/object_flaws.h"
#include "core/object_probe/object_source.h"
#include "core/object_probe/object_sweep.h"
#include "core/probe/disk/monotonic_clock.h"
#include "core/probe/result/grade.h"
#include "core/probe/result/probing_machine.h"

namespace stallcast {

ProbeResult probe_objects(const std::string& url, const ProbeOptions& options) {
  double began_s = monotonic_s();
  const Loaded<ObjectUrl> parsed = parse_object_url(url);
  if (!parsed.value) throw WorldError(render_finding(parsed.findings.list().front()));
  constexpr double kStepOfLibcurl_s = 1e-6;  // of the times that it tells
  const MachineWatch machine;
  ProbeResult result = blank_result(options);
  result.timer_s = std::max(result.timer_s, kStepOfLibcurl_s);
  result.target_kind = parsed.value->kind;
  result.target = parsed.value->shown;
  ObjectBudget budget{.until_s = began_s + options.seconds, .bytes_left = options.bytes, .stop = options.stop};
  std::optional<ObjectSource> source = open_objects(*parsed.value, budget);
  result.interrupted = !source;
  std::vector<ProbeFlaw> flaws;
  if (source) {
    std::stable_sort(source->objects.begin(), source->objects.end(),
                     [](const ReadableObject& a, const ReadableObject& b) { return a.bytes < b.bytes; });
    result.files_seen = static_cast<double>(source->objects.size());
    for (const ReadableObject& object : source->objects) result.files_bytes += std::max(0.0, object.bytes);
    result.notes = source->notes;
    if (source->list) result.points.push_back(*source->list);
    ObjectSweep sweep(*source, budget, options, began_s, result);
    sweep.run();
    flaws = object_flaws(sweep.tally());
    result.bytes = sweep.received();
    if (std::string paused = sweep.pauses_note(); !paused.empty()) result.notes.push_back(std::move(paused));
    began_s += sweep.lost_s();
    result.interrupted = options.stop.stop_requested();
  }
  result.bytes += budget.received;
  result.seconds = monotonic_s() - began_s;
  if (std::string busy = machine.note(); !busy.empty()) result.notes.push_back(std::move(busy));
  grade(result, flaws);
  return result;
}

}  // namespace stallcast
