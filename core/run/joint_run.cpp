#include "core/run/joint_run.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <memory>
#include <span>

#include "core/model/represented.h"
#include "core/model/serving_model.h"
#include "core/model/training_model.h"
#include "core/scenario/data_path.h"
#include "core/steps/account.h"
#include "core/steps/figures.h"
#include "core/steps/luck.h"
#include "core/timeline/interruptions.h"

namespace stallcast {

namespace {

// Enough for rates, and what a person waits for: a few seconds of simulation.
constexpr std::uint64_t kMostEvents = 10'000'000;
constexpr std::int64_t kFewestSteps = 10;
constexpr double kSharp = 0.02;  // half-width of a rate, relative, that is worth this many events
constexpr std::uint64_t kSharpEvents = 2'000'000;
constexpr double kReadsOfLoad = 2e5;
// The same where only a comparison with others that are as coarse is wanted.
constexpr double kReadsOfCoarseLoad = 2e4, kReadsOfCoarseStream = 4.0;
constexpr std::int64_t kFewestCoarseHosts = 8;

// Steps with enough checkpoints among them to say what they cost.
std::int64_t fewest_steps(const Scenario& s) {
  constexpr std::int64_t kCheckpoints = 4;
  return s.checkpoint.mode != CheckpointMode::kNone ? kCheckpoints * s.checkpoint.interval_steps : 0;
}

// A job as it is in the middle of its run: epoch follows epoch, and credit for bursts is spent.
Scenario steady(const Scenario& s) {
  Scenario out = s;
  out.run.whole_run = false;
  out.run.epochs = std::numeric_limits<std::int32_t>::max();
  out.storage.burst_bandwidth = {};
  if (!saves_often(s)) out.checkpoint.mode = CheckpointMode::kNone;
  return out;
}

std::int64_t fewest_nodes(const Scenario& s, bool coarse) {
  if (s.job != JobKind::kServing) return representatives_of(s, coarse).nodes;
  return std::min(s.cluster.nodes, coarse ? kFewestCoarseHosts : kFewestHosts);
}

// The same part of every job's nodes: the smallest at which each has enough and rounding is slight.
std::vector<Representatives> common_part(const std::vector<JointJob>& jobs, bool coarse) {
  constexpr double kSlight = 0.01;
  std::vector<Representatives> part(jobs.size());
  const std::int64_t all = jobs.front().scenario->cluster.nodes;
  for (std::int64_t nodes = fewest_nodes(*jobs.front().scenario, coarse); nodes <= all; ++nodes) {
    const double share = static_cast<double>(nodes) / static_cast<double>(all);
    bool good = true;
    for (std::size_t j = 0; j < jobs.size() && good; ++j) {
      const Scenario& s = *jobs[j].scenario;
      const double exact = share * static_cast<double>(s.cluster.nodes);
      part[j] = {std::llround(exact), s.cluster.nodes};
      good = part[j].nodes >= fewest_nodes(s, coarse) &&
             std::abs(static_cast<double>(part[j].nodes) - exact) <= kSlight * exact;
    }
    if (good) return part;
  }
  return part;  // not reached: all nodes are a part that is good
}

std::vector<Representatives> every_node_of(const std::vector<JointJob>& jobs) {
  std::vector<Representatives> all;
  for (const JointJob& job : jobs) all.push_back({job.scenario->cluster.nodes, job.scenario->cluster.nodes});
  return all;
}

class JointRun {
 public:
  JointRun(const Scenario& storage, const std::vector<JointJob>& jobs, const std::vector<Representatives>& part,
           const JointOptions& options)
      : jobs_(jobs),
        horizon_s_(options.horizon_s),
        stop_(options.stop),
        coarse_(options.coarse),
        system_(system_for(storage, part.front())),
        storage_(sim_, system_) {
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      wholes_.push_back(std::make_unique<Scenario>(steady(*jobs[j].scenario)));
      scenarios_.push_back(std::make_unique<Scenario>(represented(*wholes_.back(), part[j])));
    }
    const Grain grain = grain_of(options.every_node, options.coarse);
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      const Scenario& s = *scenarios_[j];
      trainings_.emplace_back();
      loads_.emplace_back();
      steps_.push_back(0);
      next_check_.push_back(200);
      if (s.job == JobKind::kServing) {
        const ServingOptions how{.remaining = jobs[j].remaining,
                                 .most_reads = coarse_ ? kReadsOfCoarseLoad : kReadsOfLoad,
                                 .fewest_reads = coarse_ ? kReadsOfCoarseStream : ServingOptions().fewest_reads,
                                 .even_starts = !part[j].all()};
        loads_.back() = std::make_unique<ServingModel>(storage_, s, jobs[j].seed, how);
        has_loads_ = true;
      } else {
        trainings_.back() =
            std::make_unique<TrainingModel>(storage_, s, jobs[j].seed, jobs[j].plan, wholes_[j].get(), grain);
        ++unknown_;
      }
      known_.push_back(s.job == JobKind::kServing);
    }
  }

