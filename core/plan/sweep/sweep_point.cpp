#include "core/plan/sweep/sweep_point.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/plan/evaluate/kpi.h"

namespace stallcast {
namespace {

using nlohmann::ordered_json;

// A number or a truth value as such, so that programs need not guess; anything else as it was given.
ordered_json value_of(const std::string& text) {
  if (text.empty()) return nullptr;
  ordered_json json = ordered_json::parse(text, nullptr, false);
  return json.is_number() || json.is_boolean() ? json : ordered_json(text);
}

ordered_json beginning(std::int64_t index, const Point& point, const char* status) {
  ordered_json line = {{"index", index}};
  for (const Assignment& assignment : point) line[assignment.pointer] = value_of(assignment.text);
  line["status"] = status;
  return line;
}

constexpr std::string_view kLow = ".ci95_low", kHigh = ".ci95_high";
std::string low_of(const Kpi& kpi) { return kpi.name + std::string(kLow); }
std::string high_of(const Kpi& kpi) { return kpi.name + std::string(kHigh); }

ordered_json number(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(); }

void add_kpi(ordered_json& line, const Kpi& kpi, const Evaluation& evaluation) {
  const std::optional<Estimate> value = kpi.of(evaluation);
  line[kpi.name] = value ? number(value->mean) : ordered_json();
  if (!value || (value->ci95_low == value->mean && value->ci95_high == value->mean)) return;
  line[low_of(kpi)] = number(value->ci95_low);
  line[high_of(kpi)] = number(value->ci95_high);
}

std::string text_of(const ordered_json& line) {
  return line.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

// Puts `value` where the keys of `path`, joined by ".", lead. A number with members of its own is their "mean".
void put(ordered_json& document, std::string_view path, const ordered_json& value) {
  ordered_json* at = &document;
  for (std::string_view rest = path; !rest.empty();) {
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    if (!at->is_object()) *at = {{"mean", *at}};
    at = &(*at)[std::string(rest.substr(0, dot))];
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  *at = value;
}

// In one line.
std::string error_text(const Findings& findings) {
  std::string all;
  for (const Finding& finding : findings.list()) {
    if (finding.severity != Severity::kError) continue;
    std::string one = render_finding(finding);
    for (std::size_t at = one.find("\n  "); at != std::string::npos; at = one.find("\n  ", at)) one.replace(at, 3, " ");
    all += (all.empty() ? "" : " | ") + one;
  }
  return all;
}

}  // namespace

std::string point_line(std::int64_t index, const Point& point, const Evaluation& evaluation) {
  ordered_json line = beginning(index, point, "ok");
  for (const Kpi& kpi : kpi_table()) add_kpi(line, kpi, evaluation);
  line["bound.binding_resource"] = evaluation.bound.binding_resource;
  line["bottleneck"] = bottleneck_name(evaluation.result);
  line["converged"] = evaluation.result.converged;
  return text_of(line);
}

std::string point_line(std::int64_t index, const Point& point, const Findings& why) {
  ordered_json line = beginning(index, point, "invalid");
  line["error"] = error_text(why);
  return text_of(line);
}

std::vector<std::string> point_columns(const std::vector<std::string>& fields) {
  std::vector<std::string> columns = {"index"};
  columns.insert(columns.end(), fields.begin(), fields.end());
  columns.emplace_back("status");
  for (const Kpi& kpi : kpi_table()) {
    columns.push_back(kpi.name);
    columns.push_back(low_of(kpi));
    columns.push_back(high_of(kpi));
  }
  for (const char* last : {"bound.binding_resource", "bottleneck", "converged", "error"}) columns.emplace_back(last);
  return columns;
}

bool is_interval_column(std::string_view column) { return column.ends_with(kLow) || column.ends_with(kHigh); }

std::optional<std::int64_t> index_of_point(const ordered_json& line) {
  const auto index = line.find("index");
  if (index == line.end() || !index->is_number_unsigned() || !line.contains("status")) return std::nullopt;
  const auto value = index->get<std::uint64_t>();
  if (!std::in_range<std::int64_t>(value)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

ordered_json point_document(const ordered_json& line) {
  ordered_json document = ordered_json::object();
  for (const Kpi& kpi : kpi_table())
    for (const std::string& key : {kpi.name, low_of(kpi), high_of(kpi)})
      if (const auto found = line.find(key); found != line.end()) put(document, key, *found);
  return document;
}

ordered_json point_shape() {
  ordered_json line;
  for (const Kpi& kpi : kpi_table())
    for (const std::string& key : {kpi.name, low_of(kpi), high_of(kpi)}) line[key] = 0.0;
  return point_document(line);
}

bool point_is_fine(const ordered_json& line) { return line.at("status") == "ok"; }

}  // namespace stallcast
