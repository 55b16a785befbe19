// What one could change about a job: one resource idealised, or one setting turned.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/space/space.h"
#include "core/result/lost_time.h"
#include "core/scenario/scenario.h"

namespace stallcast {

inline constexpr std::int64_t kMostWorkersTried = 128;  // loader processes of a GPU: more than anybody starts

// What kind of change it is: an experiment of thought, or something a person can set today.
enum class ChangeKind { kIdeal, kSetting };

struct Change {
  std::string name;  // stable snake_case word: "storage_latency", "double_workers", ...
  ChangeKind kind = ChangeKind::kIdeal;
  std::string phrase;   // "storage answered at once", "loader.num_workers 4 to 8"
  Scenario scenario;    // with the change made
  Point settings = {};  // that make it, where they are not just the fields that differ
};

// Every change that applies to `scenario`, in the order of the causes.
std::vector<Change> possible_changes(const Scenario& scenario);

// The fields that tell two jobs apart, with the values of `then`.
Point settings_between(const Scenario& now, const Scenario& then);

// The place of a change in the order of what it takes: an argument of the loader before more processes, twice as many
// of these before four times, and anything else after them.
std::size_t effort_of(std::string_view change);

// The cause of lost time that a change of this name takes away; nothing where it is no cause's own.
std::optional<LostTime> cause_against(std::string_view change);

}  // namespace stallcast
