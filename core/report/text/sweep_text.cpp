#include "core/report/text/sweep_text.h"

#include <fmt/format.h>

#include "core/report/words/text_layout.h"
#include "core/units/rounded.h"

namespace stallcast {
namespace {

std::string rate_text(const SweepProgress& progress) {
  return fmt::format("{} points/s", rounded(progress.points_per_s()));
}

}  // namespace

std::string progress_text(const SweepProgress& progress) {
  std::string text =
      fmt::format("{} of {} points, {}, {} left", progress.finished, progress.points, rate_text(progress),
                  progress.finished == progress.points ? "nothing" : duration_text(progress.left_s()));
  if (progress.failed > 0) text += fmt::format(", {} cannot be", progress.failed);
  return text;
}

std::string summary_text(const SweepProgress& progress) {
  std::string text = fmt::format("{} of {} points", progress.finished, progress.points);
  if (progress.failed > 0) text += fmt::format(", {} of them cannot be", progress.failed);
  if (progress.computed == 0) return text + "; none was left to compute";
  return text + fmt::format("; {} computed now in {}, {}", progress.computed, duration_text(progress.elapsed_s),
                            rate_text(progress));
}

std::string estimate_text(const SweepEstimate& estimate) {
  return fmt::format("{} points, about {} each on one core: about {} in total", estimate.points,
                     duration_text(estimate.point_s), duration_text(estimate.total_s));
}

}  // namespace stallcast
