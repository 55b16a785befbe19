// The simulations behind an answer, as functions that any thread may call.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/answers/run_answer.h"
#include "core/plan/evaluate/evaluation.h"
#include "core/run/simulate.h"

namespace stallcast::gui {

struct FinalAnswer {
  std::shared_ptr<const Evaluation> evaluation;
  std::shared_ptr<const nlohmann::ordered_json> document;
};

// Whether `resolved` is one job that trains, alone on its storage.
bool isOneTrainingJob(const ResolvedScenario& resolved);

// What `stallcast simulate` makes of `resolved`: one job that trains or loads a model, or several on one storage.
// `known` is the result of a scenario with an equal simulation_key(), if there is one: nothing is simulated then.
FinalAnswer finalAnswer(const ResolvedScenario& resolved, const RunOptions& options,
                        const std::optional<RunResult>& known);

// The same of machines that load a model, or of several jobs on one storage, with what assumed inputs leave of it open
// if `inputs` says so.
FinalAnswer loadsAnswer(const ResolvedScenario& resolved, const RunOptions& options, AssumedInputs inputs);

// To a point of GPU utilization, with inputs as given. **Range** one training job
std::shared_ptr<const Evaluation> coarseAnswer(const ResolvedScenario& resolved, const RunOptions& options);

}  // namespace stallcast::gui
