#include "core/run/shared_jobs.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "core/diagnostics/invariant.h"
#include "core/run/joint_run.h"
#include "core/run/simulate.h"
#include "core/run/simulate_serving.h"
#include "core/steps/figures.h"
#include "core/steps/parallel.h"
#include "core/steps/regimes.h"

namespace stallcast {

namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();
constexpr double kDone = 1e-9;  // of a job: what rounding leaves

// The luck of the n-th job: that of its seed alone for the first, unrelated ones for the others.
std::uint64_t seed_of(std::uint64_t seed, std::size_t job) { return seed + job * 0x9E3779B97F4A7C15U; }

// A stretch of a job alone: it takes `alone_s`, of which some is left.
struct Phase {
  double alone_s = 0.0;
  double left_s = 0.0;
  bool reads = true;               // false: before the first step
  std::size_t regime = 0;          // index in Job::regimes
  const ReadPlan* plan = nullptr;  // null: storage answers all reads
};

// One job on its way through the run timeline.
struct Job {
  const Scenario* scenario = nullptr;
  std::uint64_t seed = 0;
  SharedJob out;
  std::vector<Regime> regimes;
  std::vector<ReadPlan> plans;  // by regime
  std::vector<Phase> phases;
  std::size_t phase = 0;
  bool arrived = false, ended = false;
  // Sums over time beside others and alone, for the figures together.
  double time_s = 0.0;
  double reads_s = 0.0, alone_s = 0.0;  // from the first step on, and what that takes alone
  double busy_s = 0.0, half_width_s = 0.0;
  std::array<double, static_cast<std::size_t>(LostTime::kCount)> lost_s{}, waited_s{};
  std::optional<ServingResult> last_load;  // of the window in which it ended
  double before_last_s = 0.0;              // from its start to that window's

  bool serves() const { return out.serves; }
  bool present() const { return arrived && !ended; }
  bool contends() const { return present() && phases[phase].reads; }
  double left_s() const {
    double sum = 0.0;
    for (std::size_t p = phase; p < phases.size(); ++p) sum += phases[p].left_s;
    return sum;
  }
};

// What one job of a set gets.
struct Share {
  double rate = 1.0;  // in parts of the job alone
  double gpu_utilization = 0.0, half_width = 0.0;
  std::array<double, static_cast<std::size_t>(LostTime::kCount)> lost_fraction{};
  bool finishes = false;  // a load that ends with the window
  std::optional<ServingResult> load;
};

// The shares of a set, and how long they hold.
struct SetShares {
  std::vector<Share> shares;  // in the order of the set
  double window_s = kForever;
};

class SharedTimeline {
 public:
  SharedTimeline(const std::vector<Scenario>& scenarios, const RunOptions& options) : options_(options) {
    const std::uint64_t seed = options.seed.value_or(static_cast<std::uint64_t>(scenarios.front().run.seed));
    result_.converged = true;
    double first = kForever;
    for (const Scenario& s : scenarios) first = std::min(first, s.run.start.base());
    scenarios_ = scenarios;
    jobs_.resize(scenarios.size());
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      Scenario& s = scenarios_[j];
      s.run.precision = scenarios.front().run.precision;
      Job& job = jobs_[j];
      job.scenario = &s;
      job.seed = seed_of(seed, j);
      job.out.name = name_of(j);
      job.out.serves = s.job == JobKind::kServing;
      job.out.start_s = s.run.start.base() - first;
    }
  }

  SharedResult run() {
    run_each_alone();
    double now = 0.0;
    arrive(now);
    while (!options_.stop.stop_requested()) {
      const double arrival = next_arrival();
      const std::vector<std::size_t> present = with([](const Job& job) { return job.present(); });
      if (present.empty()) {
        if (!std::isfinite(arrival)) break;
        now = arrival;
      } else {
        now = advance(now, arrival, present);
        if (!std::isfinite(now)) break;
      }
      arrive(now);
    }
    for (Job& job : jobs_) {
      if (std::isfinite(job.out.alone_s) && !job.ended) result_.converged = false;
      finish(job);
    }
    for (Job& job : jobs_) result_.jobs.push_back(std::move(job.out));
    return std::move(result_);
  }

