#include "core/report/words/input_spread_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/report/words/text_layout.h"
#include "core/scenario/fields/uncertain_input.h"

namespace stallcast {
namespace {

// "storage.read_bandwidth (71 %)": of utilization or, where that does not vary, of throughput; "" if nothing varies.
std::string largest_source(const InputSpread& spread) {
  for (const auto share : {&InputShare::utilization_share, &InputShare::throughput_share}) {
    const auto most =
        std::max_element(spread.inputs.begin(), spread.inputs.end(),
                         [share](const InputShare& a, const InputShare& b) { return a.*share < b.*share; });
    if (most != spread.inputs.end() && (*most).*share > 0.0)
      return fmt::format("{} ({:.0f} %)", dotted_name(most->pointer), 100.0 * (*most).*share);
  }
  return "";
}

}  // namespace

std::string input_spread_lines(const RunResult& result) {
  const InputSpread& spread = result.inputs;
  if (spread.draws_wanted == 0) return "";
  const auto drawn = static_cast<std::int64_t>(spread.drawn.size());
  if (drawn == 0) return labelled("", "from simulation noise only: stopped before the uncertain inputs were sampled");
  const std::string source = largest_source(spread);
  std::string text = spread.inputs.size() == 1 ? fmt::format("with {} uncertain", dotted_name(spread.inputs[0].pointer))
                                               : fmt::format("with {} uncertain inputs", spread.inputs.size());
  if (spread.inputs.size() > 1 && !source.empty()) text += ", most from " + source;
  if (drawn < spread.draws_wanted) text += fmt::format(", only {} of {} samples", drawn, spread.draws_wanted);
  const Estimate& simulation = spread.simulation.gpu_utilization;
  const bool known = simulation.ci95_low > 0.0 || simulation.ci95_high < 1.0;
  if (known) {
    text += fmt::format("; {:.1f} to {:.1f} % from simulation noise only", 100.0 * simulation.ci95_low,
                        100.0 * simulation.ci95_high);
  }
  return labelled("", text);
}

}  // namespace stallcast
