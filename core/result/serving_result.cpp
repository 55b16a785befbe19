#include "core/result/serving_result.h"

#include <algorithm>
#include <iterator>

namespace stallcast {

std::string_view serving_limit(const ServingResult& result) {
  const auto largest = std::max_element(result.time_fraction.begin(), result.time_fraction.end());
  return lost_time_name(static_cast<LostTime>(std::distance(result.time_fraction.begin(), largest)));
}

}  // namespace stallcast
