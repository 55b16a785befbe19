// A report as one page that needs nothing else: no network, no server, and scripts only for comfort.
#pragma once

#include <string>

#include "core/report/document/document.h"

namespace stallcast {

// The page with its style, charts drawn as SVG, files to take out, and the results that every number points into. Where
// the program was built with Vega, charts answer a pointer and keys. A Content Security Policy forbids every request
// and every script but the page's own; all text of the document is escaped.
std::string document_html(const Document& document);

// The first section alone, laid out to be printed as one page of 16:9.
std::string slide_html(const Document& document);

}  // namespace stallcast
