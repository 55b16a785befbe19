// What goes wrong in the core, as exceptions of the package.
#pragma once

#include <pybind11/pybind11.h>

#include <exception>
#include <utility>

#include "core/diagnostics/finding.h"

namespace stallcast::python {

// Thrown where input is wrong; becomes stallcast.InputError with the findings.
class InputProblem : public std::exception {
 public:
  explicit InputProblem(Findings findings) : findings_(std::move(findings)) {}
  explicit InputProblem(Finding finding) { findings_.add(std::move(finding)); }
  const Findings& findings() const { return findings_; }
  const char* what() const noexcept override { return "wrong input"; }

 private:
  Findings findings_;
};

// The value of `loaded`; what it warns of goes to `warnings`. **Errors** InputProblem with everything that was found.
template <class T>
T value_or_throw(Loaded<T> loaded, Findings& warnings) {
  if (!loaded.ok()) {
    Findings all = warnings;
    all.append(loaded.findings);
    throw InputProblem(std::move(all));
  }
  warnings.append(loaded.findings);
  return std::move(*loaded.value);
}

// [{"severity", "code", "file", "pointer", "got", "allowed", "fix", "why", "text"}]
pybind11::list to_python(const Findings& findings);

// InputProblem to stallcast.InputError, WorldError to stallcast.WorldError, anything else of ours to
// stallcast.BugError.
void register_problems();

}  // namespace stallcast::python
