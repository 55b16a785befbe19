#include "core/report/text/comparison_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "core/cost/money/money.h"
#include "core/plan/evaluate/kpi.h"
#include "core/report/words/comparison_words.h"
#include "core/report/words/text_layout.h"
#include "core/result/estimate.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/scenario.h"

namespace stallcast {
namespace {

constexpr std::size_t kNameColumns = 26, kValueColumns = 14, kInputColumns = 30, kInputValueColumns = 23;
constexpr std::size_t kMostInputs = 12;

std::string row(const std::string& name, const std::string& a, const std::string& b, const std::string& difference) {
  std::string out = fmt::format("  {}{}{}  {}", left_column(name, kNameColumns), right_column(a, kValueColumns),
                                right_column(b, kValueColumns), difference);
  out.erase(out.find_last_not_of(' ') + 1);
  return out + "\n";
}

std::string sign_of(double value) { return value < 0.0 ? "-" : "+"; }

// A quantity with four digits: "123.5 GB/s" of "123.480309760 GB/s".
std::string four_digits(const std::string& text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto digits = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || digits <= 6 || text.find('.') >= digits) return text;
  return fmt::format("{:.4g}", value) + text.substr(digits);
}

// Those of the catalogue are marked.
std::string input_text(const InputDifference& input, std::size_t at) {
  const std::string mark = input.provenance[at].origin == Origin::kCatalogue ? " *" : "";
  const std::string text = input.values[at].empty() ? "none" : printable(four_digits(input.values[at]));
  return left_column(cut(text, kInputValueColumns - 1 - mark.size()) + mark, kInputValueColumns);
}

// Changes that would be shown as 0.0 or $0.00 are none.
std::string points_text(double change) {
  return std::abs(change) < 0.0005 ? "same" : fmt::format("{:+.1f} points", 100.0 * change);
}

std::string dollar_change(double change) {
  return std::abs(change) < 0.005 ? "same" : sign_of(change) + usd_text(std::abs(change));
}

class ComparisonText {
 public:
  ComparisonText(const Comparison& comparison, const TextStyle& style) : c_(comparison), style_(style) {}

  std::string render(const std::string& ranges) {
    std::string out;
    for (const Compared& one : c_.scenarios)
      out += fmt::format("{}  {}\n", toned(one.label, Tone::kStrong, style_),
                         wrapped(printable(one.resolved.scenario.name), 3, 3));
    const std::string advice = c_.advice.sentence;
    out += "\n" + toned(wrapped(advice, 0, 0), c_.advice.told_apart ? Tone::kGood : Tone::kWarn, style_) + "\n";
    if (!ranges.empty()) out += "\n" + ranges;
    for (std::size_t i = 1; i < c_.scenarios.size(); ++i) out += block(i);
    return out + "\n" + ending();
  }

 private:
  std::string heading(const std::string& what, std::size_t i, const std::string& difference) const {
    std::string line = fmt::format("{}{}{}  {}", left_column(what, kNameColumns + 2),
                                   right_column(c_.scenarios[0].label, kValueColumns),
                                   right_column(c_.scenarios[i].label, kValueColumns), difference);
    line.erase(line.find_last_not_of(' ') + 1);
    return "\n" + toned(line, Tone::kStrong, style_) + "\n";
  }

  std::string block(std::size_t i) const {
    const std::string difference = fmt::format("{} - {}", c_.scenarios[i].label, c_.scenarios[0].label);
    std::string out = inputs(i);
    out += heading("Results", i, difference + " (95 %)") + figures(i);
    out += heading("Where GPU time goes", i, difference) + time(i);
    out += money("Where the money goes", c_.money, i, difference);
    return out + money("Dollars lost to stalls", c_.lost_money, i, difference);
  }

  std::string inputs(std::size_t i) const {
    const std::vector<const InputDifference*> rows = differing_inputs(c_, i);
    if (rows.empty()) return "\n" + toned("Every input is the same", Tone::kStrong, style_) + "\n";
    const std::string title =
        fmt::format("{} {} {}", left_column("Inputs that differ", kInputColumns + 2),
                    left_column(c_.scenarios[0].label, kInputValueColumns), c_.scenarios[i].label);
    std::string out = "\n" + toned(title, Tone::kStrong, style_) + "\n";
    for (std::size_t r = 0; r < std::min(rows.size(), kMostInputs); ++r) out += input_row(*rows[r], i);
    if (rows.size() > kMostInputs)
      out += fmt::format("  and {} more inputs; --format json has them all\n", rows.size() - kMostInputs);
    return out;
  }

  static std::string input_row(const InputDifference& input, std::size_t i) {
    std::string out = fmt::format("  {} {} {}", left_column(dotted_name(input.pointer), kInputColumns),
                                  input_text(input, 0), input_text(input, i));
    out.erase(out.find_last_not_of(' ') + 1);
    return out + "\n";
  }

  std::string figures(std::size_t i) const {
    std::string out;
    for (const KpiComparison& figure : c_.figures) {
      const auto &a = figure.values[0], &b = figure.values[i];
      const bool nothing = (!a || a->mean == 0.0) && (!b || b->mean == 0.0);
      if (nothing) continue;
      out += row(figure.kpi->label, mean_text(*figure.kpi, a), mean_text(*figure.kpi, b),
                 difference_text(*figure.kpi, figure.differences[i]));
    }
    return out;
  }

  std::string time(std::size_t i) const {
    std::string out;
    for (const PartComparison& part : c_.time) {
      const double a = part.values[0].value_or(0.0), b = part.values[i].value_or(0.0);
      if (std::max(a, b) < kWorthARow) continue;
      out += row(words(part.name), percent(a), percent(b), points_text(b - a));
    }
    return out;
  }

  std::string money(const std::string& what, const std::vector<PartComparison>& parts, std::size_t i,
                    const std::string& difference) const {
    double most = 0.0;
    for (const PartComparison& part : parts)
      most = std::max({most, part.values[0].value_or(0.0), part.values[i].value_or(0.0)});
    std::string out;
    for (const PartComparison& part : parts) {
      const auto &a = part.values[0], &b = part.values[i];
      if (std::max(a.value_or(0.0), b.value_or(0.0)) <= kWorthARow * most) continue;
      const auto dollars = [](const std::optional<double>& v) { return v ? usd_text(*v) : "unknown"; };
      out += row(words(part.name), dollars(a), dollars(b), a && b ? dollar_change(*b - *a) : "");
    }
    return out.empty() ? "" : heading(what, i, difference) + out;
  }

  static std::string words(std::string name) {
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
  }

  std::string ending() const {
    std::string text = fmt::format(
        "* from the catalogue. Differences are over {} pairs of runs with the same random numbers", c_.pairs);
    if (c_.draws > 0) text += fmt::format(" and {} samples of the uncertain inputs", c_.draws);
    text += c_.complete ? "." : "; stopped before all were done.";
    return toned(wrapped(text, 0, 0), Tone::kDim, style_) + "\n";
  }

  const Comparison& c_;
  const TextStyle& style_;
};

}  // namespace

std::string render_text(const Comparison& comparison, const TextStyle& style, const std::string& ranges) {
  return ComparisonText(comparison, style).render(ranges);
}

}  // namespace stallcast
