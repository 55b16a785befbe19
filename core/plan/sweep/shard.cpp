#include "core/plan/sweep/shard.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace stallcast {
namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || text.empty()) return std::nullopt;
  return value;
}

bool is_shard(const Shard& shard) {
  return shard.count >= 1 && shard.count <= kMaxShards && shard.number >= 1 && shard.number <= shard.count;
}

// **Source** Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014, figure 16 (mix64)
std::int64_t shift_of(std::int64_t round, std::int64_t count) {
  auto z = static_cast<std::uint64_t>(round);
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  z ^= z >> 31U;
  return static_cast<std::int64_t>(z % static_cast<std::uint64_t>(count));
}

Finding bad_shard(std::string file, std::string got, std::string fix) {
  Finding finding;
  finding.code = "bad_shard";
  finding.file = std::move(file);
  finding.got = std::move(got);
  finding.allowed = fmt::format("I/N with I from 1 to N, and N up to {}", kMaxShards);
  finding.fix = std::move(fix);
  return finding;
}

using Scheduled = Loaded<std::optional<ScheduledShard>>;

// Without a value, since there is a shard that cannot be told.
Scheduled not_told(const char* variable, std::string got) {
  Scheduled out;
  out.findings.add(bad_shard(variable, std::move(got), "give --shard I/N, or --shard 1/1 for the whole sweep"));
  return out;
}

Scheduled told(const Shard& shard, std::string said_by) {
  return {.value = ScheduledShard{shard, std::move(said_by)}, .findings = {}};
}

// A variable as a whole number; `missing` when it is not set.
std::optional<std::int64_t> number_of(const EnvironmentLookup& lookup, const char* name, std::int64_t missing) {
  const char* text = lookup(name);
  return text == nullptr ? missing : whole_number(text);
}

Scheduled slurm_shard(const EnvironmentLookup& lookup, const std::string& task) {
  const auto id = whole_number(task);
  const auto count = number_of(lookup, "SLURM_ARRAY_TASK_COUNT", 0);
  const auto first = number_of(lookup, "SLURM_ARRAY_TASK_MIN", 1);
  const auto step = number_of(lookup, "SLURM_ARRAY_TASK_STEP", 1);
  const std::string said_by = "SLURM_ARRAY_TASK_ID=" + task;
  if (!id || !count || !first || !step || *step < 1 || *id < *first || (*id - *first) % *step != 0)
    return not_told("SLURM_ARRAY_TASK_ID", said_by);
  const Shard shard{(*id - *first) / *step + 1, *count};
  if (!is_shard(shard)) return not_told("SLURM_ARRAY_TASK_ID", fmt::format("{}, task {}", said_by, shard_text(shard)));
  return told(shard, said_by);
}

Scheduled kubernetes_shard(const EnvironmentLookup& lookup, const std::string& index) {
  const char* count_text = lookup(kShardsVariable);
  const auto number = whole_number(index);
  const auto count = number_of(lookup, kShardsVariable, 0);
  const std::string said_by = "JOB_COMPLETION_INDEX=" + index;
  if (!number || !count || *number >= kMaxShards || !is_shard({*number + 1, *count})) {
    return not_told("JOB_COMPLETION_INDEX",
                    fmt::format("{} with {} {}", said_by, kShardsVariable,
                                count_text == nullptr ? "not set" : fmt::format("'{}'", count_text)));
  }
  return told({*number + 1, *count}, said_by);
}

}  // namespace

Shard Shard::of(std::int64_t index, std::int64_t count) {
  const std::int64_t place = index % count;
  return {(place + count - shift_of(index / count, count)) % count + 1, count};
}

std::int64_t Shard::size(std::int64_t points) const {
  const std::int64_t rounds = points / count;
  return rounds + (point(rounds) < points ? 1 : 0);
}

std::int64_t Shard::point(std::int64_t position) const {
  return position * count + (number - 1 + shift_of(position, count)) % count;
}

std::optional<std::int64_t> Shard::position(std::int64_t index) const {
  const std::int64_t round = index / count;
  if (index < 0 || point(round) != index) return std::nullopt;
  return round;
}

Loaded<Shard> parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  Loaded<Shard> out;
  if (slash != std::string_view::npos) {
    const auto number = whole_number(text.substr(0, slash));
    const auto count = whole_number(text.substr(slash + 1));
    if (number && count && is_shard({*number, *count})) {
      out.value = Shard{*number, *count};
      return out;
    }
  }
  out.findings.add(bad_shard("--shard", std::string(text), "the first of eight is 1/8, the last 8/8"));
  return out;
}

std::string shard_text(const Shard& shard) { return fmt::format("{}/{}", shard.number, shard.count); }

Scheduled shard_from_environment(const EnvironmentLookup& lookup) {
  if (const char* task = lookup("SLURM_ARRAY_TASK_ID")) return slurm_shard(lookup, task);
  if (const char* index = lookup("JOB_COMPLETION_INDEX")) return kubernetes_shard(lookup, index);
  return {.value = std::optional<ScheduledShard>{}, .findings = {}};
}

}  // namespace stallcast