 private:
  // Its own name, with its number where that is not another's alone.
  std::string name_of(std::size_t j) const {
    const std::string& own = scenarios_[j].name;
    if (own.empty()) return "job " + std::to_string(j + 1);
    const auto same =
        std::count_if(scenarios_.begin(), scenarios_.end(), [&](const Scenario& s) { return s.name == own; });
    return same > 1 ? own + " (" + std::to_string(j + 1) + ")" : own;
  }

  // --- each job on its own ---

  void run_each_alone() {
    parallel_for(static_cast<std::int64_t>(jobs_.size()), options_.threads,
                 [this](std::int64_t j) { run_alone(jobs_[static_cast<std::size_t>(j)]); });
    for (const Job& job : jobs_) {
      result_.converged =
          result_.converged && (job.serves() ? job.out.serving_alone.complete : job.out.alone.converged);
      result_.events += job.out.alone.events;
    }
  }

  void run_alone(Job& job) {
    RunOptions own = options_;
    own.seed = job.seed;
    own.trace = nullptr;
    own.journal.clear();
    if (&job != jobs_.data()) own.progress = nullptr;  // of several at once, one tells how far it is
    Scenario s = *job.scenario;
    s.run.uncertain.clear();
    if (job.serves()) {
      job.out.serving_alone = simulate_serving(s, own);
      job.out.alone = as_run(s, job.out.serving_alone);
      job.out.alone_s = job.out.serving_alone.last_ready_s;
      // A load that takes no time is over before anybody notices.
      job.phases.push_back({job.out.alone_s, job.out.alone_s, job.out.alone_s > 0.0, 0, nullptr});
    } else {
      job.out.alone = simulate(s, own);
      job.out.alone_s = job.out.alone.time_to_train_s > 0.0 ? job.out.alone.time_to_train_s : kForever;
      job.regimes = regimes_of(s);
      for (const Regime& regime : job.regimes) job.plans.push_back(plan_of_regime(s, regime));
      phases_of(job);
    }
  }

  // Before the first step, then the regimes of its epochs, as long as each takes alone.
  static void phases_of(Job& job) {
    const RunResult& alone = job.out.alone;
    const double before = alone.totals.listing_s + alone.totals.staging_s;
    const double training = job.out.alone_s - before;
    if (before > 0.0) job.phases.push_back({before, before, false, 0, nullptr});
    const auto add = [&job](double time, std::size_t regime) {
      const ReadPlan& plan = job.plans[regime];
      job.phases.push_back({time, time, true, regime, plan.mixes.empty() ? nullptr : &plan});
    };
    double all = 0.0;
    for (const RegimeResult& regime : alone.regimes) all += regime.time_s;
    if (all <= 0.0 || !std::isfinite(training)) {
      add(training, job.regimes.size() - 1);
      return;
    }
    for (std::size_t r = 0; r < alone.regimes.size(); ++r) add(alone.regimes[r].time_s / all * training, r);
  }

  // --- the run timeline ---

  template <class Condition>
  std::vector<std::size_t> with(const Condition& condition) const {
    std::vector<std::size_t> out;
    for (std::size_t j = 0; j < jobs_.size(); ++j)
      if (condition(jobs_[j])) out.push_back(j);
    return out;
  }

  void arrive(double now) {
    for (Job& job : jobs_)
      if (!job.arrived && job.out.start_s <= now) job.arrived = true;
  }

  double next_arrival() const {
    double next = kForever;
    for (const Job& job : jobs_)
      if (!job.arrived) next = std::min(next, job.out.start_s);
    return next;
  }

  // From `now` to the next change; returns when that is.
  double advance(double now, double arrival, const std::vector<std::size_t>& present) {
    const std::vector<std::size_t> set = with([](const Job& job) { return job.contends(); });
    const SetShares together = set.size() > 1 ? shares_of(set, arrival - now) : SetShares{};
    std::map<std::size_t, Share> share;
    for (const std::size_t j : present) share[j] = alone_share(jobs_[j]);
    for (std::size_t i = 0; i < together.shares.size(); ++i) share[set[i]] = together.shares[i];

    double time = std::min(arrival - now, together.window_s);
    for (const std::size_t j : present) {
      const Share& own = share[j];
      if (own.rate > 0.0 && !(own.finishes && time == together.window_s))
        time = std::min(time, jobs_[j].phases[jobs_[j].phase].left_s / own.rate);
    }
    const bool endless = !std::isfinite(time);
    add_span(now, now + time, present, share);
    for (const std::size_t j : present) {
      share[j].finishes = share[j].finishes && time == together.window_s;
      // Without an end of anything, the shares of this set are the figures: a second stands for all time.
      progress(jobs_[j], share[j], endless ? 1.0 : time, set.size() > 1);
      if (jobs_[j].ended) jobs_[j].out.end_s = now + time;
    }
    return now + time;
  }

