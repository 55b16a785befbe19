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

std::vector<std::string> names_without(const auto& things, const std::string& name) {
  std::vector<std::string> names = names_of(things);
  std::erase(names, name);
  return names;
}

TEST_P(EveryCall, MayFail) { fail_every_call(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, EveryCall,
                         testing::Combine(testing::ValuesIn(names_of(subjects())),
                                          testing::Values("disk_full", "killed", "terminated"), testing::Values(false)),
                         name_of);
// A probe leaves out what it cannot read and says how much that was, whatever the reason.
INSTANTIATE_TEST_SUITE_P(Broken, EveryCall,
                         testing::Combine(testing::ValuesIn(names_without(subjects(), "probe")),
                                          testing::Values("device_error"), testing::Values(false)),
                         name_of);
// Faults that are dealt with in one place, for commands that have a way of their own to write or to read.
INSTANTIATE_TEST_SUITE_P(Each, EveryCall,
                         testing::Combine(testing::Values("journal", "sweep", "report_md", "calibrate"),
                                          testing::Values("read_only", "no_descriptors", "no_memory", "not_allowed",
                                                          "interrupted", "short_counts"),
                                          testing::Values(false)),
                         name_of);
// Prices are put into the records that are there, which are read first: what is none is refused.
INSTANTIATE_TEST_SUITE_P(Over, EveryCall,
                         testing::Combine(testing::ValuesIn(names_without(subjects(), "prices")),
                                          testing::Values("disk_full", "killed"), testing::Values(true)),
                         name_of);

}  // namespace
}  // namespace stallcast::faults
