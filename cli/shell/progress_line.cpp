#include "cli/shell/progress_line.h"

#include <fmt/format.h>

#include "core/report/words/text_layout.h"

namespace stallcast {

std::string progress_text(const Progress& progress) {
  if (progress.draws_wanted > 0)
    return fmt::format("GPU utilization {:.1f} %; uncertain inputs: sample {} of {}",
                       100.0 * progress.gpu_utilization.mean, progress.draws, progress.draws_wanted);
  if (progress.runs_wanted > 0) return fmt::format("{} of {} runs simulated", progress.runs, progress.runs_wanted);
  if (progress.steps_wanted > 0 && progress.gpu_utilization.half_width() >= 0.5)  // all of them, whatever comes out
    return fmt::format("{} of {} steps, {} simulated", progress.steps, progress.steps_wanted,
                       duration_text(progress.simulated_s));
  return fmt::format("{} steps, {} simulated, GPU utilization {:.1f} % +- {:.1f}", progress.steps,
                     duration_text(progress.simulated_s), 100.0 * progress.gpu_utilization.mean,
                     100.0 * progress.gpu_utilization.half_width());
}

std::function<void(const Progress&)> ProgressLine::callback() {
  if (!environment_.err_is_terminal) return {};
  return [this](const Progress& progress) { show([&] { return progress_text(progress); }); };
}

std::function<void(std::int64_t, std::int64_t)> ProgressLine::counter(const char* things) {
  if (!environment_.err_is_terminal) return {};
  return [this, things](std::int64_t done, std::int64_t wanted) {
    show([&] { return fmt::format("{} of {} {}", done, wanted, things); });
  };
}

void ProgressLine::show(const std::function<std::string()>& text) {
  constexpr auto kInterval = std::chrono::milliseconds(100);
  const auto now = std::chrono::steady_clock::now();
  if (visible_ && now - shown_at_ < kInterval) return;
  shown_at_ = now;
  visible_ = true;
  environment_.err << "\r\033[K" << text() << std::flush;
}

void ProgressLine::clear() {
  if (visible_) environment_.err << "\r\033[K" << std::flush;
  visible_ = false;
}

}  // namespace stallcast
