// One command and the faults that happen most, in seconds.
#include "tests/faults/every_call.h"

namespace stallcast::faults {
namespace {

TEST_P(EveryCall, MayFail) { fail_every_call(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Fast, EveryCall,
                         testing::Combine(testing::Values("simulate"),
                                          testing::Values("disk_full", "short_counts", "killed"),
                                          testing::Values(false)),
                         name_of);

}  // namespace
}  // namespace stallcast::faults