  // While it trains: what precedes the first step is a phase of its own.
  static Share alone_share(const Job& job) {
    Share share;
    if (!job.phases[job.phase].reads) return share;
    const RunResult& alone = job.out.alone;
    const double before = alone.totals.listing_s + alone.totals.staging_s;
    const double of_training = before > 0.0 ? alone.time_to_train_s / (alone.time_to_train_s - before) : 1.0;
    share.gpu_utilization = alone.gpu_utilization.mean * of_training;
    share.half_width = alone.gpu_utilization.half_width() * of_training;
    share.lost_fraction = alone.lost_fraction;
    for (double& lost : share.lost_fraction) lost *= of_training;
    share.lost_fraction[index(LostTime::kStaging)] = 0.0;
    return share;
  }

  static void progress(Job& job, const Share& share, double time, bool beside) {
    Phase& phase = job.phases[job.phase];
    const double done = share.finishes ? phase.left_s : std::min(phase.left_s, share.rate * time);
    const bool sized = std::isfinite(phase.alone_s);
    if (share.finishes) {
      job.last_load = share.load;
      job.before_last_s = job.time_s;
    }
    // The figures of a job without an end are those beside others.
    if (phase.reads && (sized || beside)) {
      job.reads_s += time;
      job.busy_s += share.gpu_utilization * time;
      job.half_width_s += share.half_width * time;
      for (std::size_t c = 0; c < job.lost_s.size(); ++c) job.lost_s[c] += share.lost_fraction[c] * time;
      const ServingResult& waits = share.load ? *share.load : job.out.serving_alone;
      for (std::size_t c = 0; c < job.waited_s.size(); ++c) job.waited_s[c] += waits.time_fraction[c] * time;
      job.alone_s += done;
    }
    job.time_s += time;
    phase.left_s -= done;
    if (!sized || phase.left_s > kDone * phase.alone_s) return;
    phase.left_s = 0.0;
    if (++job.phase == job.phases.size()) job.ended = true;
  }

  void add_span(double from, double to, const std::vector<std::size_t>& present,
                const std::map<std::size_t, Share>& share) {
    if (to <= from) return;
    SharedSpan span{from, to, {}};
    for (const std::size_t j : present) {
      const Job& job = jobs_[j];
      const Share& own = share.at(j);
      const bool reads = job.phases[job.phase].reads;
      const RunResult& alone = job.out.alone;
      const double seconds = alone.totals.training_s > 0 ? alone.totals.training_s : alone.simulated_s;
      const double read = alone.totals.training_s > 0 ? alone.totals.read_bytes : alone.read_bytes;
      span.parts.push_back({j, own.rate, reads && seconds > 0 ? own.rate * read / seconds : 0.0,
                            reads && !job.serves() ? own.gpu_utilization : 0.0});
    }
    // What was cut in two by the end of a window goes on as one.
    if (!result_.spans.empty()) {
      SharedSpan& last = result_.spans.back();
      const auto same = [](const SharedSpan::Part& a, const SharedSpan::Part& b) {
        return a.job == b.job && a.rate == b.rate && a.gpu_utilization == b.gpu_utilization;
      };
      if (last.end_s == from &&
          std::equal(last.parts.begin(), last.parts.end(), span.parts.begin(), span.parts.end(), same)) {
        last.end_s = to;
        return;
      }
    }
    result_.spans.push_back(std::move(span));
  }

  // --- rates ---

  // The state of a training job that its rates depend on.
  using Key = std::vector<std::pair<std::size_t, std::size_t>>;  // job, regime

  JointJob joint_job(std::size_t j) const {
    const Job& job = jobs_[j];
    const Phase& phase = job.phases[job.phase];
    return {job.scenario, job.seed, phase.plan, job.serves() ? phase.left_s / phase.alone_s : 1.0};
  }

  Key key_of(const std::vector<std::size_t>& set) const {
    Key key;
    for (const std::size_t j : set) key.emplace_back(j, jobs_[j].phases[jobs_[j].phase].regime);
    return key;
  }

