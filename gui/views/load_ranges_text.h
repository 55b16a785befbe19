// How far inputs that nobody gave leave the times of machines that load a model, or of several jobs, open: for the
// headline, from what `stallcast simulate --format json` says of them.
#pragma once

#include <QString>
#include <nlohmann/json.hpp>

namespace stallcast::gui {

inline constexpr qsizetype kDecidingInputs = 2;  // that the headline names

struct RangesText {
  QString sentence;  // "" where nothing was drawn
  QString how;       // a line for each input that is named: what would narrow it
};

// `document`: a serving_answer_document() or jobs_answer_document().
RangesText loadRangesText(const nlohmann::ordered_json& document);

}  // namespace stallcast::gui
