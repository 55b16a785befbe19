// Amounts of bytes for a person's eye.
#pragma once

#include <string>

namespace stallcast {

// "1.96 GiB": three digits and the binary unit that suits them, "700 B" below a KiB. What is to be read back is
// written by format_quantity. **Range** 0 or more
std::string size_text(double bytes);

}  // namespace stallcast
