// Recommendation rules: what experience says helps, as data with its source, said only where the simulation agrees.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/diagnostics/finding.h"
#include "core/plan/evaluate/assertion.h"
#include "core/plan/evaluate/evaluation.h"
#include "core/plan/evaluate/kpi.h"
#include "core/plan/pairs/paired_evaluations.h"
#include "core/plan/space/space.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/resolve/scenario_file.h"
#include "core/steps/run_options.h"

namespace stallcast {

// One file under models/rules.
struct Rule {
  std::string name;
  std::string say;              // the advice, an instruction
  std::vector<Assertion> when;  // all true of RuleFacts; one whose number is not known is not
  std::map<std::string, std::vector<std::string>> fields;  // the resolved scenario has one of these values
  Point set;                                               // what to try; texts may hold "{name}" of RuleFacts
  const Kpi* better = nullptr;                             // must improve ...
  double by = 0.0;                                         // ... by this: of a fraction in itself, else relative
  const Kpi* keep = nullptr;                               // must not get worse ...
  double within = 0.0;                                     // ... by more than this, likewise
  std::string source_title, source_locator, source_read;
};

// Every rule under `directory`/rules, by name.
// **Errors** WorldError when a file cannot be read; findings for everything else: "unknown_key", "missing_key",
// "wrong_type", "unknown_kpi", a field that is not in the table, a condition that cannot be read, a rule without a
// source.
Loaded<std::vector<Rule>> load_rules(const std::filesystem::path& directory);

enum class RuleOutcome {
  kSaid,        // the simulation agrees
  kSilenced,    // it does not: the change buys less, or costs what it must keep
  kImpossible,  // the change makes no job that can be
  kNotTried,    // stopped before
};

// A rule that applies to a job, and what became of it.
struct Recommendation {
  std::string name, say;
  RuleOutcome outcome = RuleOutcome::kNotTried;
  Point set;                 // with every "{name}" filled in; empty for a risk that there is nothing to set against
  const Kpi* kpi = nullptr;  // that was to improve; null for a risk
  std::optional<double> before, after;  // of it
  double gain = 0.0;                    // utilization bought back, whatever was to improve
  std::optional<double> saved_usd;      // that the run would cost less; nothing without a price or a length
  std::string source_title, source_locator, source_read;
};

// The rules that apply to `resolved` as `evaluation` ran, none of them tried: what each says to set.
std::vector<Recommendation> applying_rules(const std::vector<Rule>& rules, const ResolvedScenario& resolved,
                                           const Evaluation& evaluation, const Catalogue& catalogue);

// The rules that apply to `resolved` as `evaluation` ran, each tried beside it with the same seed and the inputs as
// given, which `evaluation` is of too; `pairs` are of it.
// **Cost** one coarse run for each rule that applies, and a full one for each that is said
std::vector<Recommendation> recommend(const std::vector<Rule>& rules, const ScenarioFile& file,
                                      const ResolvedScenario& resolved, const Evaluation& evaluation,
                                      PairedEvaluations& pairs, const Catalogue& catalogue, const RunOptions& options);

}  // namespace stallcast
