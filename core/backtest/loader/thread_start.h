// Threads of this process, or a word about the machine that has no more of them.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

#include "core/diagnostics/finding.h"

namespace stallcast {

// Adds `count` threads to `threads`; `start(i)` makes the i-th.
// **Errors** WorldError when so many cannot be had; those that run are in `threads` then, for the caller to end.
template <class Start>
void start_threads(std::vector<std::jthread>& threads, std::size_t count, const Start& start) {
  for (std::size_t i = 0; i < count; ++i) {
    try {
      threads.push_back(start(i));
    } catch (const std::system_error& error) {
      throw WorldError(
          fmt::format("{} threads of {} could be started ({}); allow this process more of them, or run "
                      "fewer --workers",
                      i, count, error.code().message()));
    }
  }
}

}  // namespace stallcast
