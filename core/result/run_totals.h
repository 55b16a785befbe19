// What a whole run takes, start to end: the quantities that a bill multiplies with prices.
#pragma once

namespace stallcast {

// Sums over all nodes and ranks for the complete run of the scenario: simulated where it was simulated, extrapolated
// from the steady part of each regime (first epoch, later epochs) where it was not. All 0 when the length of the run is
// not given (no dataset.samples and no run.steps_per_epoch).
struct RunTotals {
  double listing_s = 0.0;      // before the first step: names of the dataset listed
  double staging_s = 0.0;      // before the first step: bulk copy from the origin
  double training_s = 0.0;     // first iter() to the last step, checkpoints included, less the two below
  double rework_s = 0.0;       // steps that were lost and done again
  double recovery_s = 0.0;     // machines are there and paid for, and nothing is trained: detection to restore,
                               // outages, maintenance
  double unpaid_s = 0.0;       // no machines: waiting for spot capacity
  double spare_node_s = 0.0;   // node-seconds of spares
  double useful_gpu_s = 0.0;   // GPU-seconds of training compute, all ranks
  double lost_gpu_s = 0.0;     // GPU-seconds of training_s that were not
  double samples = 0.0;        // trained
  double read_bytes = 0.0;     // served by `storage` (caches not counted)
  double written_bytes = 0.0;  // checkpoints and fills written to `storage`
  double read_requests = 0.0;  // requests that `storage` answered, by class
  double write_requests = 0.0;
  double list_requests = 0.0;
  double refused_requests = 0.0;   // throttled and tried again
  double origin_read_bytes = 0.0;  // read from `origin` by staging or lazy loading
  double origin_read_requests = 0.0;
  double origin_list_requests = 0.0;
  double regional_read_bytes = 0.0;    // served by the regional cache
  double regional_ingest_bytes = 0.0;  // put into it
  double regional_read_requests = 0.0;
  double checkpoints = 0.0;       // written to storage
  double checkpoint_bytes = 0.0;  // of one checkpoint, all writers
};

}  // namespace stallcast
