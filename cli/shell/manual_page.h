// Manual pages, generated from a command line, so that they never lag behind it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace stallcast {

struct ManualPage {
  std::string name;  // "stallcast-simulate"; the file is that and ".1"
  std::string text;  // roff with the macros of man(7)
};

// One page for `program` and one for each of its commands; commands inside a command are sections of its page.
// Paragraphs of the footer that begin with a heading ("Exit codes: ...") are sections, too; of indented ones (examples)
// a command's page has the lines that run it. `date` is that of the pages, YYYY-MM-DD.
std::vector<ManualPage> manual_pages(const CLI::App& program, const std::string& version, const std::string& date);

}  // namespace stallcast
