// A page as PDF, printed by a browser that is there.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>

namespace stallcast {

// The browser that prints: the first of Chromium's and Chrome's names found on PATH, "" when there is none.
std::string pdf_browser();

// Prints `html` to `path` with pdf_browser(), in a profile of its own that is gone afterwards, without network. `path`
// is replaced when the PDF is whole, not before.
// **Errors** WorldError when there is no browser, it fails or takes longer than two minutes, `stop` is requested, or
// the file cannot be written; then `path` is as it was.
// **Cost** One to five seconds.
void write_pdf(std::string_view html, const std::filesystem::path& path, const std::stop_token& stop = {});

}  // namespace stallcast
