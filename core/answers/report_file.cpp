#include "core/answers/report_file.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "core/answers/json_text.h"
#include "core/diagnostics/atomic_file.h"
#include "core/report/document/document_html.h"
#include "core/report/document/document_markdown.h"
#include "core/report/document/document_pdf.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;

struct FormatName {
  const char* name;
  ReportFormat format;
};
constexpr FormatName kNames[] = {{"html", ReportFormat::kHtml},
                                 {"md", ReportFormat::kMarkdown},
                                 {"json", ReportFormat::kJson},
                                 {"pdf", ReportFormat::kPdf},
                                 {"slide", ReportFormat::kSlide}};

bool is_printed(ReportFormat format) { return format == ReportFormat::kPdf || format == ReportFormat::kSlide; }

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Markdown's folder of pictures: "DIR/STEM_files" of "DIR/STEM.md".
fs::path folder_beside(const std::string& path) {
  const fs::path file(path);
  return file.parent_path() / (file.stem().string() + "_files");
}

// A folder that is made where there is none, and is gone again where nothing came into it.
class FolderFor {
 public:
  explicit FolderFor(const fs::path& folder) : folder_(folder), is_new_(fs::create_directory(folder)) {}
  ~FolderFor() {
    std::error_code ignored;
    if (is_new_) fs::remove(folder_, ignored);  // which leaves one with files
  }
  FolderFor(const FolderFor&) = delete;
  FolderFor& operator=(const FolderFor&) = delete;

 private:
  fs::path folder_;
  bool is_new_;
};

void write_markdown(const Document& document, const std::string& path) {
  const MarkdownFiles markdown = document_markdown(document, fs::path(path).stem().string());
  const fs::path folder = folder_beside(path);
  const FolderFor pictures(folder);
  AtomicFiles files;
  for (const MarkdownFiles::Beside& one : markdown.files) files.add(folder / one.name, one.text);
  files.add(path, markdown.text);
  files.finish();
}

}  // namespace

std::vector<std::string> report_format_names() {
  std::vector<std::string> names;
  for (const FormatName& one : kNames) names.emplace_back(one.name);
  return names;
}

std::optional<ReportFormat> report_format(const std::string& name, const std::string& path, Findings& findings) {
  std::string wanted = name;
  if (wanted.empty()) {
    wanted = lower(fs::path(path).extension().string());
    if (!wanted.empty()) wanted.erase(0, 1);
    if (wanted == "htm") wanted = "html";
    if (wanted == "markdown") wanted = "md";
  }
  std::string all;
  for (const FormatName& one : kNames) {
    const bool ends_files = one.format != ReportFormat::kSlide;  // a slide is a file.pdf
    if (wanted == one.name && (ends_files || !name.empty())) return one.format;
    all += (all.empty() ? "" : ", ") + std::string(one.name);
  }
  findings.add(
      {Severity::kError, "unknown_format", "--format", "", path, all, "give --format, or such a file name", ""});
  return std::nullopt;
}

void require_writer_of(ReportFormat format) {
  if (is_printed(format) && pdf_browser().empty())
    throw WorldError("no browser to print a PDF with: install chromium, or write --format html and print that");
}

std::vector<std::string> written_files(ReportFormat format, const std::string& path) {
  if (path == "-") return {};
  std::vector<std::string> files = {path};
  if (format == ReportFormat::kMarkdown) files.push_back(folder_beside(path).string());
  return files;
}

std::optional<std::string> report_text(const Document& document, ReportFormat format) {
  switch (format) {
    case ReportFormat::kHtml:
      return document_html(document);
    case ReportFormat::kMarkdown:
      return document_markdown(document, "-").text;
    case ReportFormat::kJson:
      return json_text(document.data);
    case ReportFormat::kPdf:
    case ReportFormat::kSlide:
      break;
  }
  return std::nullopt;
}

void write_report(const Document& document, ReportFormat format, const std::string& path, const std::stop_token& stop) {
  if (format == ReportFormat::kMarkdown) return write_markdown(document, path);
  if (is_printed(format))
    return write_pdf(format == ReportFormat::kPdf ? document_html(document) : slide_html(document), path, stop);
  write_file_atomically(path, *report_text(document, format));
}

}  // namespace stallcast
