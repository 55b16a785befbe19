// A comparison as a comment on a pull request: what the change does to time and bill, in some twenty lines of Markdown.
#pragma once

#include <string>

#include "core/plan/compare/comparison.h"

namespace stallcast {

// GitHub-flavoured Markdown. The first scenario is the one before the change; each further one has a table of its own.
// Of the inputs that differ it names up to six that somebody gave.
// **Checked by** tests/core/report/comparison_report_test.cpp
std::string comparison_markdown(const Comparison& comparison);

}  // namespace stallcast
