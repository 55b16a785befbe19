#include "core/report/text/sensitivity_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/plan/compare/choice.h"
#include "core/plan/evaluate/scaled_input.h"
#include "core/report/words/kpi_text.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/uncertain_input.h"

namespace stallcast {
namespace {

constexpr std::size_t kTurnedColumns = 32, kEffectColumn = 57;
constexpr double kWorthAnIndex = 0.005;  // of the variance

std::string padded(const std::string& text, std::size_t columns) {
  const std::size_t used = columns_of(text);
  return text + std::string(used < columns ? columns - used : 1, ' ');
}

std::string trimmed_line(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string value_text(const Kpi& kpi, double value) { return std::isfinite(value) ? kpi_text(kpi, value) : "unknown"; }

// "storage.prices"; people call a field by dots.
std::string name_of(const SharedInput& input, bool several) {
  const std::string owner = several && input.owner ? " of " + scenario_label(*input.owner) : "";
  return dotted_name(input.pointer) + owner;
}

// "577 MB/s to 651 MB/s", or factors where it is several numbers.
std::string interval_text(const TornadoBar& bar) {
  if (!bar.value) return fmt::format("{:.3g} to {:.3g} x", bar.input.low_factor, bar.input.high_factor);
  return fmt::format("{} to {}", input_value_text(bar.input.pointer, *bar.value * bar.input.low_factor),
                     input_value_text(bar.input.pointer, *bar.value * bar.input.high_factor));
}

std::string share_text(const Estimate& share) {
  return fmt::format("{:.0f} % ({:.0f} to {:.0f})", 100.0 * share.mean, 100.0 * share.ci95_low,
                     100.0 * share.ci95_high);
}

class SensitivityText {
 public:
  SensitivityText(const SensitivityStudy& study, const TextStyle& style) : study_(study), style_(style) {}

  std::string render() const {
    std::string out;
    for (std::size_t i = 0; i < study_.scenarios.size(); ++i) {
      const std::string label = several() ? scenario_label(i) + "  " : "";
      out += label + wrapped(printable(study_.scenarios[i].scenario.name), label.size(), label.size()) + "\n";
    }
    const bool uncertain = std::any_of(study_.inputs.begin(), study_.inputs.end(),
                                       [](const std::optional<Sensitivity>& one) { return one.has_value(); });
    if (!uncertain) {
      out +=
          "\n" +
          wrapped(fmt::format("No input is uncertain here: the catalogue states no interval for what {} Say what you "
                              "are not sure of, as in --input storage.read_bandwidth=x0.8..x1.1.",
                              several() ? "these jobs use." : "this job uses."),
                  0, 0) +
          "\n";
    }
    if (study_.pair) out += difference();
    for (std::size_t i = 0; i < study_.inputs.size(); ++i)
      if (study_.inputs[i])
        for (std::size_t f = 0; f < study_.figures.size(); ++f)
          out += tornado(f, i) + shares(f, *study_.inputs[i], label_of(i));
    return out + break_even() + ending();
  }

 private:
  bool several() const { return study_.scenarios.size() > 1; }

  std::string heading(const std::string& text) const {
    return "\n" + toned(wrapped(text, 0, 0), Tone::kStrong, style_) + "\n";
  }

  // " of A" where there are several.
  std::string label_of(std::size_t scenario) const { return several() ? " of " + scenario_label(scenario) : ""; }

  static std::string bar_line(const std::string& name, const TornadoBar& bar, const std::string& effect) {
    return trimmed_line(padded("  " + padded(name, kTurnedColumns - 4) + interval_text(bar), kEffectColumn) + effect);
  }

  std::string tornado(std::size_t f, std::size_t scenario) const {
    const Kpi& kpi = *study_.figures[f];
    const Sensitivity& found = *study_.inputs[scenario];
    if (found.as_given.empty()) return "";
    std::string out = heading(fmt::format("{}{} is {} as given. Each input alone, at the ends of its 90 % interval",
                                          kpi.label, label_of(scenario), value_text(kpi, found.as_given[f])));
    for (const TornadoBar& bar : found.tornado) {
      out += bar_line(dotted_name(bar.input.pointer), bar,
                      bar.at_low[f] == bar.at_high[f]
                          ? "no effect"
                          : fmt::format("{} to {}", value_text(kpi, bar.at_low[f]), value_text(kpi, bar.at_high[f])));
    }
    return out;
  }

  // "+$12.30", and "*" where the other one is the better.
  static std::string difference_text(const Kpi& kpi, double value) {
    if (!std::isfinite(value)) return "unknown";
    const bool turned = kpi.better == Better::kHigher ? value > 0.0 : value < 0.0;
    return kpi_difference_text(kpi, value) + (turned ? "*" : "");
  }

  // By the figure that decides.
  std::string difference() const {
    const PairSensitivity& pair = *study_.pair;
    const Kpi& kpi = *study_.figures.front();
    const Sensitivity& found = pair.difference;
    if (found.as_given.empty()) return "";
    const std::string best = scenario_label(pair.best), other = scenario_label(pair.other);
    std::string out = heading(fmt::format(
        "{} of {} less that of {} is {} as given. Each input alone, at the ends of its 90 % interval (* {} is then the "
        "better one)",
        kpi.label, other, best, difference_text(kpi, found.as_given.front()), other));
    std::string without;
    for (const TornadoBar& bar : found.tornado) {
      const std::string name = name_of(pair.inputs[bar.position], true);
      if (bar.at_low.front() == bar.at_high.front()) {
        without += (without.empty() ? "" : ", ") + name;
        continue;
      }
      out += bar_line(
          name, bar,
          fmt::format("{} to {}", difference_text(kpi, bar.at_low.front()), difference_text(kpi, bar.at_high.front())));
    }
    if (!without.empty()) out += "  " + wrapped("no effect on it: " + without, 4, 2) + "\n";
    return out + shares(0, found, fmt::format(" of {} less that of {}", other, best), &pair.inputs);
  }

  // `of`: whose; `owners`: of the inputs of a difference.
  std::string shares(std::size_t f, const Sensitivity& found, const std::string& of,
                     const std::vector<SharedInput>* owners = nullptr) const {
    if (f >= found.indices.size()) return "";
    const std::string& label = study_.figures[f]->label;
    if (!found.indices[f]) {
      return "  " + wrapped(label + of + " does not vary, or is unknown for some samples: no shares", 4, 2) + "\n";
    }
    std::string out = heading(fmt::format("Share of the variance of {}{} by input ({} samples)",
                                          figure_noun(*study_.figures[f]), of, found.samples));
    out += trimmed_line("  " + padded("", kTurnedColumns - 4) + padded("alone (95 %)", 27) + "with interactions");
    std::size_t small = 0;
    for (std::size_t i = 0; i < found.inputs.size(); ++i) {
      const SobolIndex& index = (*found.indices[f])[i];
      if (index.total.mean < kWorthAnIndex) {
        ++small;
        continue;
      }
      const std::string name = owners != nullptr ? name_of((*owners)[i], true) : dotted_name(found.inputs[i].pointer);
      out +=
          trimmed_line(padded("  " + padded(name, kTurnedColumns - 4) + share_text(index.first_order), kEffectColumn) +
                       share_text(index.total));
    }
    if (small > 0) out += fmt::format("  a negligible share from {} other{}\n", small, small == 1 ? "" : "s");
    return out;
  }

  std::string question() const {
    const BreakEvenTable& table = study_.break_even;
    const Kpi& by = *table.by;
    if (several()) {
      if (table.advice < 0) return fmt::format("{} is not known of any of them", by.label);
      const auto best = static_cast<std::size_t>(table.advice);
      return fmt::format("{} has the {} {}, {}. That changes when", scenario_label(best),
                         by.better == Better::kHigher ? "highest" : "lowest", figure_noun(by),
                         value_text(by, table.values[best]));
    }
    const std::string now = fmt::format("{} is {} as given", by.label, value_text(by, table.values.front()));
    if (!table.condition) return now + ". It drops by more than a point when";
    return fmt::format("{}: {} is {}. That changes when", now, table.condition->text,
                       table.advice == 1   ? "true"
                       : table.advice == 0 ? "false"
                                           : "not known");
  }

  static bool is_whole_number(const std::string& pointer) {
    const Field* field = find_field(pointer);
    return field != nullptr && field->kind == FieldKind::kInteger;
  }

  // "B above $95.1/h (1.07 x)", "below 45 ms (0.5 x)".
  std::string side(const BreakEvenRow& row, const std::optional<BreakEvenSide>& side, const char* where) const {
    if (!side) return "";
    std::string who;
    if (side->advice < 0) {
      who = "no possible job ";
    } else if (several()) {
      who = scenario_label(static_cast<std::size_t>(side->advice)) + " ";
    }
    return fmt::format("{}{} {} ({:.3g} x)", who, where, input_value_text(row.input.pointer, side->value),
                       side->factor);
  }

  std::string break_even() const {
    const BreakEvenTable& table = study_.break_even;
    std::string out = heading(question()), without;
    for (const BreakEvenRow& row : table.rows) {
      const std::string name = name_of(row.input, several());
      if (!row.below && !row.above) {
        without += (without.empty() ? "" : ", ") + name;
        continue;
      }
      const bool whole = is_whole_number(row.input.pointer);
      const std::string below = side(row, row.below, whole ? "down to" : "below");
      const std::string above = side(row, row.above, whole ? "from" : "above");
      const std::string changes = below.empty() ? above : above.empty() ? below : below + "; " + above;
      const std::string start =
          "  " + padded(name, kTurnedColumns - 2) + padded(input_value_text(row.input.pointer, row.value), 12);
      out += trimmed_line(start + wrapped(changes, kTurnedColumns + 12, columns_of(start)));
    }
    if (without.empty()) return out;
    return out + "  " +
           wrapped(fmt::format("no change within 1/{0:g} to {0:g} times: {1}", table.furthest, without), 4, 2) + "\n";
  }

  std::string ending() const {
    return "\n" +
           toned(fmt::format("{} runs with the same random numbers{}", study_.runs(),
                             study_.complete() ? "." : "; stopped before the last."),
                 Tone::kDim, style_) +
           "\n";
  }

  const SensitivityStudy& study_;
  const TextStyle& style_;
};

}  // namespace

std::string render_text(const SensitivityStudy& study, const TextStyle& style) {
  return SensitivityText(study, style).render();
}

}  // namespace stallcast