  JointRates run() {
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      keep_going_.emplace_back(
          [this, j](std::int64_t done) { return has_loads_ ? step_beside_loads(j, done) : step(j, done); });
    }
    for (std::size_t j = 0; j < jobs_.size(); ++j)
      if (trainings_[j]) trainings_[j]->start(std::numeric_limits<std::int64_t>::max(), keep_going_[j]);
    if (has_loads_ && unknown_ == 0) start_loads();
    sim_.end_on(stop_);
    sim_.run();
    if (has_loads_ && ended_ == kNever) end_at_once();
    return has_loads_ ? rates_beside_loads() : steady_rates();
  }

 private:
  // The part of the system that this part of the first job's nodes, and of the other jobs', has.
  static Scenario system_for(const Scenario& storage, const Representatives& first) {
    Scenario s = steady(storage);
    s.cluster.nodes = first.of;
    return represented(s, first);
  }

  // --- training alone with training: until every job's utilization is known ---

  bool step(std::size_t j, std::int64_t done) {
    steps_[j] = done;
    if (out_of_events() || stop_.stop_requested()) return false;
    if (done < next_check_[j]) return true;
    next_check_[j] = done + std::max<std::int64_t>(100, done / 4);
    const Scenario& s = *scenarios_[j];
    if (!known_[j] && done >= std::max(20 * batches_ahead(s), fewest_steps(s))) {
      const JointRates::Job so_far = rates_of(j);
      const double half = so_far.half_width;
      // Of a job that hardly computes the asked precision says little about its rate.
      const bool sharp = coarse_ || half <= kSharp * so_far.gpu_utilization || sim_.events() > kSharpEvents;
      if ((half <= s.run.precision && sharp) || done >= s.run.max_steps) {
        known_[j] = true;
        --unknown_;
      }
    }
    return unknown_ > 0;
  }

  bool out_of_events() const {
    return sim_.events() > kMostEvents &&
           std::all_of(steps_.begin(), steps_.end(), [](std::int64_t steps) { return steps >= kFewestSteps; });
  }

  // Of a training job in its steady state, so far.
  JointRates::Job rates_of(std::size_t j) const {
    const Scenario& s = *scenarios_[j];
    const auto steps = static_cast<std::size_t>(steps_[j]);
    JointRates::Job job;
    job.half_width = 1.0;
    if (steps == 0) return job;
    Outline endless;
    endless.endless = true;
    const TrainingModel& model = *trainings_[j];
    const Account account = account_of({s, s, endless, model, steps, warm_up_steps(s, model.log(), steps)});
    const LedgerPhase steady = sum_of(account.phases, [](PhaseKind kind) { return kind != PhaseKind::kStart; });
    if (steady.wall_s <= 0.0) return job;
    const double gpu_s = steady.wall_s * static_cast<double>(s.ranks());
    job.steps_per_s = steady.steps / steady.wall_s;
    job.gpu_utilization = steady.compute_gpu_s / gpu_s;
    job.half_width = std::min(1.0, account.half_width);
    for (std::size_t c = 0; c < job.lost_fraction.size(); ++c) job.lost_fraction[c] = steady.lost_gpu_s[c] / gpu_s;
    return job;
  }

  JointRates steady_rates() {
    JointRates out;
    out.window_s = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      const Scenario& s = *scenarios_[j];
      const JointRates::Job& job = out.jobs.emplace_back(rates_of(j));
      out.converged = out.converged && job.half_width <= s.run.precision;
    }
    out.events = sim_.events();
    return out;
  }

  // --- training with loads: fill the queues, start the loads, go on until one of them has ended ---

  bool step_beside_loads(std::size_t j, std::int64_t done) {
    steps_[j] = done;
    if (stop_.stop_requested() && began_ != kNever) end_window();
    if (began_ == kNever) {
      if (!known_[j] && done >= 3 * batches_ahead(*scenarios_[j]) + 10) {
        known_[j] = true;
        if (--unknown_ == 0) start_loads();
      }
      return true;
    }
    if (ended_ == kNever) {
      if (sim_.events() > kMostEvents + events_before_) {
        cut_ = true;
        end_window();
      }
      return true;
    }
    // One more step of every job, so that each knows where in a step the window ended.
    for (std::size_t other = 0; other < jobs_.size(); ++other)
      if (trainings_[other] && ends_of_steps(other).back() < to_seconds(ended_)) return true;
    return false;
  }

  void start_loads() {
    began_ = sim_.now();
    events_before_ = sim_.events();
    for (std::size_t j = 0; j < jobs_.size(); ++j)
      if (loads_[j]) loads_[j]->start([this, j] { sim_.spawn(end_when_ready(sim_, *this, j)); });
    if (std::isfinite(horizon_s_)) sim_.spawn(end_at_horizon(sim_, *this));
  }

  static Process end_when_ready(Simulator& sim, JointRun& run, std::size_t j) {
    const ServingResult result = run.loads_[j]->result();
    const SimTime ready = after(run.began_, to_ns(result.last_ready_s));
    if (ready > sim.now()) co_await sim.delay(ready - sim.now());
    run.finished_.push_back(j);
    run.end_window();
  }
  static Process end_at_horizon(Simulator& sim, JointRun& run) {
    co_await sim.delay(to_ns(std::min(run.horizon_s_, 1e9)));
    run.end_window();
  }

  void end_window() {
    if (ended_ != kNever) return;
    ended_ = sim_.now();
    for (const auto& load : loads_) read_at_end_.push_back(load ? load->read_bytes() : 0.0);
    const bool trains =
        std::any_of(trainings_.begin(), trainings_.end(), [](const auto& model) { return bool(model); });
    if (!trains) sim_.stop();
  }

  // Somebody asked to stop, and the steps are too long to wait for the end of one.
  void end_at_once() {
    if (began_ == kNever) began_ = sim_.now();
    end_window();
  }

  // Of the steps that all ranks have finished; not empty once the loads have started.
  std::span<const double> ends_of_steps(std::size_t j) const {
    return std::span(trainings_[j]->log().end_s).first(static_cast<std::size_t>(steps_[j]));
  }

  // Steps done at `time_s`, those under way in part.
  static double steps_at(std::span<const double> ends, double time_s) {
    const auto after = std::upper_bound(ends.begin(), ends.end(), time_s);
    const auto whole = static_cast<double>(after - ends.begin());
    if (after == ends.begin() || after == ends.end()) return whole;
    return whole + (time_s - *(after - 1)) / (*after - *(after - 1));
  }

  JointRates rates_beside_loads() {
    JointRates out;
    const double from = to_seconds(began_), to = to_seconds(ended_);
    out.window_s = to - from;
    out.cut = cut_;
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      JointRates::Job& job = out.jobs.emplace_back();
      if (loads_[j]) {
        job.serving = loads_[j]->result();
        job.finished = std::find(finished_.begin(), finished_.end(), j) != finished_.end();
        const double all = scenarios_[j]->serving.weights.base() * static_cast<double>(scenarios_[j]->cluster.nodes);
        const double done = job.finished ? jobs_[j].remaining : read_at_end_[j] / all;
        job.done_per_s = out.window_s > 0 ? done / out.window_s : 0.0;
      } else if (out.window_s > 0) {
        training_in_window(j, from, to, job);
      }
    }
    out.events = sim_.events();
    return out;
  }

  void training_in_window(std::size_t j, double from, double to, JointRates::Job& job) const {
    const StepLog& log = trainings_[j]->log();
    const std::span<const double> ends = ends_of_steps(j);
    job.steps_per_s = (steps_at(ends, to) - steps_at(ends, from)) / (to - from);
    const auto first = std::upper_bound(ends.begin(), ends.end(), from) - ends.begin();
    auto last = std::upper_bound(ends.begin(), ends.end(), to) - ends.begin();
    last = std::min(std::max(last, first + 1), std::ssize(ends));
    double compute = 0.0, all = 0.0;
    for (auto k = static_cast<std::size_t>(first); k < static_cast<std::size_t>(last); ++k) {
      compute += log.compute_s[k];
      all += log.compute_s[k];
      for (std::size_t c = 0; c < job.lost_fraction.size(); ++c) {
        job.lost_fraction[c] += log.lost_s[k][c];
        all += log.lost_s[k][c];
      }
    }
    for (double& lost : job.lost_fraction) lost = all > 0 ? lost / all : 0.0;
    const auto steps = static_cast<double>(last - first);
    const auto ranks = static_cast<double>(scenarios_[j]->ranks());
    if (steps > 0) job.gpu_utilization = std::min(1.0, job.steps_per_s * compute / steps / ranks);
  }

  const std::vector<JointJob>& jobs_;
  double horizon_s_;
  std::stop_token stop_;
  bool coarse_;
  Scenario system_;
  Simulator sim_;
  SharedStorage storage_;
  std::vector<std::unique_ptr<Scenario>> wholes_;     // by job, all its nodes
  std::vector<std::unique_ptr<Scenario>> scenarios_;  // by job, those that are simulated; as the next five
  std::vector<std::unique_ptr<TrainingModel>> trainings_;
  std::vector<std::unique_ptr<ServingModel>> loads_;
  std::vector<std::function<bool(std::int64_t)>> keep_going_;
  std::vector<std::int64_t> steps_, next_check_;
  std::vector<bool> known_;  // utilization; beside loads: warm
  std::size_t unknown_ = 0;  // training jobs that are not known
  bool has_loads_ = false;
  bool cut_ = false;
  SimTime began_ = kNever, ended_ = kNever;  // of the loads' window
  std::uint64_t events_before_ = 0;
  std::vector<double> read_at_end_;
  std::vector<std::size_t> finished_;
};

}  // namespace

bool saves_often(const Scenario& s) {
  constexpr std::int64_t kMostSteps = 100;
  const CheckpointSpec& c = s.checkpoint;
  return !is_interrupted(s) && c.cadence == CheckpointCadence::kSteps && c.interval_steps <= kMostSteps &&
         c.first_level == CheckpointLevel::kStorage && c.export_every == 0;
}

JointRates simulate_joint(const Scenario& storage, const std::vector<JointJob>& jobs, const JointOptions& options) {
  return JointRun(storage, jobs, options.every_node ? every_node_of(jobs) : common_part(jobs, options.coarse), options)
      .run();
}

}  // namespace stallcast
