#include "core/report/text/comparison_markdown.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "core/report/words/comparison_words.h"
#include "core/report/words/kpi_text.h"
#include "core/report/words/markup.h"
#include "core/scenario/fields/field_title.h"

namespace stallcast {
namespace {

constexpr std::size_t kInputsNamed = 6;
constexpr std::array<std::string_view, 6> kFigures = {
    "useful_gpu_fraction", "gpu_utilization", "time_to_train_s", "cost.total_usd", "effective_usd_per_useful_gpu_hour",
    "cost.wasted_usd"};

// Inside a table and outside: whatever it holds, it stays one line of text.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : clean_text(text)) {
    if (std::string_view("\\`*_[]<>|#~").find(c) != std::string_view::npos) out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

class CommentText {
 public:
  CommentText(const Comparison& comparison, std::size_t other) : c_(comparison), other_(other) {}

  std::string render() const { return "### " + headline() + "\n\n" + figures() + "\n" + inputs() + waits(); }

 private:
  const KpiComparison* figure(std::string_view name) const {
    for (const KpiComparison& one : c_.figures)
      if (one.kpi->name == name) return &one;
    return nullptr;
  }

  std::string name_of(std::size_t scenario) const {
    const Compared& one = c_.scenarios[scenario];
    const std::string& name = one.resolved.scenario.name;
    return name.empty() ? one.label : one.label + ": " + name;
  }

  // By what the choice is made: "Total cost rises by $310.00 (12.4 %)", with the scenario's name.
  std::string headline() const {
    const KpiComparison* by = figure(c_.advice.by->name);
    std::string out = plain(name_of(other_)) + ". ";
    if (by == nullptr || !by->differences[other_] || !by->values[0]) return out + "nothing is known to compare by";
    const Estimate& change = *by->differences[other_];
    const std::string what = by->kpi->label;
    if (is_within_noise(change)) return out + what + " does not change by more than chance";
    std::string size = kpi_size_text(*by->kpi, std::abs(change.mean));
    if (by->kpi->dimension == Dimension::kFraction) {
      size += " points";
    } else if (by->values[0]->mean != 0.0) {
      size += fmt::format(" ({:.1f} %)", 100.0 * std::abs(change.mean / by->values[0]->mean));
    }
    return out + fmt::format("{} {} by {}", what, change.mean > 0.0 ? "rises" : "falls", size);
  }

  std::string figures() const {
    std::string out = fmt::format("| | {} | {} | Difference (95 %) |\n|:--|--:|--:|--:|\n", plain(name_of(0)),
                                  plain(name_of(other_)));
    for (const std::string_view name : kFigures) {
      const KpiComparison* one = figure(name);
      if (one == nullptr || (!one->values[0] && !one->values[other_])) continue;
      out +=
          fmt::format("| {} | {} | {} | {} |\n", one->kpi->label, mean_text(*one->kpi, one->values[0]),
                      mean_text(*one->kpi, one->values[other_]), difference_text(*one->kpi, one->differences[other_]));
    }
    return out;
  }

  // What somebody changed, and how much follows from it: rates of another tier, for one.
  std::string inputs() const {
    const std::vector<const InputDifference*> all = differing_inputs(c_, other_);
    if (all.empty()) return "Every input is the same.\n";
    std::vector<std::string> told;
    for (const InputDifference* input : all) {
      if (told.size() == kInputsNamed || !is_given(*input)) break;
      const auto value = [&](std::size_t at) { return input->values[at].empty() ? "none" : plain(input->values[at]); };
      told.push_back(fmt::format("{} {} → {}", plain(field_noun(input->pointer)), value(0), value(other_)));
    }
    const std::size_t rest = all.size() - told.size();
    if (told.empty()) return fmt::format("Changed: {} values of the catalogue.\n", rest);
    std::string out = fmt::format("Changed: {}", fmt::join(told, "; "));
    if (rest > 0) out += fmt::format("; {} more inputs differ, most of them because of these", rest);
    return out + ".\n";
  }

  // What the GPUs wait for most, before and after.
  std::string waits() const {
    const auto most = [&](std::size_t scenario) {
      const PartComparison* found = nullptr;
      for (const PartComparison& part : c_.time) {
        if (part.name == "computing" || !part.values[scenario]) continue;
        if (found == nullptr || *part.values[scenario] > *found->values[scenario]) found = &part;
      }
      return found == nullptr
                 ? std::string()
                 : fmt::format("{} ({:.1f} % of GPU time)", plain(found->phrase), 100.0 * *found->values[scenario]);
    };
    const std::string before = most(0), after = most(other_);
    if (before.empty() || after.empty()) return "";
    return "\nGPU time goes most to: " + before + " before, " + after + " after.\n";
  }

  const Comparison& c_;
  std::size_t other_;
};

}  // namespace

std::string comparison_markdown(const Comparison& comparison) {
  std::string out;
  for (std::size_t i = 1; i < comparison.scenarios.size(); ++i) out += CommentText(comparison, i).render() + "\n";
  out += plain(comparison.advice.sentence) + "\n\n";
  std::string note = fmt::format(
      "Simulated by stallcast; differences over {} pairs of runs with the same random numbers", comparison.pairs);
  if (comparison.draws > 0) note += fmt::format(" and {} samples of the uncertain inputs", comparison.draws);
  return out + "<sub>" + note + (comparison.complete ? "." : "; stopped before all were done.") + "</sub>\n";
}

}  // namespace stallcast
