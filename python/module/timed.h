// How every command is run: watched, its time taken, its answer kept.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <functional>
#include <utility>

#include "python/module/answer.h"
#include "python/module/watched.h"

namespace stallcast::python {

// What `work` answers. **Errors** as run_watched()
inline Answer answered(const pybind11::object& progress, const std::function<Answer(Watch&)>& work) {
  Answer out;
  run_watched(progress, [&](Watch& watch) {
    const auto began = std::chrono::steady_clock::now();
    out = work(watch);
    out.core_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  });
  return out;
}

}  // namespace stallcast::python
