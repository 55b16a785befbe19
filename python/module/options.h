// Options of commands as Python gives them: a dict whose keys the package itself writes.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "core/answers/questions/overridden.h"
#include "core/answers/questions/size_question.h"
#include "core/answers/run_answer.h"
#include "python/module/job.h"

namespace stallcast::python {

template <class T>
T option(const pybind11::dict& options, const char* name, T otherwise) {
  return options.contains(name) ? options[name].cast<T>() : std::move(otherwise);
}

using Texts = std::vector<std::string>;

inline Settings settings_of(const pybind11::dict& options) {
  return {option<Texts>(options, "set", {}), option<std::string>(options, "seed", ""),
          option<std::string>(options, "precision", "")};
}

inline AssumedInputs inputs_of(const pybind11::dict& options) {
  return option<std::string>(options, "inputs", "ranges") == "point" ? AssumedInputs::kPoint : AssumedInputs::kRanges;
}

inline TargetTexts targets_of(const pybind11::dict& options) {
  return {option<std::string>(options, "min_utilization", ""), option<std::string>(options, "deadline", ""),
          option<std::string>(options, "budget", "")};
}

inline std::vector<ScenarioFile> files_of(const pybind11::list& jobs) {
  std::vector<ScenarioFile> out;
  for (const pybind11::handle& job : jobs) out.push_back(job.cast<const Job&>().file);
  return out;
}

}  // namespace stallcast::python
