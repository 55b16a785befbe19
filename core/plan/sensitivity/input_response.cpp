#include "core/plan/sensitivity/input_response.h"

#include <cmath>

#include "core/run/simulate_once.h"

namespace stallcast {

InputResponse::InputResponse(const ResolvedScenario& resolved, std::uint64_t seed, const RunOptions& options)
    : given_(with_inputs_as_given(resolved)),
      coarse_(coarse_run(given_.scenario, simulate_once(given_.scenario, seed, options, nullptr), options)),
      runs_(seed, coarse_.options) {}

std::vector<double> InputResponse::at(const std::vector<UncertainInput>& inputs, const std::vector<double>& factors,
                                      const std::vector<const Kpi*>& figures) {
  ResolvedScenario drawn = given_;
  std::vector<double> possible = factors;
  drawn.scenario = drawn_scenario(coarse_.scenario, inputs, possible);
  const Evaluation evaluation = runs_.evaluate(drawn);
  std::vector<double> out;
  for (const Kpi* kpi : figures) {
    const std::optional<Estimate> value = kpi->of(evaluation);
    out.push_back(value ? value->mean : std::nan(""));
  }
  return out;
}

}  // namespace stallcast
