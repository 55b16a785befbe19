#include "core/probe/disk/read_point.h"

#include <algorithm>

namespace stallcast {

const char* access_pattern_name(AccessPattern pattern) {
  switch (pattern) {
    case AccessPattern::kSequential:
      return "sequential";
    case AccessPattern::kStream:
      return "stream";
    case AccessPattern::kRandom:
      return "random";
    case AccessPattern::kWholeFile:
      return "whole_file";
    case AccessPattern::kOpen:
      return "open";
    case AccessPattern::kStat:
      return "stat";
    case AccessPattern::kList:
      return "list";
  }
  return "";
}

double LatencySummary::quantile(double probability) const {
  if (quantiles.empty()) return 0.0;
  const auto above =
      std::find_if(quantiles.begin(), quantiles.end(), [&](const auto& known) { return known.first >= probability; });
  if (above == quantiles.begin()) return above->second;
  if (above == quantiles.end()) return quantiles.back().second;
  const auto below = std::prev(above);
  const double part = (probability - below->first) / (above->first - below->first);
  return below->second + part * (above->second - below->second);
}

}  // namespace stallcast
