#include "core/report/text/job_seen_text.h"

#include <fmt/format.h>

#include "core/report/words/text_layout.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

std::string_view source_words(const JobFigures& f) {
  switch (f.source) {
    case Activity::kNetwork:
      return "the network";
    case Activity::kSleep:
      return "a clock (they sleep)";
    default:
      return "files";
  }
}

std::string time_of_batch(double time_s) { return short_text(Dimension::kTime, time_s); }

std::string process_lines(const JobTree& tree, const JobWatch& watch, const JobFigures& f) {
  const JobProcess& trainer = tree.ranks.front().trainer;
  std::string out = labelled("Job", printable(cut(trainer.command.empty() ? trainer.name : trainer.command, 200)));
  std::string processes = fmt::format("{} {} (process {}{})", f.ranks, f.ranks == 1 ? "trainer" : "trainers",
                                      trainer.pid, f.ranks > 1 ? " and more" : "");
  processes += f.workers > 0 ? fmt::format(", {} loader {}{}", f.workers, f.workers == 1 ? "worker" : "workers",
                                           f.ranks > 1 ? " each" : "")
                             : ", no loader workers: it loads by itself";
  int turns = 0;
  for (const SeenRank& rank : watch.ranks) turns += rank.turns;
  if (turns > 0)
    processes += fmt::format("; workers ended and others started {} {} meanwhile, as at the end of an epoch", turns,
                             turns == 1 ? "time" : "times");
  if (!tree.container_pid.empty())
    processes += fmt::format("; in a container, where the trainer is process {}", tree.container_pid);
  return out + labelled("Processes", processes);
}

std::string pace_lines(const JobFigures& f) {
  std::string out;
  if (f.batches_per_s) {
    out += labelled("Pace", fmt::format("{:.3g} batches/s of each trainer ({})", *f.batches_per_s, f.batches_from));
  }
  if (f.workers > 0) {
    out += labelled("Trainer",
                    fmt::format("{} of its time it waits for the next batch; {} on a core, {} for anything "
                                "else, as the accelerator",
                                percent(f.trainer_waits), percent(f.trainer_running), percent(f.trainer_blocked)));
  }
  if (f.gpu_busy >= 0.0) out += labelled("GPUs", fmt::format("{} busy, as their driver says", percent(f.gpu_busy)));
  std::string doing = fmt::format("{} on a core", percent(f.running));
  if (f.waiting_for_core > kWorthARow) doing += fmt::format(", {} waiting for a core", percent(f.waiting_for_core));
  if (f.waiting_for_source > kWorthARow)
    doing += fmt::format(", {} waiting for {}", percent(f.waiting_for_source), source_words(f));
  if (f.waiting_for_index > kWorthARow)
    doing += fmt::format(", {} idle: nothing is asked of them", percent(f.waiting_for_index));
  if (f.other > kWorthARow) doing += fmt::format(", {} anything else", percent(f.other));
  out += labelled(f.workers > 0 ? "Workers" : "Trainer", doing);
  out += labelled(
      "Cores",
      fmt::format("{:.3g} for the job{}", f.cores,
                  f.others_cores > 0.1 ? fmt::format("; other programs keep {:.1f} busy", f.others_cores) : ""));
  return out;
}

std::string data_lines(const JobFigures& f) {
  std::string out;
  if (f.batches_per_s && f.load_cpu_s > 0.0) {
    std::string batch = fmt::format("{} of CPU", time_of_batch(f.load_cpu_s));
    if (f.source_wait_s > 1e-5)
      batch += fmt::format(", {} of waiting for {}", time_of_batch(f.source_wait_s), source_words(f));
    if (f.read_bytes > 0.0)
      batch += fmt::format(", {} in {:.0f} read calls", short_text(Dimension::kBytes, f.read_bytes), f.read_calls);
    const double varies = std::max(f.cpu_variation, f.wait_variation);
    if (varies > 0.1)
      batch += fmt::format(
          "; {} varies by {:.0f} % from batch to batch",
          f.cpu_variation * f.load_cpu_s >= f.wait_variation * f.source_wait_s ? "the CPU time" : "the wait",
          100.0 * (f.cpu_variation * f.load_cpu_s >= f.wait_variation * f.source_wait_s ? f.cpu_variation
                                                                                        : f.wait_variation));
    out += labelled("A batch takes", batch);
  }
  std::string read = f.read_bytes_per_s > 0.0 ? short_text(Dimension::kByteRate, f.read_bytes_per_s) : "nothing";
  if (f.read_bytes_per_s > 0.0 && f.source != Activity::kNetwork)
    read += fmt::format(", {} of it from a disk or an NFS server, the rest from caches", percent(f.fetched_share));
  out += labelled("Reads", read);
  if (!f.folder.empty()) {
    out += labelled("Files", fmt::format("{} *{} {} in {} ({}), {} on average{}", f.files_seen, f.extension,
                                         f.files_seen == 1 ? "file" : "files", printable(f.folder),
                                         f.mount_type.empty() ? "mount not known" : f.mount_type,
                                         short_text(Dimension::kBytes, f.file_bytes),
                                         f.file_per_sample ? ", read whole"
                                         : f.in_order      ? ", read from front to back"
                                                           : ", read in parts"));
  }
  if (!f.sharing_from.empty()) out += labelled("More readers", f.sharing_from);
  return out;
}

}  // namespace

