#include "core/report/measured/outcome_fit_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/diagnose/outcome.h"
#include "core/plan/evaluate/scaled_input.h"
#include "core/report/words/text_layout.h"
#include "core/scenario/fields/uncertain_input.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kDetermined = 0.5, kPartly = 0.15;  // of the range is gone
constexpr double kNarrow = 2.0;                      // as far as what is left of it may reach, to be called determined

std::string figure(const Observation& seen, double value) {
  const Dimension dimension = find_outcome_kind(seen.quantity)->dimension;
  return dimension == Dimension::kFraction ? percent(value) : short_text(dimension, value);
}

std::string outcomes_text(const OutcomeFit& fit) {
  std::string out = "What was seen, and what the simulation shows before and after fitting\n";
  for (const FittedOutcome& o : fit.outcomes) {
    std::string line = fmt::format("{} {}: {} before, {} after", o.seen.quantity, figure(o.seen, o.seen.value),
                                   figure(o.seen, o.before), figure(o.seen, o.after));
    if (o.run > 0) line += fmt::format(", run {} of those watched", o.run + 1);
    out += "  " + wrapped(fmt::format("{} ({})", line, printable(o.seen.definition)), 6, 2) + "\n";
  }
  if (!fit.explained) out += unexplained_text();
  const bool waits_more = std::any_of(fit.outcomes.begin(), fit.outcomes.end(), [](const FittedOutcome& o) {
    return o.seen.quantity == "data_time" && o.seen.value > o.after + 3.0 * o.sd;
  });
  if (!fit.explained && waits_more) {
    out += "  " +
           wrapped(
               "Single samples that take far longer than others look like this, since a loader hands out batches in "
               "order and no mean shows them: stallcast attach PID sees them.",
               2, 2) +
           "\n";
  }
  return out;
}

std::string input_line(const FittedInput& input, const ResolvedScenario& job) {
  const std::string& pointer = input.assumed.range.pointer;
  const auto before = input_value(job, pointer);
  if (!before) {
    return fmt::format("{}: {:.3g} times what it was, may be {:.3g} to {:.3g} times", dotted_name(pointer),
                       input.factor, input.factor * input.low_factor, input.factor * input.high_factor);
  }
  const auto text = [&](double factor) { return input_value_text(pointer, *before * factor); };
  return fmt::format("{}: {}, may be {} to {}; it was {}", dotted_name(pointer), text(input.factor),
                     text(input.factor * input.low_factor), text(input.factor * input.high_factor), text(1.0));
}

std::string inputs_text(const OutcomeFit& fit, const ResolvedScenario& job) {
  std::string out = "\nWhat the observations say about inputs that you did not give\n";
  const FittedInput* open = nullptr;
  for (const FittedInput& input : fit.inputs) {
    const bool narrow = input.high_factor <= kNarrow && input.low_factor >= 1.0 / kNarrow;
    const bool determined = input.learned >= kDetermined && narrow;
    if (!determined && open == nullptr && !input.assumed.narrow_by.empty()) open = &input;
    out += "  " +
           wrapped(fmt::format("{} ({})", input_line(input, job),
                               determined                 ? "determined"
                               : input.learned >= kPartly ? "partly determined"
                                                          : "hardly determined: others could as well be at work"),
                   6, 2) +
           "\n";
  }
  if (fit.inputs.empty()) out += "  nothing: none of them matters to what was seen\n";
  if (!fit.untouched.empty()) {
    out += "  " + wrapped(fmt::format("and nothing of {} more", fit.untouched.size()), 6, 2) + "\n";
  }
  if (open != nullptr) {
    out += "\n" + labelled("Measure next",
                           fmt::format("{}: {}", dotted_name(open->assumed.range.pointer), open->assumed.narrow_by));
  }
  return out;
}

}  // namespace

std::string unexplained_text() {
  return "  " +
         wrapped(
             "These inputs do not explain it, not even far out of their ranges: a value that is given is wrong, or "
             "something is at work that the scenario does not have.",
             2, 2) +
         "\n";
}

std::string render_text(const OutcomeFit& fit, const ResolvedScenario& job) {
  return outcomes_text(fit) + inputs_text(fit, job);
}

Json outcome_fit_json(const OutcomeFit& fit, const ResolvedScenario& job) {
  Json out = {{"outcomes", Json::array()}, {"inputs", Json::array()}, {"says_nothing_of", Json::array()}};
  for (const FittedOutcome& o : fit.outcomes) {
    out["outcomes"].push_back({{"quantity", o.seen.quantity},
                               {"run", o.run},
                               {"seen", o.seen.value},
                               {"deviation", o.sd},
                               {"before", o.before},
                               {"after", o.after}});
  }
  for (const FittedInput& input : fit.inputs) {
    const auto before = input_value(job, input.assumed.range.pointer);
    const auto times = [&](double factor) { return before ? Json(*before * factor) : Json(); };
    out["inputs"].push_back({{"path", dotted_name(input.assumed.range.pointer)},
                             {"before", times(1.0)},
                             {"after", times(input.factor)},
                             {"low", times(input.factor * input.low_factor)},
                             {"high", times(input.factor * input.high_factor)},
                             {"factor", input.factor},
                             {"low_factor", input.low_factor},
                             {"high_factor", input.high_factor},
                             {"learned_fraction", input.learned},
                             {"narrow_by", input.assumed.narrow_by}});
  }
  for (const AssumedValue& one : fit.untouched) out["says_nothing_of"].push_back(dotted_name(one.range.pointer));
  out["explained"] = fit.explained;
  return out;
}

}  // namespace stallcast
