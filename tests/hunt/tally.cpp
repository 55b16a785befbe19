#include "tests/hunt/tally.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace stallcast::hunt {

void Tally::add(std::uint64_t seed, const std::vector<Difference>& differences) {
  ++jobs_;
  jobs_near_ += std::none_of(differences.begin(), differences.end(), is_difference);
  jobs_within_ += std::none_of(differences.begin(), differences.end(), is_finding);
  for (const Difference& d : differences) {
    FigureTally& tally = figures_[d.figure];
    ++tally.jobs;
    tally.near += !is_difference(d);
    tally.within += !is_finding(d);
    if (tally.jobs > 1 && d.severity() <= tally.worst.severity()) continue;
    tally.worst = d;
    tally.worst_seed = seed;
  }
}

std::string Tally::text() const {
  std::vector<std::pair<std::string, FigureTally>> rows(figures_.begin(), figures_.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second.near != b.second.near ? a.second.near < b.second.near
                                          : a.second.worst.severity() > b.second.worst.severity();
  });
  std::string out =
      fmt::format("{:38} {:>10} {:>10} {:>14} {:>8}\n", "figure", "<= 1 %/0.5", "<= 3 %/1.5", "worst", "seed");
  for (const auto& [name, t] : rows) {
    const auto jobs = static_cast<double>(t.jobs);
    out += fmt::format("{:38} {:>8.2f} % {:>8.2f} % {:>+9.2f} {:4} {:>8}\n", name,
                       100.0 * static_cast<double>(t.near) / jobs, 100.0 * static_cast<double>(t.within) / jobs,
                       100.0 * t.worst.size, t.worst.kind == FigureKind::kPoints ? "pt" : "%", t.worst_seed);
  }
  if (jobs_ > 0) {
    out += fmt::format("{:38} {:>8.2f} % {:>8.2f} %\n", "every figure of a job",
                       100.0 * static_cast<double>(jobs_near_) / static_cast<double>(jobs_),
                       100.0 * static_cast<double>(jobs_within_) / static_cast<double>(jobs_));
  }
  return out;
}

}  // namespace stallcast::hunt