std::string render_text(const JobTree& tree, const JobWatch& watch, const JobFigures& figures,
                        const std::vector<std::string>& missing) {
  std::string out = process_lines(tree, watch, figures) + pace_lines(figures) + data_lines(figures);
  out += labelled("Watched", fmt::format("{:.1f} s, {} looks, which took {} of one core{}", watch.time_s, watch.looks,
                                         percent(watch.own_cpu_s / std::max(1e-9, watch.time_s)),
                                         watch.job_ended ? "; then the process ended" : ""));
  if (!watch.calls_seen) {
    out += labelled("",
                    "The kernel does not say which calls processes wait in (kernel.yama.ptrace_scope, or no "
                    "permission): waits for a socket may be counted as idle.");
  }
  std::string label = "Not seen";
  for (const std::string& one : missing) {
    out += labelled(label, one);
    label.clear();
  }
  return out;
}

Json job_seen_json(const JobTree& tree, const JobWatch& watch, const JobFigures& f,
                   const std::vector<std::string>& missing) {
  Json ranks = Json::array();
  for (const JobRank& rank : tree.ranks) {
    Json workers = Json::array();
    for (const JobProcess& worker : rank.workers) workers.push_back(worker.pid);
    ranks.push_back({{"pid", rank.trainer.pid}, {"command", rank.trainer.command}, {"worker_pids", workers}});
  }
  const auto or_null = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
  const char* const sharing = f.sharing == SourceSharing::kShared      ? "shared"
                              : f.sharing == SourceSharing::kLimited   ? "limited"
                              : f.sharing == SourceSharing::kPerReader ? "per_reader"
                                                                       : "unknown";
  return {{"ranks", ranks},
          {"workers_per_rank", f.workers},
          {"watched_s", watch.time_s},
          {"looks", watch.looks},
          {"worker_looks", watch.worker_looks},
          {"own_cpu_s", watch.own_cpu_s},
          {"job_ended", watch.job_ended},
          {"cores", f.cores},
          {"others_cores", f.others_cores},
          {"gpu_busy_fraction", f.gpu_busy >= 0.0 ? Json(f.gpu_busy) : Json()},
          {"batches_per_s", or_null(f.batches_per_s)},
          {"batches_from", f.batches_from},
          {"trainer",
           {{"waits_fraction", f.trainer_waits},
            {"running_fraction", f.trainer_running},
            {"waiting_for_core_fraction", f.trainer_queued},
            {"blocked_fraction", f.trainer_blocked}}},
          {"loaders",
           {{"running_fraction", f.running},
            {"waiting_for_core_fraction", f.waiting_for_core},
            {"waiting_for_source_fraction", f.waiting_for_source},
            {"source", activity_name(f.source)},
            {"idle_fraction", f.waiting_for_index},
            {"other_fraction", f.other}}},
          {"batch",
           {{"load_cpu_s", f.load_cpu_s},
            {"cpu_variation", f.cpu_variation},
            {"source_wait_s", f.source_wait_s},
            {"wait_variation", f.wait_variation},
            {"timed_batches", f.timed_batches},
            {"trainer_cpu_s", f.trainer_cpu_s},
            {"trainer_blocked_s", f.trainer_blocked_s},
            {"read_bytes", f.read_bytes},
            {"read_calls", f.read_calls}}},
          {"read_bytes_per_s", f.read_bytes_per_s},
          {"fetched_fraction", f.fetched_share},
          {"sharing",
           {{"kind", sharing},
            {"from", f.sharing_from},
            {"exponent", f.sharing_exponent},
            {"exponent_error", f.sharing_error},
            {"bytes_per_s", f.shared_bytes_per_s}}},
          {"files",
           {{"folder", f.folder},
            {"mount_type", f.mount_type},
            {"extension", f.extension},
            {"seen", f.files_seen},
            {"mean_bytes", f.file_bytes},
            {"variation", f.file_variation},
            {"one_per_sample", f.file_per_sample}}},
          {"not_seen", missing}};
}

}  // namespace stallcast
