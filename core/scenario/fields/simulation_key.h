// What makes two scenarios the same run.
#pragma once

#include <string>

#include "core/scenario/scenario.h"

namespace stallcast {

// Everything of a scenario that a run depends on, as bytes: equal keys, equal results bit for bit. Names, prices, and
// capacity beside the rates that it was turned into are not in it, so that many configurations share one run. For use
// within one process: what is in it may change from one version to the next.
std::string simulation_key(const Scenario& scenario);

}  // namespace stallcast
