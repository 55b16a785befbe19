// write_sample FOLDER: the sample report as page and as Markdown, for those who look at it.
#include <filesystem>
#include <iostream>

#include "core/diagnostics/atomic_file.h"
#include "core/report/document/document_html.h"
#include "core/report/document/document_markdown.h"
#include "tests/report_pages/sample_document.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "write_sample FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  const stallcast::Document document = stallcast::testing::sample_document();
  stallcast::write_file_atomically(folder / "report.html", stallcast::document_html(document));
  const stallcast::MarkdownFiles markdown = stallcast::document_markdown(document, "report");
  stallcast::write_file_atomically(folder / "report.md", markdown.text);
  std::filesystem::create_directories(folder / markdown.folder);
  for (const auto& file : markdown.files)
    stallcast::write_file_atomically(folder / markdown.folder / file.name, file.text);
}
