#include <fmt/format.h>

#include "core/plan/emit/claims.h"
#include "core/plan/emit/emit_benchmark.h"
#include "core/plan/emit/emit_provisioning.h"
#include "core/plan/sweep/shell_words.h"

namespace stallcast {
namespace {

// Text in a cell of a Markdown table, without meaning to Markdown or HTML.
std::string cell(const std::string& text) {
  std::string safe;
  for (const char c : comment_text(text)) {
    if (std::string_view("\\`*_[]|!#").find(c) != std::string_view::npos) safe += '\\';
    if (c == '<') {
      safe += "&lt;";
    } else if (c == '&') {
      safe += "&amp;";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string refuted(const Claim& claim) {
  const Estimate& predicted = claim.predicted;
  if (predicted.ci95_low >= predicted.ci95_high) return "by no measurement alone: its interval is not known";
  const std::string low = "below " + claim_text(claim, predicted.ci95_low);
  const bool has_upper = !claim.no_less && (claim.dimension != Dimension::kFraction || predicted.ci95_high < 1.0);
  return has_upper ? low + " or above " + claim_text(claim, predicted.ci95_high) : low;
}

std::string target(const ResolvedScenario& resolved) {
  const StorageOrder order = storage_order(resolved.scenario.storage);
  if (order.client != "library") return "/mnt/dataset";
  return order.cloud == "gcp" ? "gs://BUCKET/PREFIX" : "s3://BUCKET/PREFIX";
}

}  // namespace

EmittedFile claims_file(const ResolvedScenario& resolved, const RunResult& result, const std::string& scenario_path) {
  std::string text = fmt::format("# Testing \"{}\" on the real system\n\n", cell(resolved.scenario.name));
  text +=
      "A claim is refuted when the 95 % interval of repeated measurements lies wholly where the last column says.\n\n";
  text += "| claim | predicted | measured by | refuted |\n|---|---|---|---|\n";
  for (const Claim& claim : claims(resolved, result))
    text += fmt::format("| {} | {} | {} | {} |\n", claim.name, claim_text(claim, claim.predicted.mean),
                        cell(claim.measured_by), refuted(claim));
  text += result.inputs.draws_wanted > 0
              ? "\nThe intervals hold what the inputs of the scenario may truly be.\n"
              : "\nThe intervals are those of the simulation alone: inputs are taken as given.\n";
  const std::string scenario = shell_word(scenario_path);
  text += "\nIn this order, each on the hosts of the job:\n\n";
  text += fmt::format("    stallcast probe {} -o probe.json\n", target(resolved));
  text += "    DATASET_DIR=\"/mnt/dataset/fio-$HOSTNAME\" fio --output-format=json --output=read.json read.fio\n";
  text += fmt::format("    stallcast calibrate {} --probe probe.json --fio read.json -o calibrated.json\n", scenario);
  text +=
      fmt::format("    mpirun -np {} dlio_benchmark --config-dir CONFIG workload=dlio\n", resolved.scenario.ranks());
  text += "    stallcast simulate calibrated.json\n    stallcast validate MEASURED.jsonl\n";
  text +=
      "\nA calibrated scenario whose prediction meets what DLIO measured, where the first did not, puts the fault in "
      "an input;\none whose prediction still misses puts it in the model.\n";
  for (const std::string& gap : provisioning_gaps(resolved)) text += "\n" + cell(gap) + "\n";
  return {"benchmark.md", text};
}

}  // namespace stallcast
