// The whole answers about a choice: compare and size, each with what inputs that nobody gave do to the choice.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/answers/run_answer.h"
#include "core/plan/compare/comparison.h"
#include "core/plan/search/option_draws.h"
#include "core/plan/search/size.h"

namespace stallcast {

struct ComparisonAnswer {
  Comparison comparison;
  OptionDraws draws;                // empty for AssumedInputs::kPoint
  std::vector<std::string> labels;  // of the scenarios
  Figure by = Figure::kTotal;       // that the comparison decided by
};

// **Range** at least two scenarios, each one training job. **Errors** as simulate()
ComparisonAnswer answer_compare(std::vector<ResolvedScenario> scenarios, const CompareOptions& options,
                                AssumedInputs inputs);

// What `compare --format json` prints.
nlohmann::ordered_json comparison_answer_document(const ComparisonAnswer& answer);

struct SizeAnswer {
  SizeResult result;
  OptionDraws draws;                // of the chosen one and those that are told beside it; empty when stopped
  std::vector<std::string> labels;  // of these
};

// **Errors** as size()
SizeAnswer answer_size(const ScenarioFile& file, const Space& space, const Catalogue& catalogue,
                       const SizeRequest& request, const RunOptions& run, AssumedInputs inputs,
                       const SearchWatch& watch = {});

// What `size --format json` prints.
nlohmann::ordered_json size_answer_document(const ScenarioFile& file, const Catalogue& catalogue,
                                            const SizeAnswer& answer);

}  // namespace stallcast
