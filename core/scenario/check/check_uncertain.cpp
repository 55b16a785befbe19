#include <fmt/format.h>

#include "core/scenario/check/check.h"
#include "core/scenario/check/check_context.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

constexpr const char* kUncertain = "/run/uncertain";

class UncertainChecks : CheckContext {
 public:
  explicit UncertainChecks(const CheckContext& context) : CheckContext(context), base_(s_) {
    base_.run.uncertain.clear();
  }

  void run() {
    if (s_.run.uncertain.empty()) return;
    const Loaded<std::vector<UncertainInput>> inputs = parse_uncertain_inputs(s_.run.uncertain, file_);
    findings_.append(inputs.findings);
    if (!inputs.value) return;
    for (std::size_t i = 0; i < inputs.value->size(); ++i) check_ends((*inputs.value)[i], i);
  }

 private:
  // What the value is at both ends of its interval, and whether there is such a job.
  void check_ends(const UncertainInput& input, std::size_t index) {
    const Field& field = *find_field(input.pointer);
    const Scenario low = scaled(base_, input.pointer, input.low_factor);
    const Scenario high = scaled(base_, input.pointer, input.high_factor);
    const FieldValue value = field.get(base_);
    if (field.get(low) == value && field.get(high) == value) {
      add(Severity::kWarning, "no_effect", input, index, "",
          fmt::format("give {} a value, or remove it", input.pointer),
          fmt::format("its value is {}: there is nothing to scale", got(input.pointer)));
      return;
    }
    check_end(input, index, low, input.low_factor);
    check_end(input, index, high, input.high_factor);
  }

  void check_end(const UncertainInput& input, std::size_t index, const Scenario& end, double factor) {
    const Findings at_end = check_scenario(end, {}, file_);
    const Findings as_given = check_scenario(base_, {}, file_);
    if (as_given.has_errors() || !at_end.has_errors()) return;
    for (const Finding& finding : at_end.list()) {
      if (finding.severity != Severity::kError) continue;
      add(Severity::kError, "contradiction", input, index, "an interval within which the job can be",
          "give a narrower one",
          fmt::format("at {} times its value, {} would be {} and {}", format_number(factor), finding.pointer,
                      finding.got, finding.why));
      return;
    }
  }

  void add(Severity severity, const char* code, const UncertainInput& input, std::size_t index, std::string allowed,
           std::string fix, std::string why) {
    findings_.add({severity, code, file_, fmt::format("{}/{}", kUncertain, index),
                   "\"" + uncertain_input_text(input) + "\"", std::move(allowed), std::move(fix), std::move(why)});
  }

  Scenario base_;
};

}  // namespace

void check_uncertain(const CheckContext& context) { UncertainChecks(context).run(); }

}  // namespace stallcast
