#pragma once

namespace stallcast {

// A sanitizer watches: it wants address space of its own for each thread, so that none can be kept short of it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace stallcast
