#include "core/analytic/max_flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace stallcast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// source -> a -> b -> sink with three capacities.
CapacityGraph chain(double first, double second, double third) {
  CapacityGraph network;
  const std::size_t a = network.add_vertex();
  const std::size_t b = network.add_vertex();
  network.add_edge(network.source, a, first, "first");
  network.add_edge(a, b, second, "second");
  network.add_edge(b, network.sink, third, "third");
  return network;
}

TEST(MinCut, AChainPassesWhatItsNarrowestPartPasses) {
  const MinCut cut = min_cut(chain(100.0, 30.0, 50.0));
  EXPECT_NEAR(cut.max_flow_per_s, 30.0, 1e-9);
  EXPECT_THAT(cut.binding, ElementsAre("second"));
}

TEST(MinCut, ListsEveryTiedLimit) {
  const MinCut cut = min_cut(chain(30.0, 70.0, 30.0));
  EXPECT_NEAR(cut.max_flow_per_s, 30.0, 1e-9);
  EXPECT_THAT(cut.binding, ElementsAre("first", "third"));
}

TEST(MinCut, LimitsThatDifferByRoundingAreATie) {
  EXPECT_THAT(min_cut(chain(0.3, kUnlimited, 0.1 + 0.2)).binding, ElementsAre("first", "third"));
}

TEST(MinCut, UnlimitedEdgesNeverBind) {
  const MinCut cut = min_cut(chain(kUnlimited, kUnlimited, 12.5));
  EXPECT_NEAR(cut.max_flow_per_s, 12.5, 1e-9);
  EXPECT_THAT(cut.binding, ElementsAre("third"));
}

TEST(MinCut, AnUnlimitedPathHasNoLimit) {
  const MinCut cut = min_cut(chain(kUnlimited, kUnlimited, kUnlimited));
  EXPECT_TRUE(std::isinf(cut.max_flow_per_s));
  EXPECT_THAT(cut.binding, IsEmpty());
}

TEST(MinCut, AZeroLimitStopsEverything) {
  const MinCut cut = min_cut(chain(0.0, 10.0, 10.0));
  EXPECT_EQ(cut.max_flow_per_s, 0.0);
  EXPECT_THAT(cut.binding, ElementsAre("first"));
}

TEST(MinCut, MixedScalesStayExact) {
  // A tier that could pass 1e9 samples/s in front of a job that takes 0.001: 12 orders of magnitude.
  EXPECT_NEAR(min_cut(chain(1e9, 1e6, 1e-3)).max_flow_per_s, 1e-3, 1e-6);
}

// Two unlike branches after a shared tier: tier 100; branch A 30 then 80, branch B 90 then 40.
// A passes 30 (its first edge), B 40 (its second): 70 < 100, so the cut is {A's first, B's second}.
TEST(MinCut, BranchesBindEachAtItsOwnPlace) {
  CapacityGraph network;
  const std::size_t tier = network.add_vertex();
  const std::size_t a = network.add_vertex();
  const std::size_t b = network.add_vertex();
  network.add_edge(network.source, tier, 100.0, "tier");
  network.add_edge(tier, a, 30.0, "nic_a");
  network.add_edge(a, network.sink, 80.0, "cores_a");
  network.add_edge(tier, b, 90.0, "nic_b");
  network.add_edge(b, network.sink, 40.0, "cores_b");
  const MinCut cut = min_cut(network);
  EXPECT_NEAR(cut.max_flow_per_s, 70.0, 1e-9);
  EXPECT_THAT(cut.binding, ElementsAre("nic_a", "cores_b"));
}

// The textbook diamond with a cross edge: s->a 3, s->b 2, a->b 1, a->t 2, b->t 3. Both cuts at s and at t hold 5.
TEST(MinCut, ACrossEdgeMovesFlowToTheFreerBranch) {
  CapacityGraph network;
  const std::size_t a = network.add_vertex();
  const std::size_t b = network.add_vertex();
  network.add_edge(network.source, a, 3.0, "sa");
  network.add_edge(network.source, b, 2.0, "sb");
  network.add_edge(a, b, 1.0, "ab");
  network.add_edge(a, network.sink, 2.0, "at");
  network.add_edge(b, network.sink, 3.0, "bt");
  const MinCut cut = min_cut(network);
  EXPECT_NEAR(cut.max_flow_per_s, 5.0, 1e-9);
  EXPECT_THAT(cut.binding, ElementsAre("sa", "sb", "ab", "at", "bt"));
}

TEST(MinCut, TwoThousandNodesAnswerAtOnce) {
  CapacityGraph network;
  const std::size_t tier = network.add_vertex();
  network.add_edge(network.source, tier, 1e5, "tier");
  for (int node = 0; node < 2048; ++node) {
    const std::size_t nic = network.add_vertex();
    const std::size_t cores = network.add_vertex();
    network.add_edge(tier, nic, 60.0, "nic");
    network.add_edge(nic, cores, 50.0, "cores");
    network.add_edge(cores, network.sink, 49.0, "gpu");
  }
  const MinCut cut = min_cut(network);
  EXPECT_NEAR(cut.max_flow_per_s, 1e5, 1e-3);  // 2048 * 49 = 100352 > 1e5
  EXPECT_THAT(cut.binding, ElementsAre("tier"));
}

}  // namespace
}  // namespace stallcast
