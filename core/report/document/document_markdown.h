// A report as Markdown, with its charts and files beside it.
#pragma once

#include <string>
#include <vector>

#include "core/report/document/document.h"

namespace stallcast {

struct MarkdownFiles {
  struct Beside {
    std::string name;  // inside the folder
    std::string text;
  };
  std::string text;           // STEM.md
  std::string folder;         // "STEM_files", beside it
  std::vector<Beside> files;  // charts as SVG and CSV, code that is a file, attachments, results.json
};

// The same content as document_html() in the dialect of CommonMark that has tables. Text cannot become markup: its
// punctuation is escaped. `stem` is the file's name without ".md".
MarkdownFiles document_markdown(const Document& document, const std::string& stem);

}  // namespace stallcast
