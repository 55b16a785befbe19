// A name for content: the same texts in the same order have the same, on every machine and in every version.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace stallcast {

// A hash of the texts added so far, 36 characters as UUIDs are written.
// **Model** name-based UUID of version 5 (SHA-1), in the name space of the hash before; the first in that of object
//   identifiers. **Source** RFC 4122, 4.3. **Checked by** ContentHash.
class ContentHash {
 public:
  ContentHash();
  void add(std::string_view text);
  std::string text() const;

 private:
  std::array<std::uint8_t, 16> uuid_{};
};

// The hash of one text.
std::string content_hash(std::string_view text);

}  // namespace stallcast
