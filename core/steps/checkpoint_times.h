// What a checkpoint takes to write and to read back with nothing else going on.
#pragma once

#include "core/scenario/scenario.h"

namespace stallcast {

// Time that a checkpoint takes to write to storage with nothing else going on, and to read back by all who need it.
// **Model** the stages of checkpoint_stages.h one after the other; a part of the bytes moves in the slowest of: the
// fullest node through its client and card, the largest rank through its streams and, where that works meanwhile, its
// software, all bytes through the tier, requests (when reading, opens) through its limits; reading adds the median
// latency, the bandwidth that incast leaves (restore_efficiency), and with one_replica the broadcast at the GPUs' link
// rate. A read of striped files meets slow servers as a write does.
// **Units** seconds. 0 where nothing limits it.
double storage_write_time(const Scenario& scenario);
double storage_restore_time(const Scenario& scenario);
// To, and from, a node's NVMe or another node's memory; 0 for level storage.
double first_level_write_time(const Scenario& scenario);
double first_level_restore_time(const Scenario& scenario);

// Time that a write lasts beside training: to storage in the background, on to it from a first level, or from the page
// cache to its device. 0 where training stands still for all of it.
double write_beside_time(const Scenario& scenario);

}  // namespace stallcast
