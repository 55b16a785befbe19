// A report with some of its sections only.
#pragma once

#include <set>
#include <string>

#include "core/report/document/document.h"

namespace stallcast {

// `document` with its first section, which says what the report comes to, and those others whose ids are in `wanted`.
// A link to what is left out becomes plain words. The data and the attachments stay.
Document with_sections(Document document, const std::set<std::string>& wanted);

}  // namespace stallcast
