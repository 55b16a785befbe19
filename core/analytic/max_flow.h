// The roofline of a system of many limits: how much can flow from source to sink, and which limits stop it.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace stallcast {

// One limit: `resource` lets at most `capacity` samples/s pass from vertex `from` to vertex `to`.
struct CapacityEdge {
  std::size_t from = 0;
  std::size_t to = 0;
  double capacity_per_s = std::numeric_limits<double>::infinity();  // infinity = no limit
  std::string resource;                                             // "" for an edge that is never reported
  double bytes_per_sample = 0.0;  // that a sample moves over it, for who draws it; 0 = it is not about bytes
};

// A directed graph of limits. Vertices are 0 .. vertices - 1; several edges may join the same two.
struct CapacityGraph {
  std::size_t vertices = 2;
  std::size_t source = 0;
  std::size_t sink = 1;
  std::vector<CapacityEdge> edges;

  std::size_t add_vertex() { return vertices++; }
  void add_edge(std::size_t from, std::size_t to, double capacity_per_s, std::string resource,
                double bytes_per_sample = 0.0) {
    edges.push_back({from, to, capacity_per_s, std::move(resource), bytes_per_sample});
  }
};

struct MinCut {
  double max_flow_per_s = 0.0;       // infinity when some path has no limit at all
  std::vector<std::string> binding;  // resources of edges in some minimum cut, in order of first edge, no repeats
};

// The greatest flow from source to sink, and the resources that limit it.
// **Model** max-flow = min-cut. An edge is binding when it is saturated and its ends lie in different strongly
//   connected components of the residual graph, that is, when some minimum cut contains it: ties are all listed.
// **Units** capacities and flow in samples/s.
// **Range** capacities >= 0, infinity allowed. Capacities are scaled to 52-bit integers, so that the flow algorithm is
//   exact and ends; two limits that agree to 1e-9 of their size count as a tie.
// **Cost** a few milliseconds for ten thousand edges.
// **Source** Ford and Fulkerson 1956; Boykov and Kolmogorov 2004 (the algorithm, from Boost.Graph); Picard and
//   Queyranne 1980 (all minimum cuts from the residual graph).
// **Checked by** tests/core/analytic/max_flow_test.cpp
MinCut min_cut(const CapacityGraph& network);

}  // namespace stallcast
