#include <fmt/format.h>

#include <cmath>

#include "core/scenario/check/check.h"
#include "core/scenario/check/check_context.h"
#include "core/scenario/run_length.h"

namespace stallcast {
namespace {

class CourseChecks : CheckContext {
 public:
  explicit CourseChecks(const CheckContext& context) : CheckContext(context), f_(s_.failures) {}

  void run() {
    if (s_.job == JobKind::kTraining) {
      check_failures();
      check_spares();
      check_outages();
      check_preemption();
      check_maintenance();
      check_recovery();
      check_length();
    }
    check_cost();
    check_plan();
  }

 private:
  bool fails() const { return f_.mtti.base() > 0.0 || f_.per_1000_node_days > 0.0; }
  bool outages() const { return f_.outage_mtti.base() > 0.0; }
  bool preempted() const { return s_.cost.pricing == HostPricing::kSpot && f_.preemption_mtti.base() > 0.0; }
  bool loses_data() const {
    return s_.storage.scope == TierScope::kShared && s_.storage.mean_time_to_data_loss.base() > 0.0;
  }
  bool strikes() const { return fails() || outages() || preempted(); }

  // Whether the values can be is known to who tries them (plan/space).
  void check_plan() {
    for (std::size_t i = 0; i < s_.plan.vary.size(); ++i) {
      if (auto finding = not_a_variable(s_.plan.vary[i], file_, fmt::format("/plan/vary/{}", i)))
        findings_.add(std::move(*finding));
    }
  }

  void check_failures() {
    if (given("/failures/mtti") && f_.mtti.base() <= 0.0) {
      error("out_of_range", "/failures/mtti", "more than 0 s",
            "leave it out when nothing fails, or when per_1000_node_days says how often",
            "no time between failures is no run at all");
    }
    unused_unless(f_.mtti.base() <= 0.0, "/failures/per_1000_node_days", "mtti says how often the job fails");
    for (const char* pointer : {"/failures/law", "/failures/nodes_per_failure", "/failures/node_loss_fraction"})
      unused_unless(fails(), pointer, "nothing fails: give mtti or per_1000_node_days");
    unused_unless(f_.law == FailureLaw::kWeibull, "/failures/weibull_shape", "law is not weibull");
    at_most_nodes("/failures/nodes_per_failure", f_.nodes_per_failure, "one failure takes out more machines");
    if (strikes() && s_.checkpoint.mode == CheckpointMode::kNone) {
      warning("no_checkpoints", "/checkpoint/mode", "sync or async", "give what is written, and how often",
              "every interruption starts the job over");
    }
  }

  void at_most_nodes(const char* pointer, std::int64_t value, const char* why) {
    if (value <= s_.cluster.nodes) return;
    error("out_of_range", pointer, fmt::format("up to {}", s_.cluster.nodes), "",
          fmt::format("{} than the job has", why));
  }

  void check_spares() {
    const bool replaces = fails() && f_.node_loss_fraction > 0.0;
    const char* why = fails() ? "node_loss_fraction is 0: no machine is replaced" : "no machine fails";
    unused_unless(replaces, "/failures/spares", why);
    unused_unless(replaces, "/failures/replacement_time", why);
    unused_unless(f_.spares > 0, "/failures/swap_time", "there are no spares");
    unused_unless(f_.spares > 0, "/failures/repair_time", "there are no spares to bring back");
    at_most_nodes("/failures/spares", f_.spares, "there are more spares");
  }

  void check_outages() {
    for (const char* pointer : {"/failures/outage_nodes", "/failures/outage_time"})
      unused_unless(outages(), pointer, "outage_mtti is 0: there are no outages");
    if (!outages()) return;
    at_most_nodes("/failures/outage_nodes", f_.outage_nodes, "an outage takes more machines");
    if (f_.outage_time.base() <= 0.0 && !given("/failures/outage_time")) {
      warning("missing_value", "/failures/outage_time", "", "give how long they are away, like \"2 h\"",
              "without it they are back at once");
    }
  }

  void check_preemption() {
    const bool spot = s_.cost.pricing == HostPricing::kSpot;
    for (const char* pointer :
         {"/failures/preemption_mtti", "/failures/preemption_notice", "/failures/preemption_wait"}) {
      unused_unless(preempted() || (spot && std::string_view(pointer).ends_with("mtti")), pointer,
                    spot ? "preemption_mtti is 0" : "/cost/pricing is not spot");
    }
  }

  void check_maintenance() {
    const double interval = f_.maintenance_interval.base(), time = f_.maintenance_time.base();
    unused_unless(interval > 0.0, "/failures/maintenance_time", "maintenance_interval is 0");
    if (interval > 0.0 && time >= interval) {
      error("contradiction", "/failures/maintenance_time", "less than maintenance_interval", "",
            "the next one is due before this one is over");
    }
  }

