#include "core/result/json/timeline_json.h"

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "core/result/json/run_result_json.h"
#include "core/result/timeline_requirements.h"

namespace stallcast {
namespace {

using nlohmann::ordered_json;

struct Count {
  std::string_view name;
  double SimulatedRun::*member;
};
// Every member that is one number, but wall_s.
constexpr std::array<Count, 12> kCounts = {{{"steps_lost", &SimulatedRun::steps_lost},
                                            {"useful_gpu_s", &SimulatedRun::useful_gpu_s},
                                            {"computed_gpu_s", &SimulatedRun::computed_gpu_s},
                                            {"checkpoints", &SimulatedRun::checkpoints},
                                            {"stored_checkpoints", &SimulatedRun::stored_checkpoints},
                                            {"exported_checkpoints", &SimulatedRun::exported_checkpoints},
                                            {"skipped_checkpoints", &SimulatedRun::skipped_checkpoints},
                                            {"restores", &SimulatedRun::restores},
                                            {"restored_bytes", &SimulatedRun::restored_bytes},
                                            {"rehydrations", &SimulatedRun::rehydrations},
                                            {"unpaid_s", &SimulatedRun::unpaid_s},
                                            {"staged_bytes", &SimulatedRun::staged_bytes}}};
static_assert(sizeof(SimulatedRun) == sizeof(double) * (1 + kWallTimes + kInterruptions + kCounts.size()),
              "every member of SimulatedRun is written and read");

template <std::size_t kSize, class Name>
ordered_json by_name(const std::array<double, kSize>& values, Name name) {
  ordered_json all = ordered_json::object();
  for (std::size_t i = 0; i < kSize; ++i) all[std::string(name(i))] = values[i];
  return all;
}

std::string_view part_name(std::size_t i) { return wall_time_name(static_cast<WallTime>(i)); }
std::string_view kind_name(std::size_t i) { return interruption_name(static_cast<Interruption>(i)); }

bool read_number(const ordered_json& object, std::string_view key, double& value) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return false;
  value = found->get<double>();
  return std::isfinite(value);
}

template <std::size_t kSize, class Name>
bool read_by_name(const ordered_json& object, std::string_view key, std::array<double, kSize>& values, Name name) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_object() || found->size() != kSize) return false;
  for (std::size_t i = 0; i < kSize; ++i)
    if (!read_number(*found, name(i), values[i])) return false;
  return true;
}

ordered_json wall_to_json(const TimelineResult& timeline) {
  ordered_json wall = estimate_to_json(timeline.wall_s);
  wall["p10"] = timeline.wall_p10_s;
  wall["p90"] = timeline.wall_p90_s;
  return wall;
}

ordered_json wall_time_to_json(const SimulatedRun& mean) {
  ordered_json parts = ordered_json::object();
  for (std::size_t i = 0; i < kWallTimes; ++i) {
    parts[std::string(part_name(i))] = {{"seconds", mean.time_s[i]},
                                        {"fraction", mean.wall_s > 0.0 ? mean.time_s[i] / mean.wall_s : 0.0},
                                        {"goodput_bucket", std::string(goodput_bucket(static_cast<WallTime>(i)))}};
  }
  return parts;
}

ordered_json interruptions_to_json(const TimelineResult& timeline) {
  ordered_json kinds = ordered_json::object();
  for (std::size_t i = 0; i < kInterruptions; ++i) {
    ordered_json kind = estimate_to_json(timeline.interruptions[i]);
    kind["sd"] = timeline.interruptions_sd[i];
    kinds[std::string(kind_name(i))] = std::move(kind);
  }
  return kinds;
}

ordered_json counts_to_json(const SimulatedRun& run) {
  ordered_json counts = ordered_json::object();
  for (const Count& count : kCounts) counts[std::string(count.name)] = run.*count.member;
  return counts;
}

