// The formats that `report` writes, and how each comes to be a file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/environment.h"
#include "core/diagnostics/finding.h"
#include "core/report/document.h"

namespace stallcast {

enum class ReportFormat { kHtml, kMarkdown, kJson, kPdf };

// "html", "md", "json", "pdf".
std::vector<std::string> report_format_names();

// The format named, or what the end of the path says. **Errors** the finding "unknown_format" where neither does.
std::optional<ReportFormat> report_format(const std::string& name, const std::string& path, Findings& findings);

// Writes the document, complete or not at all; Markdown with its pictures beside it, `force` replacing those there.
// **Errors** WorldError with the system's reason
void write_report(const Document& document, ReportFormat format, const std::string& path, bool force,
                  const Environment& environment);

}  // namespace stallcast