  // What a run does after an interruption, and what draws at random.
  void check_recovery() {
    const bool interrupted = strikes() || loses_data() || f_.maintenance_interval.base() > 0.0;
    const char* why = "nothing interrupts the run";
    unused_unless(fails() || outages() || loses_data(), "/failures/detection_time", why);
    unused_unless(interrupted, "/failures/restart_time", why);
    const bool restores = interrupted && s_.checkpoint.mode != CheckpointMode::kNone;
    if (s_.checkpoint.mode != CheckpointMode::kNone) {
      for (const char* pointer : {"/checkpoint/restore_readers", "/checkpoint/restore_efficiency"})
        unused_unless(restores, pointer, why);
    }
    unused_unless(strikes() || loses_data(), "/run/replications", "nothing interrupts the run at random");
  }

  void check_length() {
    const RunSpec& r = s_.run;
    const auto samples = static_cast<double>(s_.dataset.samples);
    const double step_samples = static_cast<double>(s_.workload.batch_size) * static_cast<double>(s_.ranks());
    const bool shards_say = s_.loader.style == LoaderStyle::kIterable && s_.dataset.shards_per_rank > 0;
    const bool iterable = s_.loader.style == LoaderStyle::kIterable;  // its epochs end with their shards
    if (r.whole_run && samples <= 0.0 && iterable && !shards_say) {
      error("missing_value", "/dataset/shards_per_rank", "1 or more", "give it, or /dataset/samples",
            "a whole run must know its length");
    } else if (r.whole_run && r.steps_per_epoch == 0 && samples <= 0.0 && !shards_say) {
      error("missing_value", "/run/steps_per_epoch", "1 or more", "give it, or /dataset/samples",
            "a whole run must know its length");
    }
    unused_group_unless(
        epoch_steps(s_) > 0.0, "failures",
        "without /dataset/samples or /run/steps_per_epoch the run has no length: nothing interrupts it");
    const auto given = static_cast<double>(r.steps_per_epoch);
    if (iterable && given > epoch_steps(s_)) {
      warning("epoch_exceeds_dataset", "/run/steps_per_epoch", fmt::format("up to {:.0f}", epoch_steps(s_)), "",
              "an epoch ends with its shards");
    } else if (samples >= step_samples && given > std::ceil(samples / step_samples)) {
      warning("epoch_exceeds_dataset", "/run/steps_per_epoch",
              fmt::format("up to {:.0f}", std::ceil(samples / step_samples)), "", "the dataset has no more batches");
    }
  }

  void check_cost() {
    unused_unless(s_.cost.storage_lifetime == StorageLifetime::kAlways, "/cost/runs_per_month",
                  "storage_lifetime is job: this run pays for all of it");
    const bool checkpoints = s_.job == JobKind::kTraining && s_.checkpoint.mode != CheckpointMode::kNone;
    unused_unless(checkpoints, "/cost/kept_checkpoints", "the job writes no checkpoints");
    unused_unless(checkpoints, "/cost/checkpoint_retention", "the job writes no checkpoints");
    unused_unless(s_.cost.people_price.base() > 0.0, "/cost/people_time", "/cost/people_price is not given");
    unused_unless(s_.cost.people_time.base() > 0.0, "/cost/people_price", "/cost/people_time is not given");
  }

  const FailureSpec& f_;
};

class ServingChecks : CheckContext {
 public:
  explicit ServingChecks(const CheckContext& context) : CheckContext(context) {}

  void run() {
    unused_group_unless(s_.job == JobKind::kServing, "serving", "/job is training");
    if (s_.job == JobKind::kTraining) return;
    if (s_.serving.weights.base() <= 0.0) {
      error("missing_value", "/serving/weights", "more than 0 B", "give what each machine loads, like \"141 GB\"",
            "/job is serving");
    }
    if (s_.checkpoint.mode != CheckpointMode::kNone) {
      error("contradiction", "/checkpoint/mode", "none when /job is serving", "did you mean /job \"training\"?",
            "machines that serve a model do not change it");
    }
    for (const char* group : {"workload", "dataset", "loader", "page_cache", "node_cache", "server_cache",
                              "regional_cache", "origin", "staging", "model", "checkpoint", "failures"})
      unused_group_unless(false, group, "/job is serving: nothing is trained", {"mode"});
    const double capacity = s_.storage.capacity.base();
    const double weights = s_.serving.weights.base();
    if (capacity > 0.0 && weights > capacity) {
      error("does_not_fit", "/serving/weights", fmt::format("up to {:.3g} GB", capacity * 1e-9),
            "provision more storage", "the storage has to hold them");
    }
  }
};

}  // namespace

std::optional<Finding> not_a_variable(std::string_view text, const std::string& file, const std::string& pointer) {
  const std::size_t equals = text.find('=');
  if (equals != std::string_view::npos && equals > 0 && equals + 1 < text.size()) return std::nullopt;
  return Finding{Severity::kError,
                 "not_a_variable",
                 file,
                 pointer,
                 std::string(text),
                 "PATH=a,b,c or PATH=lo..hi:step",
                 "write it like loader.num_workers=4,8,16",
                 ""};
}

void check_course(const CheckContext& context) { CourseChecks(context).run(); }

void check_serving(const CheckContext& context) { ServingChecks(context).run(); }

}  // namespace stallcast
