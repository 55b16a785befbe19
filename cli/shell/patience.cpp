#include "cli/shell/patience.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "core/report/words/text_layout.h"
#include "core/scenario/run_length.h"

namespace stallcast {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_from(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

RunEstimate::Count RunEstimate::count_of(const Progress& progress, double elapsed_s) const {
  enum { kSteps, kRuns, kDraws };
  const auto number = [](std::int64_t count) { return static_cast<double>(count); };
  if (progress.draws_wanted > 0) return {kDraws, number(progress.draws), number(progress.draws_wanted), elapsed_s};
  if (progress.runs_wanted > 0) return {kRuns, number(progress.runs), number(progress.runs_wanted), elapsed_s};
  if (progress.steps_wanted > 0) return {kSteps, number(progress.steps), number(progress.steps_wanted), elapsed_s};
  const double all = epoch_steps(scenario_) * number(scenario_.run.epochs), done = number(progress.steps);
  if (scenario_.run.whole_run) return {kSteps, done, all, elapsed_s};
  const double too_wide = progress.gpu_utilization.half_width() / scenario_.run.precision;
  const double wide_enough = done < kFewestSteps ? kFewestSteps : done * std::max(1.0, too_wide * too_wide);
  const double wanted = std::min(number(scenario_.run.max_steps), wide_enough);
  return {kSteps, done, all > 0.0 ? std::min(wanted, all) : wanted, elapsed_s};
}

void RunEstimate::add(const Progress& progress, double elapsed_s) {
  const Count count = count_of(progress, elapsed_s);
  if (!first_ || first_->of_what != count.of_what || count.done < last_->done) first_ = count;
  last_ = count;
}

std::optional<double> RunEstimate::total_s() const {
  if (!last_ || last_->done <= first_->done) return std::nullopt;
  const double part_s = (last_->elapsed_s - first_->elapsed_s) / (last_->done - first_->done);
  return last_->elapsed_s + std::max(0.0, last_->wanted - last_->done) * part_s;
}

Patience::Patience(const Scenario& scenario, const std::stop_token& also, std::chrono::milliseconds look)
    : stops_too_(also, [this] { stop_.request_stop(); }),
      estimate_(scenario),
      look_(look),
      watcher_([this](const std::stop_token& over) { watch_until(over); }) {}

Patience::~Patience() { watcher_.request_stop(); }

void Patience::watch_until(const std::stop_token& over) {
  const Clock::time_point start = Clock::now();
  std::unique_lock lock(mutex_);
  while (!over_.wait_for(lock, over, look_, [&] { return over.stop_requested(); })) {
    if (seconds_from(start) > kJudged_s) return;
    const std::optional<double> total_s = estimate_.total_s();
    if (!total_s || *total_s <= kPatience_s) continue;
    too_much_s_ = total_s;
    stop_.request_stop();
    return;
  }
}

std::function<void(const Progress&)> Patience::watch(std::function<void(const Progress&)> show) {
  return [this, show = std::move(show), start = Clock::now()](const Progress& progress) {
    {
      const std::scoped_lock lock(mutex_);
      estimate_.add(progress, seconds_from(start));
    }
    if (show) show(progress);
  };
}

std::optional<Finding> Patience::finding() const {
  const std::scoped_lock lock(mutex_);
  if (!too_much_s_) return std::nullopt;
  Finding finding;
  finding.code = "too_much";
  finding.file = "simulate";
  finding.got = fmt::format("a run of about {} on this machine", duration_text(*too_much_s_));
  finding.allowed = fmt::format("{} without being asked", duration_text(kPatience_s));
  finding.fix =
      "ask for less: --precision 0.02, fewer --replications, run.whole_run false; or give --yes to wait for it";
  return finding;
}

}  // namespace stallcast
