// Powers of 1024, in bytes, for kernels that count in plain numbers.
#pragma once

namespace stallcast {

inline constexpr double kKiB = 1024.0;
inline constexpr double kMiB = 1024.0 * kKiB;
inline constexpr double kGiB = 1024.0 * kMiB;
inline constexpr double kTiB = 1024.0 * kGiB;

}  // namespace stallcast