  // The rates of `set` with its loads until `horizon_s`; those of a set without loads last, and are simulated once.
  JointRates rates_of(const std::vector<std::size_t>& set, bool loads, double horizon_s) {
    const Key key = key_of(set);
    if (!loads && rates_.contains(key)) return rates_.at(key);
    std::vector<JointJob> jobs;
    for (const std::size_t j : set) jobs.push_back(joint_job(j));
    JointRates found = simulate_joint(scenarios_.front(), jobs,
                                      {options_.exact, options_.coarse, loads ? horizon_s : kForever, options_.stop});
    result_.events += found.events;
    result_.converged = result_.converged && found.converged;
    return loads ? found : rates_.emplace(key, std::move(found)).first->second;
  }

  // Of a training job alone in the phase that it is in, by the account of its own run: the steps that are simulated
  // beside others too, which are all but the first ones of the run and those near a checkpoint that comes seldom.
  static double alone_steps_per_s(const Job& job) {
    const std::size_t regime = job.phases[job.phase].regime;
    const bool saves = saves_often(*job.scenario);
    const auto rate = [&](const auto& counts) {
      LedgerPhase sum;
      for (const LedgerPhase& phase : job.out.alone.ledger)
        if (phase.epochs == regime && is_training(phase.kind) && counts(phase.kind)) add(sum, phase, 1.0);
      return sum.wall_s > 0.0 ? sum.steps / sum.wall_s : 0.0;
    };
    const double steady =
        rate([&](PhaseKind kind) { return kind != PhaseKind::kStart && (saves || kind != PhaseKind::kCheckpoint); });
    return steady > 0.0 ? steady : rate([](PhaseKind) { return true; });
  }

  // Checkpoints that are too seldom to be among the steps simulated together, or come with the run timeline, take the
  // part of the time that they take alone: they slow as everything does.
  static void add_checkpoints(Share& share, const Job& job) {
    constexpr auto kStops = static_cast<std::size_t>(LostTime::kCheckpoint);
    if (saves_often(*job.scenario)) return;
    const double stops = job.out.alone.lost_fraction[kStops];
    share.gpu_utilization *= 1.0 - stops;
    share.half_width *= 1.0 - stops;
    for (double& lost : share.lost_fraction) lost *= 1.0 - stops;
    share.lost_fraction[kStops] += stops;
  }

  SetShares shares_of(const std::vector<std::size_t>& set, double horizon_s) {
    const bool loads = std::any_of(set.begin(), set.end(), [this](std::size_t j) { return jobs_[j].serves(); });
    const JointRates together = rates_of(set, loads, horizon_s);
    SetShares out;
    // A window that was cut short says how fast it goes on.
    if (loads && !together.cut) out.window_s = together.window_s;
    for (std::size_t i = 0; i < set.size(); ++i) {
      const Job& job = jobs_[set[i]];
      const JointRates::Job& joint = together.jobs[i];
      Share& share = out.shares.emplace_back();
      if (job.serves()) {
        share.rate = joint.done_per_s * job.out.alone_s;
        share.finishes = joint.finished;
        share.load = joint.serving;
        continue;
      }
      const double alone_per_s = alone_steps_per_s(job);
      share.rate = alone_per_s > 0.0 ? joint.steps_per_s / alone_per_s : 1.0;
      share.gpu_utilization = joint.gpu_utilization;
      share.half_width = joint.half_width;
      share.lost_fraction = joint.lost_fraction;
      add_checkpoints(share, job);
    }
    return out;
  }

  // --- figures together ---

  void finish(Job& job) {
    SharedJob& out = job.out;
    const bool sized = std::isfinite(out.alone_s);
    if (!sized) out.end_s = kForever;
    // What was not simulated, because somebody asked to stop, counts as alone.
    if (sized && !job.ended) out.end_s = out.start_s + job.time_s + job.left_s();
    out.together_s = sized ? job.time_s + job.left_s() : kForever;
    if (sized && out.alone_s > 0.0) out.slowdown = out.together_s / out.alone_s;
    if (!sized && job.alone_s > 0.0) out.slowdown = job.reads_s / job.alone_s;
    if (job.serves()) {
      finish_load(job);
    } else {
      finish_training(job);
    }
  }

