#include "core/engine/flow_network.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "core/engine/random_stream.h"

namespace stallcast {
namespace {

constexpr double kBig = 1e12;  // an amount that does not end during a test

Process move(Simulator& sim, FlowNetwork& network, FlowNetwork::ClassId cls, double amount, SimTime start = 0,
             SimTime* end = nullptr) {
  if (start > 0) co_await sim.delay(start);
  co_await network.transfer(cls, amount);
  if (end) *end = sim.now();
}

class FlowNetworkShapes : public testing::TestWithParam<FlowNetwork::Solver> {
 protected:
  FlowNetwork::ClassId add(std::vector<FlowNetwork::LinkId> path, double cap = FlowNetwork::kUnlimited) {
    return network.add_class(path, cap);
  }
  void start(FlowNetwork::ClassId cls, int flows, double amount = kBig) {
    for (int i = 0; i < flows; ++i) sim.spawn(move(sim, network, cls, amount));
  }
  Simulator sim;
  FlowNetwork network{sim, GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Solvers, FlowNetworkShapes,
                         testing::Values(FlowNetwork::Solver::kByShape, FlowNetwork::Solver::kProgressiveFilling),
                         [](const auto& param) {
                           return param.param == FlowNetwork::Solver::kByShape ? "ByShape" : "ProgressiveFilling";
                         });

TEST_P(FlowNetworkShapes, OneFlowTakesTheWholeLink) {
  // 50 units at 100 units/s take 0.5 s.
  const auto cls = add({network.add_link(100.0)});
  SimTime end = 0;
  sim.spawn(move(sim, network, cls, 50.0, 0, &end));
  sim.run();
  EXPECT_EQ(end, 500'000'000);
  EXPECT_EQ(network.flows(cls), 0);
}

TEST_P(FlowNetworkShapes, TwoClassesShareALinkByFlows) {
  // One flow of a, three of b on 100 units/s: every flow gets 25.
  const auto link = network.add_link(100.0);
  const auto a = add({link}), b = add({link});
  start(a, 1);
  start(b, 3);
  sim.run(1'000'000'000);
  EXPECT_NEAR(network.rate(a), 25.0, 1e-9);
  EXPECT_NEAR(network.rate(b), 25.0, 1e-9);
  EXPECT_EQ(network.bottleneck(a), link);
  EXPECT_EQ(network.bottleneck(b), link);
  EXPECT_NEAR(network.moved(link), 100.0, 1e-6);
}

TEST_P(FlowNetworkShapes, ALateFlowHalvesTheRateOfTheFirst) {
  // Link 10 units/s. Flow 1 (20 units) alone for 1 s: 10 done. Flow 2 (5 units) joins: 5 units/s each, so it ends at
  // 1 + 5/5 = 2 s; flow 1 has 5 left, alone again at 10 units/s: ends at 2.5 s.
  const auto link = network.add_link(10.0);
  const auto a = add({link}), b = add({link});
  SimTime end_a = 0, end_b = 0;
  sim.spawn(move(sim, network, a, 20.0, 0, &end_a));
  sim.spawn(move(sim, network, b, 5.0, 1'000'000'000, &end_b));
  sim.run();
  EXPECT_EQ(end_b, 2'000'000'000);
  EXPECT_EQ(end_a, 2'500'000'000);
  EXPECT_NEAR(network.moved(link), 25.0, 1e-6);
}

TEST_P(FlowNetworkShapes, NestedCapsBindOneAfterTheOther) {
  // Tier 100. Client a: link 30 with 6 flows of cap 8: 30/6 = 5 < 8, so its own link binds at 5.
  // Client b: link 60 with 2 flows of cap 4: 60/2 = 30 > 4, so the cap binds at 4: 8 units/s.
  // Client c: link 200, 10 flows without a cap: the tier leaves 100 - 30 - 8 = 62, 62/10 = 6.2 < 200/10: the tier
  // binds.
  const auto tier = network.add_link(100.0), la = network.add_link(30.0), lb = network.add_link(60.0),
             lc = network.add_link(200.0);
  const auto a = add({tier, la}, 8.0), b = add({tier, lb}, 4.0), c = add({tier, lc});
  start(a, 6);
  start(b, 2);
  start(c, 10);
  sim.run(1'000'000'000);
  EXPECT_NEAR(network.rate(a), 5.0, 1e-9);
  EXPECT_NEAR(network.rate(b), 4.0, 1e-9);
  EXPECT_NEAR(network.rate(c), 6.2, 1e-9);
  EXPECT_EQ(network.bottleneck(a), la);
  EXPECT_EQ(network.bottleneck(b), FlowNetwork::kOwnCap);
  EXPECT_EQ(network.bottleneck(c), tier);
  EXPECT_NEAR(network.moved(tier), 100.0, 1e-6);
  EXPECT_NEAR(network.moved(la), 30.0, 1e-6);
}

TEST_P(FlowNetworkShapes, CapsOfAStreamBindUntilTheTierIsFull) {
  // Cap 10 on a tier of 100. 10 flows: all at the cap. The 20 of a second class then halve it: 100/30.
  const auto tier = network.add_link(100.0);
  const auto a = add({tier}, 10.0), b = add({tier}, 10.0);
  start(a, 10);
  sim.run(1'000'000'000);
  EXPECT_NEAR(network.rate(a), 10.0, 1e-9);
  EXPECT_EQ(network.bottleneck(a), FlowNetwork::kOwnCap);
  start(b, 20);
  sim.run(2'000'000'000);
  EXPECT_NEAR(network.rate(a), 100.0 / 30.0, 1e-9);
  EXPECT_NEAR(network.rate(b), 100.0 / 30.0, 1e-9);
  EXPECT_EQ(network.bottleneck(a), tier);
}

TEST_P(FlowNetworkShapes, ParkingLotOfThreeLinks) {
  // Links 10, 20, 30; one long flow over all, one short flow on each. Link 1 is the tightest: 10/2 = 5 each.
  // Then link 2 has 20 - 5 = 15 for its short flow, link 3 has 25.
  const auto l1 = network.add_link(10.0), l2 = network.add_link(20.0), l3 = network.add_link(30.0);
  const auto all = add({l1, l2, l3}), s1 = add({l1}), s2 = add({l2}), s3 = add({l3});
  for (auto cls : {all, s1, s2, s3}) start(cls, 1);
  sim.run(1'000'000'000);
  EXPECT_NEAR(network.rate(all), 5.0, 1e-9);
  EXPECT_NEAR(network.rate(s1), 5.0, 1e-9);
  EXPECT_NEAR(network.rate(s2), 15.0, 1e-9);
  EXPECT_NEAR(network.rate(s3), 25.0, 1e-9);
  EXPECT_EQ(network.bottleneck(all), l1);
  EXPECT_EQ(network.bottleneck(s2), l2);
  EXPECT_EQ(network.bottleneck(s3), l3);
}

TEST_P(FlowNetworkShapes, ACapAloneNeedsNoLink) {
  // 4 units/s per flow whatever their number: 8 units take 2 s.
  const auto cls = add({network.add_link(FlowNetwork::kUnlimited)}, 4.0);
  SimTime end = 0;
  start(cls, 5);
  sim.spawn(move(sim, network, cls, 8.0, 0, &end));
  sim.run(3'000'000'000);
  EXPECT_EQ(end, 2'000'000'000);
  EXPECT_EQ(network.bottleneck(cls), FlowNetwork::kOwnCap);
}

TEST_P(FlowNetworkShapes, NothingToMoveTakesNoTime) {
  const auto cls = add({network.add_link(1.0)});
  SimTime end = 7;
  sim.spawn(move(sim, network, cls, 0.0, 0, &end));
  sim.run();
  EXPECT_EQ(end, 0);
}

TEST_P(FlowNetworkShapes, EqualFlowsEndTogetherInOrderOfStart) {
  // 64 flows of 1 unit over 8 classes on 64 units/s: all end at 1 s, first started first.
  const auto link = network.add_link(64.0);
  std::vector<FlowNetwork::ClassId> classes;
  for (int c = 0; c < 8; ++c) classes.push_back(add({link, network.add_link(64.0)}));
  std::vector<int> order;
  const auto one = [](Simulator& s, FlowNetwork& net, FlowNetwork::ClassId cls, std::vector<int>& out,
                      int id) -> Process {
    co_await net.transfer(cls, 1.0);
    EXPECT_EQ(s.now(), 1'000'000'000);
    out.push_back(id);
  };
  for (int i = 0; i < 64; ++i) sim.spawn(one(sim, network, classes[static_cast<std::size_t>(i) % 8], order, i));
  sim.run();
  std::vector<int> expected(64);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(sim.now(), 1'000'000'000);
  if (GetParam() == FlowNetwork::Solver::kByShape) {
    EXPECT_EQ(order, expected);
  } else {
    EXPECT_EQ(order.size(), 64u);
  }
}

TEST_P(FlowNetworkShapes, ALongBusyClassStaysExact) {
  // Never idle: two flows of 1 unit at a time, the second started halfway through the first. Link 2 units/s: each gets
  // 1 unit/s, so the n-th flow of a chain ends after n seconds exactly, a million units later as well.
  const auto cls = add({network.add_link(2.0)});
  const auto chain = [](Simulator& s, FlowNetwork& net, FlowNetwork::ClassId c, SimTime start,
                        std::int64_t n) -> Process {
    co_await s.delay(start);
    for (std::int64_t i = 1; i <= n; ++i) {
      co_await net.transfer(c, 1.0);
      if (s.now() != start + i * 1'000'000'000) {
        ADD_FAILURE() << "flow " << i << " ended at " << s.now();
        co_return;
      }
    }
  };
  network.simulator().spawn(chain(sim, network, cls, 0, 1'100'000));
  network.simulator().spawn(chain(sim, network, cls, 0, 1'100'000));
  sim.run();
}

// Random stars and random graphs. Sources start flows of random sizes for ever; at random times the rates are held to
// what max-min fairness asks.
struct RandomCase {
  std::vector<double> capacity;
  struct Cls {
    std::vector<FlowNetwork::LinkId> path;
    double cap;
  };
  std::vector<Cls> classes;
};

RandomCase random_star(RandomStream& draw) {
  RandomCase out;
  out.capacity.push_back(50.0 + 100.0 * draw.uniform());
  const auto n = static_cast<std::size_t>(1 + 12 * draw.uniform());
  for (std::size_t c = 0; c < n; ++c) {
    RandomCase::Cls cls{{0},
                        draw.uniform() < 0.5   ? FlowNetwork::kUnlimited
                        : draw.uniform() < 0.5 ? 3.0
                                               : 1.0 + 20.0 * draw.uniform()};
    if (draw.uniform() < 0.7) {
      cls.path.push_back(static_cast<FlowNetwork::LinkId>(out.capacity.size()));
      out.capacity.push_back(draw.uniform() < 0.5 ? 20.0 : 5.0 + 60.0 * draw.uniform());
    }
    out.classes.push_back(cls);
  }
  return out;
}

RandomCase random_graph(RandomStream& draw) {
  RandomCase out;
  const auto links = static_cast<std::size_t>(2 + 6 * draw.uniform());
  for (std::size_t l = 0; l < links; ++l) out.capacity.push_back(10.0 + 90.0 * draw.uniform());
  const auto n = static_cast<std::size_t>(2 + 8 * draw.uniform());
  for (std::size_t c = 0; c < n; ++c) {
    RandomCase::Cls cls{{}, draw.uniform() < 0.5 ? FlowNetwork::kUnlimited : 1.0 + 20.0 * draw.uniform()};
    for (std::size_t l = 0; l < links; ++l)
      if (draw.uniform() < 0.4) cls.path.push_back(static_cast<FlowNetwork::LinkId>(l));
    if (cls.path.empty()) cls.path.push_back(0);
    out.classes.push_back(cls);
  }
  return out;
}

struct Built {
  Simulator sim;
  FlowNetwork network;
  Built(const RandomCase& c, FlowNetwork::Solver solver) : network(sim, solver) {
    for (double capacity : c.capacity) network.add_link(capacity);
    for (const auto& cls : c.classes) network.add_class(cls.path, cls.cap);
  }
};

// Starts flows of class `cls` at random moments; the n-th moves amount n, drawn by number.
Process source(Simulator& sim, FlowNetwork& network, FlowNetwork::ClassId cls, std::uint64_t seed, double& finished) {
  const RandomStream draw(seed, DrawPurpose::kTest, 1000 + cls);
  for (std::uint64_t i = 0; i < 60; ++i) {
    co_await sim.delay(to_ns(2.0 * draw.uniform_at(3 * i) * draw.uniform_at(3 * i)));
    sim.spawn([](Simulator& s, FlowNetwork& net, FlowNetwork::ClassId c, double amount, double& done) -> Process {
      (void)s;
      co_await net.transfer(c, amount);
      done += amount;
    }(sim, network, cls, -10.0 * std::log(draw.uniform_at(3 * i + 1)), finished));
  }
}

// Max-min fair: no link is over its capacity, and each class is at its cap or crosses a full link on which no class has
// a larger rate (Bertsekas & Gallager 6.5.2: a bottleneck link for each session).
void expect_max_min(const RandomCase& c, const FlowNetwork& network) {
  struct Use {
    double total = 0.0, largest_rate = 0.0;
  };
  std::vector<Use> use(c.capacity.size());
  for (FlowNetwork::ClassId k = 0; k < c.classes.size(); ++k)
    for (auto link : c.classes[k].path) {
      use[link].total += network.rate(k) * static_cast<double>(network.flows(k));
      if (network.flows(k) > 0) use[link].largest_rate = std::max(use[link].largest_rate, network.rate(k));
    }
  for (std::size_t l = 0; l < use.size(); ++l) EXPECT_LE(use[l].total, c.capacity[l] * (1 + 1e-9)) << "link " << l;
  for (FlowNetwork::ClassId k = 0; k < c.classes.size(); ++k) {
    if (network.flows(k) == 0) continue;
    const auto link = network.bottleneck(k);
    if (link == FlowNetwork::kOwnCap) {
      EXPECT_NEAR(network.rate(k), c.classes[k].cap, 1e-9 * c.classes[k].cap) << "class " << k;
    } else {
      EXPECT_NEAR(use[link].total, c.capacity[link], 1e-9 * c.capacity[link]) << "class " << k << " link " << link;
      EXPECT_NEAR(network.rate(k), use[link].largest_rate, 1e-9 * use[link].largest_rate) << "class " << k;
    }
  }
}

TEST(FlowNetworkProperty, RatesAreMaxMinFairOnRandomGraphs) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream draw(seed, DrawPurpose::kTest, 0);
    const RandomCase c = seed % 2 == 0 ? random_graph(draw) : random_star(draw);
    Built built(c, FlowNetwork::Solver::kByShape);
    std::vector<double> finished(c.classes.size(), 0.0);
    for (FlowNetwork::ClassId k = 0; k < c.classes.size(); ++k)
      built.sim.spawn(source(built.sim, built.network, k, seed, finished[k]));
    for (SimTime t = 0; t < 40; ++t) {
      built.sim.run(t * 1'370'000'000);
      expect_max_min(c, built.network);
      if (HasFailure()) FAIL() << "seed " << seed << " at " << t;
    }
    built.sim.run();
    // Every byte that was asked for moved over every link of its path, and no other.
    for (FlowNetwork::LinkId l = 0; l < c.capacity.size(); ++l) {
      double expected = 0.0;
      for (std::size_t k = 0; k < c.classes.size(); ++k)
        for (auto link : c.classes[k].path)
          if (link == l) expected += finished[k];
      EXPECT_NEAR(built.network.moved(l), expected, 1e-5) << "seed " << seed << " link " << l;
    }
  }
}

TEST(FlowNetworkProperty, StarsGiveTheRatesOfProgressiveFilling) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    RandomStream draw(seed, DrawPurpose::kTest, 1);
    const RandomCase c = random_star(draw);
    Built fast(c, FlowNetwork::Solver::kByShape), reference(c, FlowNetwork::Solver::kProgressiveFilling);
    std::vector<double> done_fast(c.classes.size(), 0.0), done_reference(c.classes.size(), 0.0);
    for (FlowNetwork::ClassId k = 0; k < c.classes.size(); ++k) {
      fast.sim.spawn(source(fast.sim, fast.network, k, seed, done_fast[k]));
      reference.sim.spawn(source(reference.sim, reference.network, k, seed, done_reference[k]));
    }
    for (SimTime t = 1; t < 200; ++t) {
      fast.sim.run(t * 311'000'001);
      reference.sim.run(t * 311'000'001);
      for (FlowNetwork::ClassId k = 0; k < c.classes.size(); ++k) {
        ASSERT_EQ(fast.network.flows(k), reference.network.flows(k))
            << "seed " << seed << " class " << k << " at " << t;
        ASSERT_NEAR(fast.network.rate(k), reference.network.rate(k), 1e-9 * reference.network.rate(k))
            << "seed " << seed << " class " << k << " at " << t;
      }
    }
    fast.sim.run();
    reference.sim.run();
    EXPECT_LE(std::abs(fast.sim.now() - reference.sim.now()), 100) << "seed " << seed;
  }
}

}  // namespace
}  // namespace stallcast
