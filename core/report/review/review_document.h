// A review as a document that any format is made from.
#pragma once

#include "core/plan/review/review.h"
#include "core/report/document/document.h"

namespace stallcast {

// Sections: what to do and why (the first screen), evidence, argument, action, reproduction. Every number of a result
// is one of `data`, which is review_to_json(). Attachments: the resolved scenario, the files to provision and to set
// up with, a timeline for Perfetto.
// **Checked by** tests/core/report/review_report_test.cpp
Document review_document(const Review& review);

}  // namespace stallcast
