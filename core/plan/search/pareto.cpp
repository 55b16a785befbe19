#include "core/plan/search/pareto.h"

#include <algorithm>
#include <numeric>

namespace stallcast {
namespace {

// Whether `a` is nowhere worse than `b`.
bool covers(const Figures& a, const Figures& b, const std::vector<Figure>& by) {
  return std::all_of(by.begin(), by.end(), [&](Figure f) { return !worse(f, a.at(f), b.at(f)); });
}

}  // namespace

std::vector<std::size_t> pareto_front(const std::vector<Figures>& points, const std::vector<Figure>& by) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) {
    return std::any_of(by.begin(), by.end(), [&](Figure f) { return !points[i].of(f).has_value(); });
  });
  // Whatever covers a point comes before it in this order.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    for (const Figure f : by) {
      const double x = points[a].at(f), y = points[b].at(f);
      if (x != y) return worse(f, y, x);
    }
    return false;
  });
  std::vector<std::size_t> front;
  for (const std::size_t i : order) {
    const auto covering = [&](std::size_t j) { return covers(points[j], points[i], by); };
    if (std::none_of(front.begin(), front.end(), covering)) front.push_back(i);
  }
  return front;
}

}  // namespace stallcast