  // Bytes and steps are the same as alone; time is stretched, and what it is lost to is that of the run timeline.
  static void finish_training(Job& job) {
    SharedJob& out = job.out;
    out.together = out.alone;
    RunResult& run = out.together;
    if (job.alone_s <= 0.0 || job.reads_s <= 0.0) return;
    const double stretch = job.reads_s / job.alone_s, half = job.half_width_s / job.reads_s;
    const Scenario& s = *job.scenario;
    const auto gpus = static_cast<double>(s.ranks());
    const auto in_training = [](std::size_t c) {
      return c != index(LostTime::kStaging) && c != index(LostTime::kRework) && c != index(LostTime::kRecovery);
    };
    double lost_s = 0.0;
    for (std::size_t c = 0; c < job.lost_s.size(); ++c) lost_s += in_training(c) ? job.lost_s[c] : 0.0;
    for (LedgerPhase& phase : run.ledger) {
      if (phase.kind == PhaseKind::kListing || phase.kind == PhaseKind::kStaging) continue;
      phase.wall_s *= stretch;
      phase.unpaid_s *= stretch;
      if (!is_training(phase.kind)) {
        for (double& lost : phase.lost_gpu_s) lost *= stretch;
        continue;
      }
      const double lost_gpu_s = std::max(0.0, phase.wall_s * gpus - phase.compute_gpu_s);
      for (std::size_t c = 0; c < phase.lost_gpu_s.size(); ++c)
        phase.lost_gpu_s[c] = in_training(c) && lost_s > 0.0 ? lost_gpu_s * job.lost_s[c] / lost_s : 0.0;
    }
    for (double* rate : {&run.samples_per_s_mlperf, &run.au_steady, &run.au_mlperf, &run.storage_busy_fraction})
      *rate /= stretch;
    for (double* span : {&run.step_time_s.p50, &run.step_time_s.p99, &run.simulated_s}) *span *= stretch;
    set_figures(run, s, half, !std::isfinite(out.alone_s));
  }

  static void finish_load(Job& job) {
    SharedJob& out = job.out;
    ServingResult& load = out.serving_together = out.serving_alone;
    if (out.alone_s <= 0.0) {
      out.together = out.alone;
      return;
    }
    for (double* time : {&load.first_ready_s, &load.median_ready_s, &load.mean_ready_s, &load.last_byte_s}) {
      *time *= out.slowdown;
    }
    if (job.last_load) {
      load.first_ready_s = job.before_last_s + job.last_load->first_ready_s;
      load.median_ready_s = job.before_last_s + job.last_load->median_ready_s;
      load.mean_ready_s = job.before_last_s + job.last_load->mean_ready_s;
      load.last_byte_s = job.before_last_s + job.last_load->last_byte_s;
    }
    load.last_ready_s = out.together_s;
    load.complete = load.complete && job.ended;
    load.bytes_per_s = load.last_byte_s > 0.0 ? load.read_bytes / load.last_byte_s : 0.0;
    load.storage_busy_fraction /= out.slowdown;
    const double waited = std::accumulate(job.waited_s.begin(), job.waited_s.end(), 0.0);
    for (std::size_t c = 0; c < load.time_fraction.size(); ++c)
      load.time_fraction[c] = waited > 0.0 ? job.waited_s[c] / waited : 0.0;
    out.together = as_run(*job.scenario, load);
  }

  const RunOptions& options_;
  std::vector<Scenario> scenarios_;
  std::vector<Job> jobs_;
  std::map<Key, JointRates> rates_;
  SharedResult result_;
};

}  // namespace

SharedResult simulate_jobs(const std::vector<Scenario>& jobs, const RunOptions& options) {
  invariant(!jobs.empty(), "there is a job");
  for (const Scenario& s : jobs)
    invariant(jobs.size() == 1 || s.storage.scope == TierScope::kShared, "storage of several jobs is shared");
  const auto began = std::chrono::steady_clock::now();
  SharedResult out = SharedTimeline(jobs, options).run();
  out.stopped = options.stop.stop_requested();
  out.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return out;
}

std::vector<Scenario> all_jobs(const ResolvedScenario& resolved) {
  std::vector<Scenario> jobs = {resolved.scenario};
  for (const ResolvedScenario& other : resolved.concurrent_jobs) jobs.push_back(other.scenario);
  return jobs;
}

}  // namespace stallcast
