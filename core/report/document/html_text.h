// Pieces of a page: words, tables, charts and files as HTML.
#pragma once

#include <string>
#include <string_view>

#include "core/report/document/document.h"

namespace stallcast {

// Words with their numbers as <data value data-from>, their links, and what is long folded to three lines until it has
// the focus. A link that is neither "https://..." nor "#id" is left out.
std::string html_text(const Text& text);
// The same of words without a style.
std::string html_words(const std::string& words);
// The words alone.
std::string plain_text(const Text& text);

struct HtmlBlockOptions {
  bool first_screen = false;  // charts are lower there
};
std::string html_block(const Block& block, const HtmlBlockOptions& options);

// A link that takes `text` out as a file: no script is needed, the file is in the link.
std::string html_file_link(const std::string& file_name, const std::string& media_type, std::string_view text);

// `file_name` without what leads out of its folder or is no name: "" becomes "file".
std::string safe_file_name(std::string_view file_name);

}  // namespace stallcast
