#include "core/report/json/jobs_document.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/report/json/cost_json.h"
#include "core/report/json/result_document.h"
#include "core/result/json/finite_json.h"
#include "core/result/json/shared_result_json.h"
#include "core/result/program_version.h"
#include "core/result/run_result.h"
#include "core/result/run_totals.h"
#include "core/scenario/resolve/scenario_file.h"
#include "core/scenario/scenario.h"

namespace stallcast {
namespace {

using nlohmann::ordered_json;

ordered_json versions() {
  return {{"format_version", kResultFormatVersion}, {"program_version", std::string(program_version())}};
}

const char* kind_name(bool serves) { return serves ? "serving" : "training"; }

ordered_json described(const ResolvedScenario& resolved) {
  return {{"scenario", scenario_to_json(resolved.scenario)}, {"provenance", provenance_to_json(resolved.provenance)}};
}

ordered_json load_figures(const ServingResult& result, const CostBreakdown& cost) {
  ordered_json out = serving_result_to_json(result);
  out["cost"] = cost_to_json(cost);
  return out;
}

ordered_json training_figures(const RunResult& result, const Bound& bound, const CostBreakdown& cost) {
  ordered_json out = result_document(result, bound, cost, nullptr, nullptr);
  for (const char* key : {"format_version", "program_version", "seed", "scenario", "provenance"}) out.erase(key);
  return out;
}

ordered_json job_to_json(const ResolvedScenario& resolved, const SharedJob& job, const Bound& bound,
                         const CostBreakdown& alone, const CostBreakdown& together) {
  ordered_json out = {{"name", job.name},
                      {"job", kind_name(job.serves)},
                      {"start_s", job.start_s},
                      {"end_s", finite_or_null(job.end_s)},
                      {"alone_s", finite_or_null(job.alone_s)},
                      {"together_s", finite_or_null(job.together_s)},
                      {"slowdown", job.slowdown},
                      {"seed", job.alone.seed}};
  out.update(described(resolved));
  if (job.serves) {
    out.update(load_figures(job.serving_together, together));
    out["alone"] = load_figures(job.serving_alone, alone);
  } else {
    out.update(training_figures(job.together, bound, together));
    out["alone"] = training_figures(job.alone, bound, alone);
  }
  return out;
}

ordered_json storage_to_json(const ResolvedScenario& resolved, const SharedResult& result, const SharedCost& cost) {
  double read = 0.0, written = 0.0;
  ordered_json split = ordered_json::array();
  for (std::size_t j = 0; j < result.jobs.size(); ++j) {
    read += result.jobs[j].together.totals.read_bytes;
    written += result.jobs[j].together.totals.written_bytes;
    split.push_back({{"job", j}, {"share", cost.storage_share[j]}});
  }
  return {{"tier", resolved.scenario.storage.tier}, {"read_bytes", read},        {"written_bytes", written},
          {"cost", cost_to_json(cost.storage)},     {"split", std::move(split)}, {"notes", cost.notes}};
}

// The cells of one job by the name of their column, in order.
using NamedCells = std::vector<std::pair<std::string, std::string>>;

// Cells of a row that result_csv() wrote; of those in quotes the quotes stay.
std::vector<std::string> split_cells(const std::string& row) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : row) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

NamedCells cells_of(const ordered_json& job) {
  const std::string csv = result_csv(job);
  const std::size_t end = csv.find('\n');
  const std::vector<std::string> names = split_cells(csv.substr(0, end));
  const std::vector<std::string> values = split_cells(csv.substr(end + 1, csv.size() - end - 2));
  NamedCells cells;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!names[i].ends_with("cost.lines")) cells.emplace_back(names[i], values[i]);
  return cells;
}

}  // namespace

ordered_json serving_document(const ResolvedScenario& resolved, const ServingResult& result,
                              const CostBreakdown& cost) {
  ordered_json document = versions();
  document["seed"] = result.seed;
  document.update(described(resolved));
  document["job"] = kind_name(true);
  document.update(load_figures(result, cost));
  return document;
}

ordered_json jobs_document(const ResolvedScenario& resolved, const SharedResult& result,
                           const std::vector<Bound>& bounds, const SharedCost& cost) {
  ordered_json document = versions();
  document["seed"] = result.jobs.front().alone.seed;
  ordered_json jobs = ordered_json::array();
  for (std::size_t j = 0; j < result.jobs.size(); ++j)
    jobs.push_back(job_to_json(j == 0 ? resolved : resolved.concurrent_jobs[j - 1], result.jobs[j], bounds[j],
                               cost.alone[j], cost.together[j]));
  document["jobs"] = std::move(jobs);
  document["spans"] = spans_to_json(result);
  document["storage"] = storage_to_json(resolved, result, cost);
  document["events"] = result.events;
  document["wall_s"] = result.wall_s;
  document["converged"] = result.converged;
  document["stopped"] = result.stopped;
  return document;
}

std::string jobs_csv(const ordered_json& document) {
  if (!document.contains("jobs")) return result_csv(document);
  std::vector<NamedCells> rows;
  std::vector<std::string> columns;
  for (const ordered_json& job : document.at("jobs")) {
    rows.push_back(cells_of(job));
    for (const auto& cell : rows.back())
      if (std::find(columns.begin(), columns.end(), cell.first) == columns.end()) columns.push_back(cell.first);
  }
  std::string out;
  for (const std::string& column : columns) out += (out.empty() ? "" : ",") + column;
  for (const NamedCells& row : rows) {
    out += '\n';
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const auto cell = std::find_if(row.begin(), row.end(), [&](const auto& one) { return one.first == columns[c]; });
      out += (c == 0 ? "" : ",") + (cell == row.end() ? std::string() : cell->second);
    }
  }
  return out + '\n';
}

}  // namespace stallcast
