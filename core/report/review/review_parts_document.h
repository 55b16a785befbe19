// The parts of a review's report, each a section.
#pragma once

#include <string>
#include <vector>

#include "core/plan/review/review.h"
#include "core/report/document/document.h"

namespace stallcast {

// What all sections are written from: the review, and its JSON, whose numbers they print.
struct ReviewPage {
  const Review& review;
  const nlohmann::ordered_json& data;
};

// Recommendation, options, and the chart that decides.
Section summary_section(const ReviewPage& page);
// Time, money, curves, front, timeline, tornado, break-even, goodput, data loss.
Section evidence_section(const ReviewPage& page);
// Assumptions, what is not known, how far off predictions were, alternatives, what would change the advice.
Section argument_section(const ReviewPage& page);
// What to set, what to run, what would refute the prediction, what to check.
Section action_section(const ReviewPage& page);
// Versions, hashes, command, and the catalogue records that numbers come from.
Section reproduction_section(const ReviewPage& page);
// What few look up: every input, files to use, sources.
Section appendix_section(const ReviewPage& page);

// The two sentences.
Text recommendation_text(const ReviewPage& page);

// Options against each other: what decides between them over GPU utilization.
Chart options_chart(const Review& review);

// --- words ---

Words plain(std::string text);
Words strong(std::string text);
Words code(std::string text);
Words muted(std::string text);

// The mean at `pointer`, and its interval where it has one; "unknown" where it is null.
Text estimate_words(const nlohmann::ordered_json& data, const std::string& pointer, Dimension dimension);

// "/options/2/figures/gpu_utilization"
std::string figure_pointer(std::size_t option, const std::string& kpi);

Paragraph paragraph(std::string text);

// "source-tier-parallelstore": the section of a record.
std::string source_id(const std::string& record);

// `a` with `b` behind it.
Text operator+(Text a, const Text& b);

}  // namespace stallcast
