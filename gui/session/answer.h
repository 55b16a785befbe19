// What is known of the scenario as it stands: an estimate at once, the simulated value as soon as there is one.
#pragma once

#include <QMetaType>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/plan/evaluate/evaluation.h"
#include "core/run/input_ranges.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast::gui {

enum class AnswerStage {
  kEstimate,  // the bound, and what follows from it; no simulation yet
  kCoarse,    // simulated to a point of GPU utilization, with inputs as given
  kFinal,     // as `stallcast simulate` says of the same scenario
};

// Immutable and cheap to copy.
struct Answer {
  std::uint64_t revision = 0;  // of the document that it is about
  AnswerStage stage = AnswerStage::kEstimate;
  std::shared_ptr<const ScenarioFile> file;  // what was given
  std::shared_ptr<const ResolvedScenario> resolved;
  Bound bound;
  double estimated_utilization = 0.0;  // the bound times what simulated answers had of theirs lately
  std::shared_ptr<const Evaluation>
      evaluation;  // null at the first stage; of several jobs, the first beside the others
  std::shared_ptr<const nlohmann::ordered_json> document;  // at the last stage: what --format json prints; some time
                                                           // after it with ranges, of several jobs and of loads

  // Some time after the last stage, of one training job: how far inputs that nobody gave leave the answer open.
  std::shared_ptr<const InputRanges> ranges;

  // Simulated where it is, else estimated.
  double gpuUtilization() const;
};

// How far the simulation under way is.
struct LiveProgress {
  bool running = false;
  AnswerStage stage = AnswerStage::kCoarse;  // that it works for
  double fraction = 0.0;                     // 0..1, of the time, roughly
  Estimate gpu_utilization;                  // so far; half-width 1 while unknown
};

}  // namespace stallcast::gui

Q_DECLARE_METATYPE(stallcast::gui::Answer)
