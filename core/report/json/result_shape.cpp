#include "core/report/json/result_shape.h"

#include <string>

#include "core/report/json/result_document.h"
#include "core/result/run_result.h"

namespace stallcast {
namespace {

constexpr Estimate kSomething{1.0, 1.0, 1.0};

// Enough of each for its JSON not to be null.
TimelineResult timeline() {
  TimelineResult out;
  out.replications = 1;
  out.mean.wall_s = 2.0;
  out.mean.time_s[static_cast<std::size_t>(WallTime::kTraining)] = 1.0;
  out.mean.checkpoints = 1.0;
  out.checkpoint.interval_s = 1.0;
  out.optimum.interval_s = 1.0;
  return out;
}

InputSpread inputs() {
  InputSpread out;
  out.draws_wanted = 1;
  out.samples_per_s = out.time_to_train_s = out.goodput_fraction = kSomething;
  return out;
}

CostBreakdown bill() {
  CostBreakdown out;
  for (std::size_t i = 0; i < static_cast<std::size_t>(LostTime::kCount); ++i)
    out.lost.push_back({std::string(lost_time_name(static_cast<LostTime>(i))), "", {}});
  for (const char* cause : {"staging", "listing", "rework", "recovery", "spares", "reserved"})
    out.lost.push_back({cause, "", {}});
  out.total_interval = out.price_interval = kSomething;
  return out;
}

}  // namespace

nlohmann::ordered_json result_shape() {
  RunResult run;
  run.timeline = timeline();
  run.staging.method = "bulk";
  run.totals.training_s = 1.0;
  run.inputs = inputs();
  return result_document(run, {}, bill(), nlohmann::ordered_json::object(), nlohmann::ordered_json::object());
}

}  // namespace stallcast
