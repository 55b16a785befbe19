#include "core/report/words/option_draws_text.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "core/cost/money/money.h"
#include "core/report/words/text_layout.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kShown{Figure::kUtilization, Figure::kTotal, Figure::kGpuHour, Figure::kTime};

std::string value_text(Figure figure, double value) {
  if (figure == Figure::kUtilization) return fmt::format("{:.1f} %", 100.0 * value);
  return figure == Figure::kTime ? duration_text(value) : usd_text(value);
}

// "53.2 to 89.9 % busy, $10.47 to $17.85, 1.8 to 3 min"
std::string ranges_text(const OptionDraws& draws, std::size_t option) {
  std::string out;
  for (const Figure figure : kShown) {
    if (figure == Figure::kGpuHour && draws.range(option, Figure::kTotal)) continue;
    const std::optional<Estimate> range = draws.range(option, figure);
    if (!range) continue;
    const std::string low = value_text(figure, range->ci95_low), high = value_text(figure, range->ci95_high);
    const std::string name = figure == Figure::kUtilization ? "GPU utilization "
                             : figure == Figure::kTime      ? "time to train "
                             : figure == Figure::kTotal     ? "cost "
                                                            : "a useful GPU-hour ";
    out += fmt::format("{}{}{}", out.empty() ? "" : ", ", name, low == high ? low : fmt::format("{} to {}", low, high));
  }
  return out;
}

}  // namespace

std::string compared_draws_text(const OptionDraws& draws, const std::vector<std::string>& labels, Figure by) {
  if (draws.draws() == 0) return "";
  std::string out = "With the inputs you did not give sampled from their ranges (90 %)\n";
  for (std::size_t i = 0; i < labels.size(); ++i) {
    out += fmt::format("{}  {}\n", labels[i],
                       wrapped(fmt::format("{}; the best in {} of {} samples", ranges_text(draws, i), draws.best(i, by),
                                           draws.draws()),
                               3, 3));
  }
  return out;
}

std::string chosen_draws_text(const OptionDraws& draws, const std::vector<Target>& targets, Figure by) {
  if (draws.draws() == 0) return "";
  std::string text = fmt::format("{} allowing for assumed inputs; meets the targets in {} of {} samples of them",
                                 ranges_text(draws, 0), draws.met(0, targets), draws.draws());
  if (draws.given.size() > 1) {
    text += fmt::format("; among the {} configurations listed here it is the best that does in {}", draws.given.size(),
                        draws.best(0, by, targets));
  }
  return labelled("Range", text + ".");
}

Json option_draws_json(const OptionDraws& draws, const std::vector<std::string>& labels, Figure by,
                       const std::vector<Target>& targets) {
  if (draws.draws() == 0) return nullptr;
  const auto all = static_cast<double>(draws.draws());
  Json options = Json::array();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    Json ranges = Json::object();
    for (const Figure figure : kShown) {
      const std::optional<Estimate> range = draws.range(i, figure);
      ranges[std::string(figure_name(figure))] =
          range ? Json{{"low", range->ci95_low}, {"high", range->ci95_high}} : Json();
    }
    options.push_back({{"label", labels[i]},
                       {"ranges", std::move(ranges)},
                       {"meets_targets_fraction", static_cast<double>(draws.met(i, targets)) / all},
                       {"best_fraction", static_cast<double>(draws.best(i, by, targets)) / all},
                       {"meets_targets_draws", draws.met(i, targets)},
                       {"best_draws", draws.best(i, by, targets)}});
  }
  return {{"draws", draws.draws()}, {"by", std::string(figure_name(by))}, {"options", std::move(options)}};
}

}  // namespace stallcast
