// Published cases predicted from what they state and from the catalogue alone, with ranges, and scored.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/cases/published_case.h"
#include "core/catalogue/catalogue.h"
#include "core/diagnostics/finding.h"

namespace stallcast {

// One figure of one case.
struct PredictedOutcome {
  KnownOutcome known;
  std::optional<double> predicted;  // none where the result has no such figure
  double low = 0.0, high = 0.0;     // 90 % of what inputs that nobody gave leave open

  // Predicted over known: 1 within what is known, else to the nearer end of it.
  double ratio() const;
  bool in_range() const;  // the range and what is known overlap
};

struct PredictedCase {
  PublishedCase published;
  std::vector<PredictedOutcome> outcomes;  // empty where it is not expressible
  std::size_t assumed = 0;                 // inputs that nobody gave
};

// Shares of all outcomes, those that cannot be expressed included, as fractions of 1.
struct CaseScore {
  std::size_t outcomes = 0, expressible = 0;
  double within_30_percent = 0.0;  // |predicted - known| <= 0.3 known
  double within_factor_2 = 0.0;
  double in_range = 0.0;  // of those that can be expressed
};
CaseScore score_of(const std::vector<PredictedCase>& cases);

struct CaseOptions {
  unsigned threads = 0;  // 0 = one per core
  std::function<void(std::size_t done, std::size_t total)> progress;
  std::stop_token stop;
};

// Simulates each case as given and with its assumed inputs drawn (kRangeDraws of run/uncertainty.h).
// **Errors** findings of scenarios that do not resolve, and of figures that no result has.
Loaded<std::vector<PredictedCase>> predict_cases(const std::vector<PublishedCase>& cases, const Catalogue& catalogue,
                                                 const CaseOptions& options);

}  // namespace stallcast
