// write_sample FOLDER: the sample report in every format that needs no other program, for the tests that look at it.
#include <filesystem>
#include <iostream>

#include "core/diagnostics/atomic_file.h"
#include "core/report/document_html.h"
#include "tests/report_pages/sample_document.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "write_sample FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  stallcast::write_file_atomically(folder / "report.html",
                                   stallcast::document_html(stallcast::testing::sample_document()));
}
