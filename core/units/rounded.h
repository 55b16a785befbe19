// Numbers as people are shown them.
#pragma once

namespace stallcast {

// The number nearest to `value` that has `digits` significant decimal digits. **Range** digits 1 to 17; a value that is
// not finite stays as it is
double rounded(double value, int digits = 3);

}  // namespace stallcast
