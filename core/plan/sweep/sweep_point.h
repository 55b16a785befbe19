// One point of a sweep as a line of JSON: flat, so that its keys are also the columns of a CSV file.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics/finding.h"
#include "core/plan/evaluate/evaluation.h"
#include "core/plan/space/space.h"

namespace stallcast {

// Keys of a point, in their order: "index"; each field that varies, by its pointer; "status", "ok" or "invalid"; every
// KPI, with NAME.ci95_low and NAME.ci95_high, which a line has only where there is an interval;
// "bound.binding_resource", "bottleneck", "converged", "error". Without a line feed.
//
// Nothing in it tells how, when or where the point was computed: the same point is the same bytes everywhere.
std::string point_line(std::int64_t index, const Point& point, const Evaluation& evaluation);

// The line of a point that cannot be: "status" is "invalid" and "error" says why.
std::string point_line(std::int64_t index, const Point& point, const Findings& why);

// All keys that a line may have; `fields` are those that vary.
std::vector<std::string> point_columns(const std::vector<std::string>& fields);

// Whether a column is the end of an interval.
bool is_interval_column(std::string_view column);

// Of a line that was read: its index, or nothing when it is no point; whether its configuration can be.
std::optional<std::int64_t> index_of_point(const nlohmann::ordered_json& line);
bool point_is_fine(const nlohmann::ordered_json& line);

// The KPIs of a line as other results have them, keys split into groups: {"cost": {"total_usd": {"mean", "ci95_low",
// "ci95_high"}}}. Of a configuration that cannot be there are none.
nlohmann::ordered_json point_document(const nlohmann::ordered_json& line);

// point_document() of a line with every KPI; its values mean nothing.
nlohmann::ordered_json point_shape();

}  // namespace stallcast
