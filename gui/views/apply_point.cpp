#include "gui/views/apply_point.h"

#include "core/scenario/fields/field_table.h"

namespace stallcast::gui {

ScenarioFile withPoint(ScenarioFile file, const Point& point, Findings& findings) {
  static const Scenario kDefaults;
  for (const Assignment& one : point) {
    if (!one.text.empty()) {
      apply_override(file, one.pointer + "=" + one.text, findings);
      continue;
    }
    if (const Field* field = find_field(one.pointer)) field->set(file.scenario, field->get(kDefaults));
    file.given.erase(one.pointer);
    file.overridden.erase(one.pointer);
  }
  return file;
}

}  // namespace stallcast::gui
