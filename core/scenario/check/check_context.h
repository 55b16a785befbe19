// What the parts of check_scenario() share: the scenario, what somebody wrote of it, and the findings.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/diagnostics/finding.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/field_value.h"
#include "core/scenario/scenario.h"

namespace stallcast {

class CheckContext {
 public:
  CheckContext(const Scenario& scenario, const std::set<std::string>& given, const std::string& file,
               Findings& findings)
      : s_(scenario), given_(given), file_(file), findings_(findings) {}

 protected:
  bool given(const std::string& pointer) const { return given_.contains(pointer); }

  // The value at `pointer` as the file would hold it.
  std::string got(const std::string& pointer) const {
    const Field* field = find_field(pointer);
    if (field == nullptr) return "";
    const std::string text = value_to_json(*field, field->get(s_)).dump();
    return text == "\"\"" ? "nothing" : text;
  }

  void error(std::string code, const std::string& pointer, std::string allowed, std::string fix, std::string why) {
    findings_.add({Severity::kError, std::move(code), file_, pointer, got(pointer), std::move(allowed), std::move(fix),
                   std::move(why)});
  }

  void warning(std::string code, const std::string& pointer, std::string allowed, std::string fix, std::string why) {
    findings_.add({Severity::kWarning, std::move(code), file_, pointer, got(pointer), std::move(allowed),
                   std::move(fix), std::move(why)});
  }

  // A value that somebody wrote although, `why`, nothing reads it.
  void unused_unless(bool used, const std::string& pointer, std::string why) {
    if (!used && given(pointer)) warning("unused", pointer, "", "remove it", std::move(why));
  }

  // Every value of a group that somebody wrote, but for `except`.
  void unused_group_unless(bool used, const std::string& group, std::string_view why,
                           const std::set<std::string>& except = {}) {
    if (used) return;
    for (const Field& field : field_table()) {
      if (field.group == group && !except.contains(field.name())) unused_unless(false, field.pointer, std::string(why));
    }
  }

  const Scenario& s_;
  const std::set<std::string>& given_;
  const std::string& file_;
  Findings& findings_;
};

// The model, checkpoints, and what has to hold them.
void check_checkpoint(const CheckContext& context);

// The course of a run: failures, its length, serving, the bill.
void check_course(const CheckContext& context);
void check_serving(const CheckContext& context);

// What would take days, or more memory than there is.
void check_effort(const CheckContext& context);

// Inputs known to an interval only.
void check_uncertain(const CheckContext& context);

}  // namespace stallcast