ordered_json checkpoint_to_json(const CheckpointBehaviour& checkpoint) {
  if (checkpoint.interval_s <= 0.0) return nullptr;
  return {{"size_bytes", checkpoint.size},       {"interval_steps", checkpoint.interval_steps},
          {"interval_s", checkpoint.interval_s}, {"stop_s", checkpoint.stop_s},
          {"slowdown_s", checkpoint.slowdown_s}, {"write_s", checkpoint.write_s},
          {"storage_s", checkpoint.storage_s},   {"export_s", checkpoint.export_s},
          {"restore_s", checkpoint.restore_s},   {"first_level_restore_s", checkpoint.first_level_restore_s}};
}

ordered_json optimum_to_json(const OptimalInterval& optimum) {
  if (optimum.interval_s <= 0.0) return nullptr;
  ordered_json points = ordered_json::array();
  for (const OptimalInterval::Point& point : optimum.points)
    points.push_back({{"interval_s", point.interval_s}, {"wall_s", point.wall_s}});
  return {{"interval_s", optimum.interval_s},
          {"wall_s", optimum.wall_s},
          {"free_interval_s", optimum.free_s},
          {"free_wall_s", optimum.free_wall_s},
          {"points", std::move(points)}};
}

ordered_json requirements_to_json(const TimelineResult& timeline) {
  const std::optional<TimelineRequirements> required = timeline_requirements(timeline);
  if (!required) return nullptr;
  const auto most = [](const std::optional<double>& value) { return value ? ordered_json(*value) : ordered_json(); };
  return {{"target_ettr", required->target_ettr},
          {"wall_s", required->wall_s},
          {"interruption_cost_s", most(required->interruption_cost_s)},
          {"stop_s", most(required->stop_s)},
          {"between_interruptions_s", most(required->between_interruptions_s)}};
}

}  // namespace

ordered_json simulated_run_to_json(const SimulatedRun& run) {
  ordered_json json = {{"wall_s", std::isinf(run.wall_s) ? ordered_json() : ordered_json(run.wall_s)},
                       {"time_s", by_name(run.time_s, part_name)},
                       {"interruptions", by_name(run.interruptions, kind_name)}};
  json.update(counts_to_json(run));
  return json;
}

std::optional<SimulatedRun> simulated_run_from_json(const ordered_json& json) {
  SimulatedRun run;
  if (!json.is_object() || json.size() != 3 + kCounts.size()) return std::nullopt;
  const bool endless = json.contains("wall_s") && json.at("wall_s").is_null();
  if (endless) run.wall_s = std::numeric_limits<double>::infinity();
  if ((!endless && !read_number(json, "wall_s", run.wall_s)) || !read_by_name(json, "time_s", run.time_s, part_name) ||
      !read_by_name(json, "interruptions", run.interruptions, kind_name))
    return std::nullopt;
  for (const Count& count : kCounts)
    if (!read_number(json, count.name, run.*count.member)) return std::nullopt;
  return run;
}

ordered_json timeline_to_json(const TimelineResult& timeline) {
  if (timeline.replications == 0) return nullptr;
  return {{"replications", timeline.replications},
          {"interrupted", timeline.interrupted},
          {"mtti_s", timeline.mtti_s > 0.0 ? ordered_json(timeline.mtti_s) : ordered_json()},
          {"ideal_s", timeline.ideal_s},
          {"startup_s", timeline.startup_s},
          {"wall_s", wall_to_json(timeline)},
          {"goodput_fraction", estimate_to_json(timeline.goodput_fraction)},
          {"ettr", estimate_to_json(timeline.ettr)},
          {"wall_time", wall_time_to_json(timeline.mean)},
          {"interruptions", interruptions_to_json(timeline)},
          {"mean", counts_to_json(timeline.mean)},
          {"checkpoint", checkpoint_to_json(timeline.checkpoint)},
          {"optimum", optimum_to_json(timeline.optimum)},
          {"requirements", requirements_to_json(timeline)}};
}

}  // namespace stallcast
