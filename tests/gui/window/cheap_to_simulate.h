// Makes an edited scenario one that simulates in a moment, however slow the machine and the build.
#pragma once

#include <array>
#include <string>

#include "core/scenario/fields/field_value.h"
#include "gui/session/document.h"

namespace stallcast::gui {

// The most that a field may say. With 50 steps of at most 4 ranks and 8 samples each, no more than some ten thousand
// reads are simulated.
struct Most {
  const char* pointer;
  double value;
};
inline constexpr std::array kMost{
    Most{"/cluster/nodes", 2},
    Most{"/cluster/gpus_per_node", 2},
    Most{"/workload/batch_size", 8},
    Most{"/workload/gradient_accumulation", 2},
    Most{"/workload/validation_steps", 10},
    Most{"/dataset/samples", 2000},
    Most{"/dataset/samples_per_shard", 50},
    Most{"/dataset/shards_per_rank", 50},
    Most{"/dataset/shuffle_buffer", 100},
    Most{"/loader/num_workers", 4},
    Most{"/loader/prefetch_factor", 4},
    Most{"/loader/read_ahead", 100},
    Most{"/loader/interleave", 8},
    Most{"/model/tensor_parallel", 1},
    Most{"/model/pipeline_parallel", 1},
    Most{"/serving/streams", 8},
    Most{"/run/epochs", 2},
    Most{"/run/steps_per_epoch", 50},
    Most{"/run/max_steps", 50},
    Most{"/run/replications", 2},
    // A run of 2000 samples that take weeks each is interrupted some thousand times.
    Most{"/failures/per_1000_node_days", 10},
    // Off: these make events by the ratio of one time (or size) to another, which edits at random make anything.
    Most{"/cluster/core_sharing", 0},  // processor_sharing: no turns
    Most{"/storage/service_quantum", 0},
    Most{"/origin/service_quantum", 0},
    Most{"/storage/retry_base", 0},
    Most{"/origin/retry_base", 0},
    Most{"/dataset/request_size", 0},
    Most{"/serving/request_size", 0},
    Most{"/storage/mean_time_to_data_loss", 0},
    Most{"/failures/mtti", 0},
    Most{"/failures/outage_mtti", 0},
    Most{"/failures/preemption_mtti", 0},
    Most{"/failures/maintenance_interval", 0},
};

// Edits every field that says more than kMost.
inline void makeCheap(Document& document) {
  for (const Most& most : kMost) {
    const Field& field = *find_field(most.pointer);
    const FieldValue value = document.value(field);
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      const auto limit = static_cast<std::int64_t>(most.value);
      if (*whole > limit) document.setValue(most.pointer, value_text(field, limit));
    } else if (std::get<double>(value) > most.value) {
      document.setValue(most.pointer, value_text(field, most.value));
    }
  }
}

}  // namespace stallcast::gui
