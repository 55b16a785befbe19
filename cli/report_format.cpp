#include "cli/report_format.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "cli/output.h"
#include "core/report/document_html.h"

namespace stallcast {
namespace {

struct FormatName {
  const char* name;
  ReportFormat format;
};
constexpr FormatName kNames[] = {{"html", ReportFormat::kHtml}, {"json", ReportFormat::kJson}};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
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
    wanted = lower(std::filesystem::path(path).extension().string());
    if (!wanted.empty()) wanted.erase(0, 1);
    if (wanted == "htm") wanted = "html";
    if (wanted == "markdown") wanted = "md";
  }
  std::string all;
  for (const FormatName& one : kNames) {
    if (wanted == one.name) return one.format;
    all += (all.empty() ? "" : ", ") + std::string(one.name);
  }
  findings.add(
      {Severity::kError, "unknown_format", "--format", "", path, all, "give --format, or such a file name", ""});
  return std::nullopt;
}

void write_report(const Document& document, ReportFormat format, const std::string& path, bool force,
                  const Environment& environment) {
  (void)force;
  deliver(format == ReportFormat::kHtml ? document_html(document) : json_text(document.data), path, environment);
}

}  // namespace stallcast
