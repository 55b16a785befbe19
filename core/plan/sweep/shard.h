// One of several parts that a sweep is cut into, so that machines which know nothing of each other can do one each.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/diagnostics/finding.h"

namespace stallcast {

// Part `number` of `count`, counted from 1: "3/8" is the third of eight.
//
// **Model** Points are dealt in rounds of `count`, one to each shard: point i = round * count + place belongs to shard
// (place - shift) mod count, from 0, where the shift is a hash of the round (the finalizer of SplitMix64, mod count).
// Neighbouring points take about as long as each other, so every shard gets its share of the slow corners of a space;
// without the shift, 8 shards of a space whose last axis has 8 values would get one value each.
struct Shard {
  std::int64_t number = 1;
  std::int64_t count = 1;

  // The one of `count` that point `index` belongs to. **Range** index >= 0
  static Shard of(std::int64_t index, std::int64_t count);

  // How many of `points` points belong to it.
  std::int64_t size(std::int64_t points) const;
  // The index in the sweep of its point `position`, in [0, size(points)).
  std::int64_t point(std::int64_t position) const;
  // The position of point `index` in it, or nothing when the point belongs to another shard.
  std::optional<std::int64_t> position(std::int64_t index) const;

  bool operator==(const Shard&) const = default;
};

inline constexpr std::int64_t kMaxShards = 1'000'000;

// "3/8". **Errors** the finding "bad_shard", file "--shard".
Loaded<Shard> parse_shard(std::string_view text);

std::string shard_text(const Shard& shard);  // "3/8"

// A shard that a job scheduler says, and what said it.
struct ScheduledShard {
  Shard shard;
  std::string said_by;  // "SLURM_ARRAY_TASK_ID=3"
};

// Looks a variable of the environment up; null when it is not set.
using EnvironmentLookup = std::function<const char*(const char* name)>;

// How many shards a Kubernetes Job has, which Kubernetes itself does not say to its pods.
inline constexpr const char* kShardsVariable = "STALLCAST_SHARDS";

// The shard of a task of a Slurm job array (SLURM_ARRAY_TASK_ID with _MIN, _STEP and _COUNT) or of a pod of a
// Kubernetes Indexed Job (JOB_COMPLETION_INDEX with kShardsVariable); nothing outside of both.
// **Errors** the finding "bad_shard" when the variables are there but make no shard.
Loaded<std::optional<ScheduledShard>> shard_from_environment(const EnvironmentLookup& lookup);

}  // namespace stallcast
