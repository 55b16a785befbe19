// The checkpoints of a DLIO workload file.
#pragma once

#include "core/import/dlio_file.h"

namespace stallcast::dlio {

// **Model** A transformer goes to /model as the file describes it, all ranks writing; its data parallelism is what the
// ranks there are come to. Where they hold no whole replica, as in mode subset, each writes the mean of the first ranks
// of a whole job. Without a transformer: the bytes that the file gives, by rank 0 or each of all ranks.
// After cluster and length of the run. **Errors** findings: element types that no checkpoint has.
void training_checkpoints(WorkloadFile& in, Draft& draft);

// No training: a checkpoint, a wait, the next. A step is the wait; it loads next to nothing.
void checkpoints_only(WorkloadFile& in, Draft& draft);

}  // namespace stallcast::dlio
