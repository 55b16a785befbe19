#include "core/analytic/max_flow.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <boost/graph/strong_components.hpp>
#include <cmath>
#include <cstdint>
#include <set>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // Boost's edge iterators hold an optional that g++ 12 suspects
#endif

namespace stallcast {
namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using Vertex = Traits::vertex_descriptor;
using Edge = Traits::edge_descriptor;

struct VertexData {
  boost::default_color_type color{};
  Edge predecessor{};
  std::int64_t distance = 0;
};
struct EdgeData {
  std::int64_t capacity = 0;
  std::int64_t residual = 0;
  Edge reverse{};
};
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, VertexData, EdgeData>;
using ResidualGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

constexpr double kTieTolerance = 1e-9;
constexpr double kScaledTotal = 4503599627370496.0;  // 2^52: sums of all capacities stay exact and below 2^63

// The edge and its reverse, which the algorithm needs and which carries nothing by itself.
Edge add_scaled_edge(Graph& graph, std::size_t from, std::size_t to, std::int64_t capacity) {
  const Edge forward = boost::add_edge(from, to, graph).first;
  const Edge backward = boost::add_edge(to, from, graph).first;
  graph[forward] = {capacity, capacity, backward};
  graph[backward] = {0, 0, forward};
  return forward;
}

// Whether a path of unlimited edges joins source and sink; then the flow has no limit.
bool has_unlimited_path(const CapacityGraph& network) {
  std::vector<std::vector<std::size_t>> next(network.vertices);
  for (const CapacityEdge& edge : network.edges) {
    if (std::isinf(edge.capacity_per_s)) next[edge.from].push_back(edge.to);
  }
  std::vector<bool> seen(network.vertices, false);
  std::vector<std::size_t> todo{network.source};
  seen[network.source] = true;
  while (!todo.empty()) {
    const std::size_t vertex = todo.back();
    todo.pop_back();
    if (vertex == network.sink) return true;
    for (const std::size_t other : next[vertex]) {
      if (!seen[other]) {
        seen[other] = true;
        todo.push_back(other);
      }
    }
  }
  return false;
}

}  // namespace

MinCut min_cut(const CapacityGraph& network) {
  if (has_unlimited_path(network)) return {std::numeric_limits<double>::infinity(), {}};
  // Some cut has only finite edges, so no flow exceeds their sum: an unlimited edge may be cut down to that.
  double total = 0.0;
  for (const CapacityEdge& edge : network.edges) {
    if (!std::isinf(edge.capacity_per_s)) total += edge.capacity_per_s;
  }
  if (total <= 0.0) total = 1.0;
  const double scale = kScaledTotal / total;

  Graph graph(network.vertices);
  std::vector<Edge> placed;
  placed.reserve(network.edges.size());
  for (const CapacityEdge& edge : network.edges) {
    const double capacity = std::min(edge.capacity_per_s, total);
    placed.push_back(add_scaled_edge(graph, edge.from, edge.to, std::llround(capacity * scale)));
  }
  const std::int64_t flow = boost::boykov_kolmogorov_max_flow(
      graph, boost::get(&EdgeData::capacity, graph), boost::get(&EdgeData::residual, graph),
      boost::get(&EdgeData::reverse, graph), boost::get(&VertexData::predecessor, graph),
      boost::get(&VertexData::color, graph), boost::get(&VertexData::distance, graph),
      boost::get(boost::vertex_index, graph), network.source, network.sink);

  const auto has_room = [&](const Edge& edge) {
    const std::int64_t size = std::max(graph[edge].capacity, graph[graph[edge].reverse].capacity);
    return static_cast<double>(graph[edge].residual) > kTieTolerance * static_cast<double>(size);
  };
  ResidualGraph residual(network.vertices);
  for (const Edge& edge : boost::make_iterator_range(boost::edges(graph))) {
    if (has_room(edge)) boost::add_edge(boost::source(edge, graph), boost::target(edge, graph), residual);
  }
  std::vector<std::size_t> component(network.vertices);
  boost::strong_components(
      residual, boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, residual)));

  MinCut cut{static_cast<double>(flow) / scale, {}};
  std::set<std::string> listed;
  for (std::size_t i = 0; i < network.edges.size(); ++i) {
    const CapacityEdge& edge = network.edges[i];
    const bool binding =
        !std::isinf(edge.capacity_per_s) && !has_room(placed[i]) && component[edge.from] != component[edge.to];
    if (binding && !edge.resource.empty() && listed.insert(edge.resource).second) cut.binding.push_back(edge.resource);
  }
  return cut;
}

}  // namespace stallcast
