// Each call by which a command deals with the files of a folder fails once, one after the other, until there is none
// left that could fail; after each, what must hold is checked, and the command is run again without the fault, once
// from each state that faults have left.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "tests/faults/program_run.h"

namespace stallcast::faults {

// A kind of fault, on all calls that it can happen to.
struct FaultKind {
  enum class Outcome {
    kTrouble,  // exit code 3 and a message; or 0 where the call is not needed, with all that is written otherwise
    kNothing,  // exit code 0 and all that is written otherwise
    kKilled,   // the signal ends it
    kStopped,  // it ends by itself with 0 or 3
  };
  std::string name;
  Fault fault;
  Outcome outcome = Outcome::kTrouble;
};

const std::vector<FaultKind>& fault_kinds();

// The name of a subject, that of a fault, and whether there are older results in the place of the new ones.
using EveryCallParameters = std::tuple<std::string, std::string, bool>;

class EveryCall : public testing::TestWithParam<EveryCallParameters> {};

// "sweep_disk_full_over_old_results"
std::string name_of(const testing::TestParamInfo<EveryCallParameters>& info);

void fail_every_call(const EveryCallParameters& parameters);

}  // namespace stallcast::faults
