// The part of a run that its checkpoints and interruptions do not change: a bound that many cadences share.
#pragma once

#include <optional>

#include "core/scenario/scenario.h"

namespace stallcast {

// The same job without checkpoints, failures and data loss. Nothing where it has none of them, where its length is not
// known, or where inputs are uncertain.
std::optional<Scenario> undisturbed_part(const Scenario& scenario);

}  // namespace stallcast
