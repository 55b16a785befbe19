#include "cli/options/fail_if_points.h"

#include <fmt/format.h>

#include <cstddef>
#include <ostream>
#include <string>

#include "core/plan/sweep/sweep_point.h"

namespace stallcast {
namespace {

constexpr std::size_t kNamed = 10;  // more points are counted

// The points of which one condition is true.
struct Failures {
  std::vector<std::string> named;  // "3 (/loader/num_workers=2): 45 %"
  std::int64_t count = 0;
};

// "/loader/num_workers=2 /storage/tier=gcs_standard"
std::string settings_of(const nlohmann::ordered_json& line) {
  std::string text;
  for (const auto& [key, value] : line.items()) {
    if (!key.starts_with('/') || value.is_null()) continue;
    text += (text.empty() ? "" : " ") + key + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

void add(Failures& failures, const Assertion& condition, const nlohmann::ordered_json& line) {
  const Checked checked = check(condition, point_document(line));
  if (checked.verdict == Verdict::kFine) return;
  ++failures.count;
  if (failures.named.size() >= kNamed) return;
  failures.named.push_back(fmt::format("{} ({}): {}", *index_of_point(line), settings_of(line),
                                       checked.found ? value_of_path_text(condition.path, *checked.found)
                                                     : std::string("not known, so it cannot pass")));
}

}  // namespace

void add_fail_if_points_option(CLI::App& command, FailIfTexts& texts) {
  add_fail_if_option(command, texts,
                     "End with exit code 4, after the results were written, when a figure of any point is such, as in "
                     "'gpu_utilization<0.9' or 'cost.total_usd > $500', or is not known; of a shard, of its points. "
                     "Configurations that cannot be are passed over. May be repeated");
}

std::optional<std::vector<Assertion>> read_fail_if_points(const FailIfTexts& texts, const Environment& environment) {
  return read_fail_if(texts, point_shape(), environment);
}

int fail_if_points_code(const std::vector<Assertion>& conditions, const std::vector<std::string_view>& lines,
                        const Environment& environment) {
  if (conditions.empty()) return kExitFine;
  std::vector<Failures> failures(conditions.size());
  std::int64_t points = 0;
  for (const std::string_view text : lines) {
    if (text.empty()) continue;
    const auto line = nlohmann::ordered_json::parse(text);
    if (!point_is_fine(line)) continue;
    ++points;
    for (std::size_t c = 0; c < conditions.size(); ++c) add(failures[c], conditions[c], line);
  }
  int code = kExitFine;
  for (std::size_t c = 0; c < conditions.size(); ++c) {
    if (failures[c].count == 0) continue;
    code = kExitTargetsNotMet;
    environment.err << fmt::format("stallcast: --fail-if '{}': true of {} of {} points\n", conditions[c].text,
                                   failures[c].count, points);
    for (const std::string& one : failures[c].named) environment.err << "  point " << one << '\n';
    const auto more = failures[c].count - static_cast<std::int64_t>(failures[c].named.size());
    if (more > 0) environment.err << fmt::format("  and {} more\n", more);
  }
  return code;
}

}  // namespace stallcast
