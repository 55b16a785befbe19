#include "core/plan/explain/worded_change.h"

#include "core/result/estimate.h"
#include "core/scenario/fields/field_title.h"

namespace stallcast {
namespace {

WordedChange worded(const Counterfactual& tried) {
  WordedChange out;
  out.name = tried.name;
  out.settings = tried.settings;
  out.can_be_set = !tried.settings.empty();
  out.words = out.can_be_set ? settings_phrase(tried.settings) : "if " + tried.phrase;
  out.after = tried.gpu_utilization.mean;
  out.before = out.after - tried.gain;
  out.usd = tried.usd;
  return out;
}

// `settings` with those of `later` made after them.
void add_settings(Point& settings, const Point& later) {
  for (const Assignment& one : later) {
    const auto same = std::ranges::find(settings, one.pointer, &Assignment::pointer);
    if (same == settings.end()) {
      settings.push_back(one);
    } else {
      same->text = one.text;
    }
  }
}

}  // namespace

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

std::vector<WordedChange> worded_changes(const Explanation& explanation) {
  std::vector<WordedChange> out;
  for (const Counterfactual& tried : explanation.counterfactuals) out.push_back(worded(tried));
  return out;
}

std::vector<WordedChange> worded_way(const ShortestWay& way) {
  std::vector<WordedChange> out;
  Point settings;
  for (const Counterfactual& step : way.steps) {
    out.push_back(worded(step));
    if (!out.back().can_be_set) continue;
    add_settings(settings, step.settings);
    out.back().settings = settings;
  }
  return out;
}

}  // namespace stallcast
