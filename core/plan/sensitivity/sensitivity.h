// What a result depends on: each uncertain input turned by itself, and all of them together.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/plan/evaluate/kpi.h"
#include "core/plan/pairs/paired_evaluations.h"
#include "core/plan/sensitivity/sobol_indices.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/steps/run_options.h"

namespace stallcast {

// Values of the figures asked for at factors of the inputs. Shapes [input] -> [figure]; what is not known is not
// finite. Called from several threads.
using FiguresAt = std::function<std::vector<double>(const std::vector<double>& factors)>;

struct SensitivityOptions {
  RunOptions run;
  std::vector<const Kpi*> figures;  // at least one
  bool indices = true;              // false: the tornado alone, without Sobol's design
  std::int64_t samples = 0;         // of Sobol's design; 0 = default_samples()
  std::function<void(std::int64_t done, std::int64_t wanted)> counted;
};

// The largest power of two from 16 to 128 with which samples * (inputs + 2) runs are at most 400.
std::int64_t default_samples(std::size_t inputs);

// One input at the ends of its interval, the others as given. Shapes [figure].
struct TornadoBar {
  UncertainInput input;
  std::optional<double> value;  // as given, in base units; nothing where it is several numbers
  std::vector<double> at_low, at_high;
  std::size_t position = 0;  // among the inputs
};

// By the first figure.
void sort_widest_first(std::vector<TornadoBar>& tornado);

struct Sensitivity {
  std::vector<UncertainInput> inputs;
  std::vector<double> as_given;     // [figure]
  std::vector<TornadoBar> tornado;  // widest in the first figure first
  std::int64_t samples = 0;         // 0: no indices were asked for
  // [figure][input]; nothing where the figure does not vary, or is not known somewhere
  std::vector<std::optional<std::vector<SobolIndex>>> indices;
  std::int64_t runs = 0;
  bool complete = true;  // false when stopped; indices are then missing
};

// **Model** The law of an input is factor_at() in run/uncertainty.h: its interval holds 90 %. Every run has the same
//   seed, so that what differs is the inputs.
// **Cost** 1 + 2 inputs calls, and samples * (inputs + 2) for the indices
// **Checked by** tests/core/plan/sensitivity_test.cpp
Sensitivity analyse(const std::vector<UncertainInput>& inputs, const FiguresAt& figures_at,
                    const SensitivityOptions& options);

// The means of `figures` of the job of `pairs` with each of `inputs` at its factor, shape [figure]; not finite where
// not known. Factors that make no possible job are moved towards 1 until they do. Safe from several threads.
std::vector<double> figures_with(PairedEvaluations& pairs, const std::vector<UncertainInput>& inputs,
                                 const std::vector<double>& factors, const std::vector<const Kpi*>& figures);

// What draws of inputs are set beside: the answer of the scenario with its inputs as given, and coarse runs.
PairedEvaluations pairs_for_draws(const ResolvedScenario& resolved, const RunOptions& seeded);

// The same for a scenario, by pairs_for_draws(); `runs` are those that were simulated.
// **Range** one training job; at least one input.
// **Errors** as simulate(). Same scenario and seed: the same, whatever the threads.
Sensitivity analyse(const ResolvedScenario& resolved, const std::vector<UncertainInput>& inputs,
                    const SensitivityOptions& options);

}  // namespace stallcast
