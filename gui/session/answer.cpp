#include "gui/session/answer.h"

namespace stallcast::gui {

double Answer::gpuUtilization() const {
  return evaluation ? evaluation->result.gpu_utilization.mean : estimated_utilization;
}

}  // namespace stallcast::gui
