// A report as a file: its formats, and how each comes to be one.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/diagnostics/finding.h"
#include "core/report/document/document.h"

namespace stallcast {

enum class ReportFormat { kHtml, kMarkdown, kJson, kPdf, kSlide };

// "html", "md", "json", "pdf", "slide": the first section as a PDF of one page.
std::vector<std::string> report_format_names();

// The format named, or what the end of the path says. **Errors** the finding "unknown_format" where neither does.
std::optional<ReportFormat> report_format(const std::string& name, const std::string& path, Findings& findings);

// Throws WorldError now if what the format takes is not there, so that nobody waits for nothing.
void require_writer_of(ReportFormat format);

// What writing it makes: the file, and for Markdown the folder of pictures beside it.
std::vector<std::string> written_files(ReportFormat format, const std::string& path);

// What goes to standard output; Markdown comes without its pictures, and nothing of what is printed.
std::optional<std::string> report_text(const Document& document, ReportFormat format);

// Writes the document, complete or not at all; what is there already is replaced.
// **Errors** WorldError with the system's reason, or when `stop` is requested while it is printed
void write_report(const Document& document, ReportFormat format, const std::string& path,
                  const std::stop_token& stop = {});

}  // namespace stallcast
