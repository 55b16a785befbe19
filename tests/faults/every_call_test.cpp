// Every command that writes files, and every fault.
#include "tests/faults/every_call.h"

#include "tests/faults/subjects.h"

namespace stallcast::faults {
namespace {

std::vector<std::string> names_of(const auto& things) {
  std::vector<std::string> names;
  for (const auto& thing : things) names.push_back(thing.name);
  return names;
}

TEST_P(EveryCall, MayFail) { fail_every_call(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, EveryCall,
                         testing::Combine(testing::ValuesIn(names_of(subjects())),
                                          testing::ValuesIn(names_of(fault_kinds())), testing::Values(false)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Over, EveryCall,
                         testing::Combine(testing::ValuesIn(names_of(subjects())),
                                          testing::Values("disk_full", "device_error", "killed"),
                                          testing::Values(true)),
                         name_of);

}  // namespace
}  // namespace stallcast::faults
