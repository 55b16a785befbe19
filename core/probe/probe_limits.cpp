#include "core/probe/probe_limits.h"

#include <utility>

#include "core/probe/disk/file_system.h"
#include "core/probe/disk/read_engine.h"

namespace stallcast {
namespace {

constexpr double kPlannedTime = 0.97, kPlannedBytes = 0.98;

}  // namespace

ProbeLimits::ProbeLimits(const ProbeOptions& options)
    : options_(options),
      began_s_(monotonic_s()),
      end_s_(began_s_ + kPlannedTime * options.seconds),
      fetched_before_(process_fetched_bytes()) {}

double ProbeLimits::bytes_left() const { return std::max(0.0, kPlannedBytes * options_.bytes - used_bytes()); }

bool ProbeLimits::is_over() {
  if (options_.stop.stop_requested()) interrupted_ = true;
  return interrupted_ || seconds_left() <= 0.0 || bytes_left() < static_cast<double>(kPageBytes);
}

std::optional<double> ProbeLimits::fetched_bytes() const {
  const std::optional<double> now = process_fetched_bytes();
  return now && fetched_before_ ? std::optional(*now - *fetched_before_) : std::nullopt;
}

void ProbeLimits::tell(std::string doing) {
  if (!options_.progress) return;
  options_.progress({now_s() - began_s_, used_bytes(), options_.seconds, options_.bytes, std::move(doing)});
}

}  // namespace stallcast
