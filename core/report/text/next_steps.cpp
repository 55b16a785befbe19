#include "core/report/text/next_steps.h"

#include <fmt/format.h>

#include "core/report/words/text_layout.h"
#include "core/result/lost_time.h"

namespace stallcast {
namespace {

constexpr double kFewLosses = 0.95;  // of GPU utilization: from here on nothing about data loading is worth a search

// As a shell reads it.
std::string as_word(const std::string& path) {
  const bool plain =
      path.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./") == std::string::npos;
  return printable(plain ? path : "'" + path + "'");
}

// Storage decides the answer, and a measurement of it would be better than a record.
bool waits_for_storage(const RunResult& result) {
  const std::string_view name = bottleneck_name(result);
  for (const LostTime cause : {LostTime::kStorageLatency, LostTime::kStreamCap, LostTime::kClientCap,
                               LostTime::kTierBandwidth, LostTime::kRequestRate})
    if (lost_time_name(cause) == name) return true;
  return false;
}

std::string target_of(const Scenario& scenario) {
  const bool has_target =
      scenario.plan.min_utilization > 0.0 || scenario.plan.deadline.base() > 0.0 || scenario.plan.budget.base() > 0.0;
  return has_target ? "" : " --min-utilization 0.9";
}

}  // namespace

std::string next_after_simulate(const std::string& path, const Scenario& scenario, const RunResult& result) {
  const std::string file = as_word(path);
  if (result.gpu_utilization.mean >= kFewLosses)
    return "\n" + labelled("Next", fmt::format("stallcast sensitivity {}: which inputs could change this", file));
  std::string out = "\n" + labelled("Next", fmt::format("stallcast explain {}: what each change is worth", file));
  out += labelled("", fmt::format("stallcast size {}{}: the cheapest configuration that meets a target", file,
                                  target_of(scenario)));
  return out;
}

std::string next_after_explain(const std::string& path, const Scenario& scenario, const RunResult& result) {
  const std::string file = as_word(path);
  if (result.gpu_utilization.mean >= kFewLosses)
    return "\n" + labelled("Next", fmt::format("stallcast report {} -o report.html: all of this on one page", file));
  std::string out = "\n" + labelled("Next", fmt::format("stallcast size {}{}: the cheapest configuration that meets a "
                                                        "target",
                                                        file, target_of(scenario)));
  if (waits_for_storage(result))
    out += labelled("", "stallcast probe DIR -o probe.json: measure this storage instead of assuming it");
  return out;
}

}  // namespace stallcast
