// Queues built from the engine's parts against their closed forms, within the 99 % interval of 20 replications.
// Seeds are fixed: a test that passes, passes always.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "core/engine/core_pool.h"
#include "core/engine/flow_network.h"
#include "core/engine/mailbox.h"
#include "core/engine/random_stream.h"
#include "core/engine/simulator.h"

namespace stallcast {
namespace {

using Draw = std::function<double(RandomStream&)>;

constexpr int kReplications = 20;
constexpr double kT99 = 2.861;  // Student t, 19 degrees of freedom, two-sided 99 %

Draw exponential(double mean) {
  return [mean](RandomStream& draw) { return draw.exponential(mean); };
}

// Measures `once` with streams of its own 20 times; holds the mean to `expected`, and the interval to `within` of it,
// so that the test could fail.
void expect_within_99(double expected, double within, const std::function<double(std::uint64_t seed)>& once) {
  std::vector<double> x;
  for (std::uint64_t seed = 1; seed <= kReplications; ++seed) x.push_back(once(seed));
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / kReplications;
  double squares = 0.0;
  for (double v : x) squares += (v - mean) * (v - mean);
  const double half = kT99 * std::sqrt(squares / (kReplications - 1) / kReplications);
  EXPECT_NEAR(mean, expected, half);
  EXPECT_LT(half, within * expected);
}

struct Sojourns {
  std::int64_t skip = 5'000;  // the start, which is empty, does not count
  std::int64_t count = 0;
  double sum_s = 0.0;
  void add(SimTime time) {
    if (++count > skip) sum_s += to_seconds(time);
  }
  double mean() const { return sum_s / static_cast<double>(count - skip); }
};

constexpr std::int64_t kCustomers = 60'000;

// ------------------------------------------------------------------------------- first come, first served: M/G/c/k

struct Station {
  explicit Station(Simulator& sim) : waiting(sim) {}
  Mailbox<SimTime> waiting;
  Sojourns sojourns;
  std::int64_t in_system = 0, refused = 0, arrived = 0;
};

Process arrive(Simulator& sim, Station& station, double rate, std::uint64_t seed, std::int64_t places) {
  RandomStream draw(seed, DrawPurpose::kTest, 1);
  for (std::int64_t i = 0; i < kCustomers; ++i) {
    co_await sim.delay(to_ns(draw.exponential(1.0 / rate)));
    ++station.arrived;
    if (station.in_system == places) {
      ++station.refused;
      continue;
    }
    ++station.in_system;
    station.waiting.put(sim.now());
  }
}

Process serve(Simulator& sim, Station& station, const Draw& service, std::uint64_t seed, std::uint64_t server) {
  RandomStream draw(seed, DrawPurpose::kTest, 100 + server);
  for (;;) {
    const SimTime came = co_await station.waiting.get();
    co_await sim.delay(to_ns(service(draw)));
    station.sojourns.add(sim.now() - came);
    --station.in_system;
  }
}

void run_station(Simulator& sim, Station& station, double rate, const Draw& service, int servers, std::uint64_t seed,
                 std::int64_t places = INT64_MAX) {
  sim.spawn(arrive(sim, station, rate, seed, places));
  for (int s = 0; s < servers; ++s) sim.spawn(serve(sim, station, service, seed, static_cast<std::uint64_t>(s)));
  sim.run();
}

double mean_sojourn(double rate, const Draw& service, int servers, std::uint64_t seed) {
  Simulator sim;
  Station station(sim);
  run_station(sim, station, rate, service, servers, seed);
  return station.sojourns.mean();
}

// Probability that an arrival waits in M/M/c. **Source** Kleinrock, Queueing Systems vol. 1, 3.5 (Erlang C).
double erlang_c(int c, double load) {
  double term = 1.0, sum = 1.0;
  for (int k = 1; k < c; ++k) sum += term *= load / k;
  const double last = term * load / c / (1.0 - load / c);
  return last / (sum + last);
}

TEST(Queues, MM1) {
  // 1 / (mu - lambda) = 1 / (1 - 0.7).
  expect_within_99(1.0 / 0.3, 0.05, [](std::uint64_t seed) { return mean_sojourn(0.7, exponential(1.0), 1, seed); });
}

TEST(Queues, MMc) {
  // Four servers at load 3.2: wait C / (c mu - lambda), then one service. C(4, 3.2) = 0.5964 (Erlang's tables).
  EXPECT_NEAR(erlang_c(4, 3.2), 0.5964, 1e-4);
  expect_within_99(erlang_c(4, 3.2) / (4.0 - 3.2) + 1.0, 0.05,
                   [](std::uint64_t seed) { return mean_sojourn(3.2, exponential(1.0), 4, seed); });
}

TEST(Queues, MD1) {
  // Pollaczek-Khinchine with no variance: rho / (2 (1 - rho)) + 1 at rho = 0.8: 3.
  expect_within_99(3.0, 0.05, [](std::uint64_t seed) {
    return mean_sojourn(
        0.8, [](RandomStream&) { return 1.0; }, 1, seed);
  });
}

TEST(Queues, MM1WithKPlacesRefuses) {
  // (1 - rho) rho^k / (1 - rho^(k+1)): rho 0.9, k 5: 0.1 * 0.59049 / (1 - 0.531441) = 0.126022.
  expect_within_99(0.126022, 0.05, [](std::uint64_t seed) {
    Simulator sim;
    Station station(sim);
    run_station(sim, station, 0.9, exponential(1.0), 1, seed, 5);
    return static_cast<double>(station.refused) / static_cast<double>(station.arrived);
  });
}

// --------------------------------------------------------------------------------------------- processor sharing

// Mean 1: 0.5 with probability 0.8, 3 with probability 0.2, each exponential. Squared coefficient of variation
// 2 (0.8 * 0.25 + 0.2 * 9) - 1 = 3.
double hyperexponential(RandomStream& draw) {
  const bool fast = draw.uniform() < 0.8;
  return draw.exponential(fast ? 0.5 : 3.0);
}

template <class Serve>
Process customers(Simulator& sim, Serve& serving, double rate, std::uint64_t seed, Draw service, Sojourns& out) {
  RandomStream gaps(seed, DrawPurpose::kTest, 1), sizes(seed, DrawPurpose::kTest, 2);
  for (std::int64_t i = 0; i < kCustomers; ++i) {
    co_await sim.delay(to_ns(gaps.exponential(1.0 / rate)));
    sim.spawn([](Simulator& s, Serve& with, std::int64_t who, double size, Sojourns& to) -> Process {
      const SimTime came = s.now();
      CorePool::LastCore last;
      co_await with(who, size, last);
      to.add(s.now() - came);
    }(sim, serving, i, service(sizes), out));
  }
}

double shared_core_sojourn(double cores, double rate, const Draw& service, std::uint64_t seed,
                           CoreDiscipline discipline = CoreDiscipline::kFluid, double slice_s = 0.0) {
  Simulator sim;
  CorePool pool(sim, cores, discipline, to_ns(slice_s));
  Sojourns out;
  auto serving = [&](std::int64_t, double size, CorePool::LastCore& last) { return pool.run(size, last); };
  sim.spawn(customers(sim, serving, rate, seed, service, out));
  sim.run();
  return out.mean();
}

TEST(Queues, MG1ProcessorSharingDependsOnTheMeanAlone) {
  // E[S] / (1 - rho) = 1 / 0.3 for any service of mean 1. **Source** Kleinrock vol. 2, 4.4.
  expect_within_99(1.0 / 0.3, 0.05,
                   [](std::uint64_t seed) { return shared_core_sojourn(1.0, 0.7, hyperexponential, seed); });
  expect_within_99(1.0 / 0.3, 0.05, [](std::uint64_t seed) {
    return shared_core_sojourn(
        1.0, 0.7, [](RandomStream&) { return 1.0; }, seed);
  });
}

TEST(Queues, ShortTurnsAreProcessorSharing) {
  // Turns of a hundredth of the mean service, hyperexponential as above: 1 / 0.3. Turns longer than any service are
  // first come, first served instead: M/G/1, 1 + 0.7 E[S^2] / (2 * 0.3) with E[S^2] = 4: 1 + 2.8 / 0.6.
  const auto short_turns = [](std::uint64_t seed) {
    return shared_core_sojourn(1.0, 0.7, hyperexponential, seed, CoreDiscipline::kOneQueue, 0.01);
  };
  const auto long_turns = [](std::uint64_t seed) {
    return shared_core_sojourn(1.0, 0.7, hyperexponential, seed, CoreDiscipline::kOneQueue, 1e6);
  };
  expect_within_99(1.0 / 0.3, 0.05, short_turns);
  expect_within_99(1.0 + 2.8 / 0.6, 0.07, long_turns);
}

TEST(Queues, MMcProcessorSharingHoldsAsManyAsMMc) {
  // Number in system is the same birth-death chain as M/M/c, so by Little the same mean sojourn: 3 cores at load 2.4.
  expect_within_99(erlang_c(3, 2.4) / (3.0 - 2.4) + 1.0, 0.05,
                   [](std::uint64_t seed) { return shared_core_sojourn(3.0, 2.4, exponential(1.0), seed); });
}

TEST(Queues, AStarOfClassesSharesAsOneProcessor) {
  // 8 classes behind one link of 1 unit/s; their own links (4 units/s) never bind: M/G/1-PS again. The classes' clocks
  // and groups must not show.
  expect_within_99(1.0 / 0.3, 0.05, [](std::uint64_t seed) {
    Simulator sim;
    FlowNetwork network(sim);
    const auto link = network.add_link(1.0);
    std::vector<FlowNetwork::ClassId> classes;
    for (int c = 0; c < 8; ++c) {
      const std::array path{link, network.add_link(4.0)};
      classes.push_back(network.add_class(path, c % 2 == 0 ? 1.5 : FlowNetwork::kUnlimited));
    }
    Sojourns out;
    auto serving = [&](std::int64_t who, double size, CorePool::LastCore&) {
      return network.transfer(classes[static_cast<std::size_t>(who % 8)], size);
    };
    sim.spawn(customers(sim, serving, 0.7, seed, hyperexponential, out));
    sim.run();
    return out.mean();
  });
}

// ------------------------------------------------------------------------------------------------- closed network

// Throughput of n customers over single servers. **Model** mean value analysis: R_i = s_i (1 + Q_i(n - 1)),
// X = n / sum R, Q_i = X R_i. **Source** Reiser & Lavenberg, JACM 27(2), 1980.
double mva_throughput(const std::vector<double>& service, int n) {
  std::vector<double> queue(service.size(), 0.0);
  double throughput = 0.0;
  for (int k = 1; k <= n; ++k) {
    std::vector<double> time(service.size());
    for (std::size_t i = 0; i < service.size(); ++i) time[i] = service[i] * (1.0 + queue[i]);
    throughput = k / std::accumulate(time.begin(), time.end(), 0.0);
    for (std::size_t i = 0; i < service.size(); ++i) queue[i] = throughput * time[i];
  }
  return throughput;
}

TEST(Queues, ClosedTandem) {
  const std::vector<double> service{1.0, 0.7, 0.5};
  // By hand for n = 1: 1 / 2.2; for n = 2 the queues seen are s_i / 2.2: R = 2.2 + (1 + 0.49 + 0.25) / 2.2 = 2.99091.
  EXPECT_NEAR(mva_throughput(service, 1), 1.0 / 2.2, 1e-12);
  EXPECT_NEAR(mva_throughput(service, 2), 2.0 / 2.990909, 1e-6);
  expect_within_99(mva_throughput(service, 6), 0.02, [&service](std::uint64_t seed) {
    Simulator sim;
    std::vector<Mailbox<int>> stations(service.size(), Mailbox<int>(sim));
    std::int64_t passed = 0;
    const auto station = [](Simulator& s, std::vector<Mailbox<int>>& all, std::size_t me, double mean,
                            std::uint64_t seed_, std::int64_t& count) -> Process {
      RandomStream draw(seed_, DrawPurpose::kTest, me);
      for (;;) {
        const int customer = co_await all[me].get();
        co_await s.delay(to_ns(draw.exponential(mean)));
        count += me == 0;
        all[(me + 1) % all.size()].put(customer);
      }
    };
    for (std::size_t i = 0; i < service.size(); ++i) sim.spawn(station(sim, stations, i, service[i], seed, passed));
    for (int customer = 0; customer < 6; ++customer) stations[0].put(customer);
    sim.run(to_ns(1'000.0));
    const std::int64_t start = passed;
    sim.run(to_ns(41'000.0));
    return static_cast<double>(passed - start) / 40'000.0;
  });
}

}  // namespace
}  // namespace stallcast
