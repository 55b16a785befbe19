// Text from elsewhere inside HTML, SVG and Markdown: whatever it holds, it stays text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stallcast {

// `text` as well-formed UTF-8 that XML allows, its lines ended by line feeds: bytes that are none, control characters
// and characters that turn the direction of what follows (U+202A to U+202E, U+2066 to U+2069) become U+FFFD.
std::string clean_text(std::string_view text);

// clean_text() with & < > " and ' written as references: safe between tags and in a quoted attribute.
std::string escape_markup(std::string_view text);

// JSON text between <script> tags: no "<" is left that could end the element.
std::string escape_script_json(std::string_view json);

// The characters of clean UTF-8, each with its bytes.
std::vector<std::string_view> characters_of(std::string_view text);

// At most `most` characters of clean text, the last one "…" if some are missing.
std::string clipped(std::string_view text, std::size_t most);

// RFC 4648, with padding.
std::string base64(std::string_view bytes);

// Letters, digits and "-" of `id`: it can be an anchor or a part of a file name.
std::string anchor_of(std::string_view id);

}  // namespace stallcast
