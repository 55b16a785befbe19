#include "core/result/timeline_result.h"

#include "core/diagnostics/invariant.h"

namespace stallcast {

std::string_view wall_time_name(WallTime what) {
  switch (what) {
    case WallTime::kTraining:
      return "training";
    case WallTime::kPreparation:
      return "preparation";
    case WallTime::kCheckpoint:
      return "checkpoint";
    case WallTime::kBacklog:
      return "checkpoint_backlog";
    case WallTime::kRework:
      return "rework";
    case WallTime::kDetection:
      return "detection";
    case WallTime::kReplacement:
      return "replacement";
    case WallTime::kRestart:
      return "restart";
    case WallTime::kRestore:
      return "restore";
    case WallTime::kRehydration:
      return "rehydration";
    case WallTime::kMaintenance:
      return "maintenance";
    case WallTime::kCount:
      break;
  }
  invariant(false, "wall_time_name: kCount is not a part of the wall time");
  return "";
}

std::string_view wall_time_phrase(WallTime what) {
  switch (what) {
    case WallTime::kTraining:
      return "training that was kept";
    case WallTime::kPreparation:
      return "listing and staging before the first step";
    case WallTime::kCheckpoint:
      return "stopped for checkpoints";
    case WallTime::kBacklog:
      return "waiting for the checkpoint before to be written";
    case WallTime::kRework:
      return "recomputed steps";
    case WallTime::kDetection:
      return "failed and not yet noticed";
    case WallTime::kReplacement:
      return "waiting for machines";
    case WallTime::kRestart:
      return "starting or restarting processes";
    case WallTime::kRestore:
      return "reading a checkpoint back";
    case WallTime::kRehydration:
      return "copying the dataset back";
    case WallTime::kMaintenance:
      return "planned maintenance";
    case WallTime::kCount:
      break;
  }
  invariant(false, "wall_time_phrase: kCount is not a part of the wall time");
  return "";
}

// **Source** ml-goodput-measurement, src/goodput_utils.py: GoodputType, BadputType
std::string_view goodput_bucket(WallTime what) {
  switch (what) {
    case WallTime::kTraining:
      return "TOTAL";
    case WallTime::kPreparation:
      return "TRAINING_PREP";
    case WallTime::kCheckpoint:
    case WallTime::kBacklog:
      return "UNPRODUCTIVE_CHECKPOINT_SAVE_TIME";
    case WallTime::kRework:
      return "WASTED_PROGRESS_FROM_DISRUPTION";
    case WallTime::kDetection:
    case WallTime::kReplacement:
    case WallTime::kMaintenance:
      return "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION";
    case WallTime::kRestart:
      return "PROGRAM_STARTUP";
    case WallTime::kRestore:
      return "UNPRODUCTIVE_CHECKPOINT_RESTORE_TIME";
    case WallTime::kRehydration:
      return "CUSTOM_BADPUT_EVENTS";
    case WallTime::kCount:
      break;
  }
  invariant(false, "goodput_bucket: kCount is not a part of the wall time");
  return "";
}

std::string_view interruption_name(Interruption kind) {
  switch (kind) {
    case Interruption::kFailure:
      return "failure";
    case Interruption::kOutage:
      return "outage";
    case Interruption::kDataLoss:
      return "data_loss";
    case Interruption::kPreemption:
      return "preemption";
    case Interruption::kMaintenance:
      return "maintenance";
    case Interruption::kCount:
      break;
  }
  invariant(false, "interruption_name: kCount is not a kind");
  return "";
}

}  // namespace stallcast
