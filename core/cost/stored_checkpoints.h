// How long checkpoints are stored, in all.
#pragma once

#include "core/units/quantity.h"

namespace stallcast {

// Checkpoints written at even intervals, of which the last `kept` stay.
struct StoredCheckpoints {
  double written = 0.0;
  double kept = 1.0;     // 1 to written
  Seconds written_over;  // the last one at its end
  Seconds retention;     // of those that are kept, after that
  Seconds minimum;       // each is paid for at least this long
};

// Sum over all checkpoints of the time that each is paid for: times the size of one, the byte-seconds.
// **Model** with N written every T / N, K kept: N - K live max(K * T / N, minimum); the i-th from last, i = 0 .. K - 1,
// lives max(i * T / N + retention, minimum).
// **Checked by** tests/core/cost/stored_checkpoints_test.cpp
Seconds stored_time(const StoredCheckpoints& checkpoints);

}  // namespace stallcast
