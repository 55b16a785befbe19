// A report that uses every block and every kind of chart, with names nobody would choose.
#pragma once

#include <string>
#include <vector>

#include "core/report/document/document.h"

namespace stallcast::testing {

// Texts that would do harm where they are not taken as text: markup, quotes, line feeds, right-to-left letters and
// direction controls, 10,000 characters, emoji, control characters, bytes that are no UTF-8.
std::vector<std::string> hostile_texts();

// One chart of each kind, more of those whose layout differs: without data, with many categories, logarithmic.
std::vector<Chart> sample_charts();

// Two options, the second recommended; all of sample_charts() and hostile_texts(); files to take out.
Document sample_document();

}  // namespace stallcast::testing
