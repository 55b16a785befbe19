#include "core/plan/explain/worded_change.h"

#include <algorithm>

#include "core/plan/explain/changes.h"
#include "core/plan/explain/curve_values.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/field_title.h"

namespace stallcast {
namespace {

// `scenario` with the change of that name made; nothing where it does not apply.
std::optional<Scenario> changed(const Scenario& scenario, const std::string& name) {
  for (Change& change : possible_changes(scenario))
    if (change.name == name) return std::move(change.scenario);
  return std::nullopt;
}

WordedChange worded(const Counterfactual& tried, const Scenario& now, const std::optional<Scenario>& then) {
  WordedChange out;
  out.name = tried.name;
  out.can_be_set = tried.kind == ChangeKind::kSetting && then;
  out.words = out.can_be_set ? settings_phrase(settings_between(now, *then)) : "if " + tried.phrase;
  out.after = tried.gpu_utilization.mean;
  out.before = out.after - tried.gain;
  out.usd = tried.usd;
  return out;
}

}  // namespace

Point settings_between(const Scenario& now, const Scenario& then) {
  Point settings;
  for (const Field& field : field_table()) {
    std::string text = text_of_field(then, field.pointer);
    if (text != text_of_field(now, field.pointer)) settings.push_back({field.pointer, std::move(text)});
  }
  return settings;
}

std::string settings_phrase(const Point& settings) {
  std::string text, used;
  for (const Assignment& one : settings) {
    const std::string group = one.pointer.substr(0, one.pointer.rfind('/') + 1);
    if (group == used) continue;
    if (one.pointer == group + "policy" && one.text != "none") used = group;
    text += (text.empty() ? "" : ", ") + change_phrase(one.pointer, one.text);
  }
  return text;
}

std::vector<WordedChange> worded_changes(const Scenario& scenario, const Explanation& explanation) {
  std::vector<WordedChange> out;
  const std::vector<Change> changes = possible_changes(scenario);
  for (const Counterfactual& tried : explanation.counterfactuals) {
    const auto change =
        std::find_if(changes.begin(), changes.end(), [&](const Change& one) { return one.name == tried.name; });
    const auto then = change == changes.end() ? std::nullopt : std::optional(change->scenario);
    out.push_back(worded(tried, scenario, then));
    if (out.back().can_be_set) out.back().settings = settings_between(scenario, *then);
  }
  return out;
}

std::vector<WordedChange> worded_way(const Scenario& scenario, const ShortestWay& way) {
  std::vector<WordedChange> out;
  Scenario now = scenario, set = scenario;  // with every step made, and with those that a person can make
  for (const Counterfactual& step : way.steps) {
    const std::optional<Scenario> then = changed(now, step.name);
    out.push_back(worded(step, now, then));
    if (then) now = *then;
    if (!out.back().can_be_set) continue;
    if (const std::optional<Scenario> set_too = changed(set, step.name)) set = *set_too;
    out.back().settings = settings_between(scenario, set);
  }
  return out;
}

}  // namespace stallcast
